//! Merging values of several files, of which the first takes precedence.

use std::collections::BTreeSet;

use minds_document::{Node, Value};

/// A merged value, whose parts refer to their nodes.
#[derive(Clone, Debug)]
pub enum MergedValue<'d> {
    /// A value of one file: a scalar, or something unreadable.
    Single(Node<'d>),
    /// The items of all files in order, without duplicates.
    List(Vec<Node<'d>>),
    /// The entries of all files, in the order in which the keys occur.
    Mapping(Vec<(&'d str, MergedValue<'d>)>),
    /// A mapping or list that is empty in every file: the node of the first one.
    Empty(Node<'d>),
}

/// Merges the values of several files, highest precedence first; `None` if all of them are null.
///
/// Mappings are merged recursively by key. Lists are concatenated without duplicates: mappings are equal if they have the
/// same `id`, or without one the same `name`; all other items are compared by value. Of other values, the first one that is
/// not null is used. If types differ, the first value is used. An unreadable value hides all later ones. Keys that begin
/// with `x-` belong to the user and are ignored.
pub fn merge<'d>(files: impl IntoIterator<Item = Node<'d>>) -> Option<MergedValue<'d>> {
    merge_with(files, Keys::Ours)
}

/// As [`merge`], for settings of a provider, whose keys are not interpreted: keys that begin with `x-` are included, and a
/// key that is null in every file is null.
pub fn merge_settings<'d>(files: impl IntoIterator<Item = Node<'d>>) -> Option<MergedValue<'d>> {
    merge_with(files, Keys::OfOthers)
}

/// How keys of mappings are treated.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Keys {
    /// Keys of our formats: those that begin with `x-` belong to the user, and null means absent.
    Ours,
    /// Keys of a foreign format, which are not interpreted.
    OfOthers,
}

fn merge_with<'d>(files: impl IntoIterator<Item = Node<'d>>, keys: Keys) -> Option<MergedValue<'d>> {
    let mut values = files.into_iter().filter(|node| node.value() != Value::Null);
    let first = values.next()?;
    let kind = first.value();
    let same: Vec<Node<'d>> =
        std::iter::once(first).chain(values.filter(|node| node.value() == kind)).collect();
    match kind {
        Value::Mapping => {
            let entries = entries(&same, keys);
            Some(if entries.is_empty() { MergedValue::Empty(first) } else { MergedValue::Mapping(entries) })
        }
        Value::Sequence => {
            let items = items(&same);
            Some(if items.is_empty() { MergedValue::Empty(first) } else { MergedValue::List(items) })
        }
        _ => Some(MergedValue::Single(first)),
    }
}

fn entries<'d>(mappings: &[Node<'d>], whose: Keys) -> Vec<(&'d str, MergedValue<'d>)> {
    let mut seen = BTreeSet::new();
    let mut keys: Vec<&'d str> = Vec::new();
    for entry in mappings.iter().flat_map(|mapping| mapping.entries()) {
        let is_users = whose == Keys::Ours && entry.key.starts_with("x-");
        if !is_users && seen.insert(entry.key) {
            keys.push(entry.key);
        }
    }
    let by_key: Vec<std::collections::BTreeMap<&str, Node<'d>>> = mappings
        .iter()
        .map(|mapping| mapping.entries().map(|entry| (entry.key, entry.value)).collect())
        .collect();
    let merged = |key: &'d str| {
        let values = || by_key.iter().filter_map(|entries| entries.get(key).copied());
        let null = || values().next().filter(|_| whose == Keys::OfOthers).map(MergedValue::Single);
        merge_with(values(), whose).or_else(null)
    };
    keys.into_iter().filter_map(|key| Some((key, merged(key)?))).collect()
}

fn items<'d>(lists: &[Node<'d>]) -> Vec<Node<'d>> {
    let mut seen = BTreeSet::new();
    lists.iter().flat_map(|list| list.items()).filter(|item| seen.insert(identity(*item))).collect()
}

/// Returns a string that is equal for two items if and only if they are duplicates.
fn identity(item: Node<'_>) -> String {
    let named = |key: &str| item.get(key).and_then(Node::scalar_text).map(|name| format!("{key} {name}"));
    named("id").or_else(|| named("name")).unwrap_or_else(|| format!("= {}", item.to_json()))
}

impl<'d> MergedValue<'d> {
    /// Returns the value of a key of a mapping.
    pub fn get(&self, key: &str) -> Option<&Self> {
        match self {
            Self::Mapping(entries) => entries.iter().find(|(known, _)| *known == key).map(|(_, value)| value),
            Self::Single(_) | Self::List(_) | Self::Empty(_) => None,
        }
    }

    /// Returns the value as JSON.
    pub fn to_json(&self) -> serde_json::Value {
        match self {
            Self::Single(node) => node.to_json(),
            Self::Empty(node) if node.value() == Value::Sequence => serde_json::Value::Array(Vec::new()),
            // Keys of the user are omitted.
            Self::Empty(_) => serde_json::Value::Object(serde_json::Map::new()),
            Self::List(items) => items.iter().map(|item| item.to_json()).collect(),
            Self::Mapping(entries) => {
                entries.iter().map(|(key, value)| ((*key).to_owned(), value.to_json())).collect()
            }
        }
    }

    /// Calls `visit` for each value that is not a mapping, with its path of keys.
    pub fn leaves(&self, visit: &mut impl FnMut(&[&'d str], &Self)) {
        let mut keys = Vec::new();
        self.walk(&mut keys, visit);
    }

    fn walk(&self, keys: &mut Vec<&'d str>, visit: &mut impl FnMut(&[&'d str], &Self)) {
        match self {
            Self::Mapping(entries) => {
                for (key, value) in entries {
                    keys.push(key);
                    value.walk(keys, visit);
                    keys.pop();
                }
            }
            leaf => visit(keys, leaf),
        }
    }

    /// Returns the nodes of the value.
    pub fn nodes(&self) -> &[Node<'d>] {
        match self {
            Self::Single(node) | Self::Empty(node) => std::slice::from_ref(node),
            Self::List(items) => items,
            Self::Mapping(_) => &[],
        }
    }
}

#[cfg(test)]
mod tests {
    use minds_diagnostics::SourceFile;
    use minds_document::{Document, yaml};
    use proptest::prelude::*;
    use serde_json::{Value as Json, json};

    use super::*;

    fn document(text: &str) -> Document {
        let parsed = yaml::parse(&SourceFile::new("x.yaml", text));
        parsed.value.unwrap()
    }

    fn merge_json(contents: &[&str]) -> Json {
        let documents: Vec<Document> = contents.iter().map(|text| document(text)).collect();
        merge(documents.iter().map(Document::root)).map_or(Json::Null, |merged| merged.to_json())
    }

    #[test]
    fn the_first_file_takes_precedence() {
        for (contents, expected) in [
            (&["{name: hi}", "{name: lo}"][..], json!({"name": "hi"})),
            (&["{l: [a, b]}", "{l: [b, c]}"], json!({"l": ["a", "b", "c"]})),
            (&["[{id: 1, v: x}]", "[{id: 1, v: y}, {id: 2}]"], json!([{"id": 1, "v": "x"}, {"id": 2}])),
            (&["[{name: a, v: x}]", "[{name: a}, {id: a}]"], json!([{"name": "a", "v": "x"}, {"id": "a"}])),
            (&["[a, a]"], json!(["a"])),
            (&["[[1], {a: 1}]", "[[1], [2], {a: 1}]"], json!([[1], {"a": 1}, [2]])),
            (
                &["{a: {b: 1}}", "{a: {b: 2, c: 3}}", "{a: {c: 4, d: 5}}"],
                json!({"a": {"b": 1, "c": 3, "d": 5}}),
            ),
            (&["{a: ~}", "{a: 1}"], json!({"a": 1})),
            (&["{a: ~}", "{b: ~}"], json!({})),
            (&["{a: 1}", "{a: {b: 2}}"], json!({"a": 1})),
            (&["{a: {b: 2}}", "{a: 1}", "{a: {c: 3}}"], json!({"a": {"b": 2, "c": 3}})),
            (&["{x-a: 1, a: 2}", "{x-b: 3}"], json!({"a": 2})),
            (&["", "{a: 1}"], json!({"a": 1})),
            (&[], Json::Null),
        ] {
            assert_eq!(merge_json(contents), expected, "{contents:?}");
        }
    }

    #[test]
    fn foreign_settings_are_merged_without_loss() {
        for (contents, expected) in [
            (&["{x-a: 1, b: ~}"][..], json!({"x-a": 1, "b": null})),
            (&["{a: ~, b: {x-c: ~}}", "{a: 1, b: {d: 2}}"], json!({"a": 1, "b": {"x-c": null, "d": 2}})),
            (&["{a: ~}", "{a: ~}"], json!({"a": null})),
            (&["{l: [~]}", "{l: [{x-a: ~}]}"], json!({"l": [null, {"x-a": null}]})),
            (&["~", "~"], Json::Null),
        ] {
            let documents: Vec<Document> = contents.iter().map(|text| document(text)).collect();
            let merged = merge_settings(documents.iter().map(Document::root));
            assert_eq!(merged.map_or(Json::Null, |merged| merged.to_json()), expected, "{contents:?}");
        }
    }

    #[test]
    fn empty_values_have_a_place() {
        for (contents, line, empty) in [
            (&["a: {}\n"][..], 1, json!({})),
            (&["\na: {x-mine: 1}\n", "a: {}\n"], 2, json!({})),
            (&["a:\n", "\n\na: {}\n"], 3, json!({})),
            (&["a: []\n"], 1, json!([])),
            (&["a:\n", "\na: []\n", "a: []\n"], 2, json!([])),
        ] {
            let documents: Vec<Document> = contents.iter().map(|text| document(text)).collect();
            let merged = merge(documents.iter().map(Document::root)).unwrap();
            let mut found = Vec::new();
            merged.leaves(&mut |keys, leaf| {
                let lines = leaf.nodes().iter().map(|node| {
                    let label = node.label();
                    label.source.range(label.span).start.line
                });
                found.push((keys.join("."), leaf.to_json(), lines.collect::<Vec<_>>()));
            });
            assert_eq!(found, [("a".to_owned(), empty, vec![line])], "{contents:?}");
        }
    }

    #[test]
    fn numbers_differ_from_strings() {
        assert_eq!(merge_json(&["[1]", "['1']"]), json!([1, "1"]));
    }

    fn json_value() -> impl Strategy<Value = Json> {
        let leaf = prop_oneof![
            Just(Json::Null),
            (0..3).prop_map(|number| json!(number)),
            "[ab]".prop_map(|text| json!(text)),
        ];
        leaf.prop_recursive(3, 24, 4, |inner| {
            prop_oneof![
                proptest::collection::vec(inner.clone(), 0..4).prop_map(Json::from),
                proptest::collection::btree_map("a|b|c|id|name", inner, 0..4)
                    .prop_map(|entries| entries.into_iter().collect()),
            ]
        })
    }

    /// A simple implementation of the rules for two files.
    fn oracle(high: &Json, low: &Json) -> Json {
        match (high, low) {
            (Json::Object(high), Json::Object(low)) => {
                let keys: BTreeSet<&String> = high.keys().chain(low.keys()).collect();
                let none = Json::Null;
                let value =
                    |key: &String| oracle(high.get(key).unwrap_or(&none), low.get(key).unwrap_or(&none));
                let values = keys.into_iter().map(|key| (key.clone(), value(key)));
                values.filter(|(_, value)| !value.is_null()).collect()
            }
            (Json::Array(high), Json::Array(low)) => {
                let mut items: Vec<Json> = Vec::new();
                for item in high.iter().chain(low) {
                    if items.iter().all(|known| !is_same(known, item)) {
                        items.push(item.clone());
                    }
                }
                items.into()
            }
            (Json::Null, Json::Object(_) | Json::Array(_)) => oracle(low, low),
            (Json::Null, low) => low.clone(),
            (Json::Object(_) | Json::Array(_), Json::Null) => oracle(high, high),
            (Json::Object(_), _) => oracle(high, &json!({})),
            (Json::Array(_), _) => oracle(high, &json!([])),
            (high, _) => high.clone(),
        }
    }

    fn is_same(one: &Json, other: &Json) -> bool {
        let scalar = |value: &Json, key: &str| {
            let found = value.get(key).filter(|found| !found.is_object() && !found.is_array());
            found.map(|found| found.as_str().map_or_else(|| found.to_string(), str::to_owned))
        };
        match (scalar(one, "id"), scalar(other, "id")) {
            (Some(one), Some(other)) => return one == other,
            (None, None) => {}
            _ => return false,
        }
        match (scalar(one, "name"), scalar(other, "name")) {
            (Some(one), Some(other)) => one == other,
            (None, None) => one == other,
            _ => false,
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2_000))]

        #[test]
        fn merging_agrees_with_the_oracle(high in json_value(), low in json_value()) {
            let (one, other) = (high.to_string(), low.to_string());
            prop_assert_eq!(merge_json(&[&one, &other]), oracle(&high, &low));
        }

        #[test]
        fn merging_a_value_with_itself_changes_nothing(value in json_value(), other in json_value()) {
            let (value, other) = (value.to_string(), other.to_string());
            let once = merge_json(&[&value, &other]);
            prop_assert_eq!(merge_json(&[&value, &other, &value, &other]), once.clone());
            prop_assert_eq!(merge_json(&[&once.to_string()]), once);
        }
    }
}
