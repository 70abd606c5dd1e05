//! Adding strings to JSON with comments.
//!
//! The existing contents are kept byte for byte: all edits are insertions.

use minds_render::jsonc::{Change, Dialect, Json, JsonError, JsonErrorKind, JsonText};

/// A string to add at a key, alone or in a list.
pub(super) struct Entry<'a> {
    /// The path of the object that contains the key.
    pub(super) objects: &'a [&'a str],
    pub(super) key: String,
    /// The string.
    pub(super) text: String,
    /// Whether a single string is written as a list.
    pub(super) is_list: bool,
}

/// Returns the text with all entries added; existing entries are not changed.
///
/// # Errors
///
/// Returns the reason, if the text cannot be parsed or an entry cannot be added.
pub(super) fn merge(old: &str, entries: &[Entry<'_>]) -> Result<String, String> {
    entries.iter().try_fold(old.to_owned(), |text, entry| add_entry(&text, entry))
}

/// Returns whether the list at a key of the outermost object contains a string.
///
/// # Errors
///
/// Returns the reason, if the text cannot be parsed.
pub(super) fn contains(text: &str, key: &str, item: &str) -> Result<bool, String> {
    let json = parse(text)?;
    // A value that is not an object has no lists.
    match json.find(&[key]) {
        Ok(list) => Ok(list.is_some_and(|list| list.has_item(item))),
        Err(error) if matches!(error.kind(), JsonErrorKind::NotAnObject(_)) => Ok(false),
        Err(error) => Err(reason(text, &error)),
    }
}

fn parse(text: &str) -> Result<JsonText<'_>, String> {
    // The byte order mark of the file is already removed, so this is a second one.
    if text.starts_with('\u{feff}') {
        return Err("line 1 is not valid JSON with comments".to_owned());
    }
    JsonText::parse(text, Dialect::CommentsAndCommas).map_err(|error| reason(text, &error))
}

/// Returns why nothing can be added.
fn reason(text: &str, error: &JsonError) -> String {
    match error.kind() {
        JsonErrorKind::Syntax(_) => {
            let before = text.get(..error.span().start).unwrap_or_default();
            format!("line {} is not valid JSON with comments", before.matches('\n').count() + 1)
        }
        JsonErrorKind::NotAnObject(None) => "its value is not an object".to_owned(),
        kind => kind.to_string(),
    }
}

/// Returns the text with an entry added.
fn add_entry(text: &str, entry: &Entry<'_>) -> Result<String, String> {
    let json = parse(text)?;
    let path: Vec<&str> = entry.objects.iter().copied().chain([entry.key.as_str()]).collect();
    let item = Json::Text(entry.text.clone());
    let new = match json.find(&path).map_err(|error| reason(text, &error))? {
        None => {
            let value = if entry.is_list { Json::List(vec![item]) } else { item };
            json.change(entry.objects, &[Change { key: &entry.key, value: Some(&value) }])
        }
        Some(found) if found.as_text() == Some(entry.text.as_str()) || found.has_item(&entry.text) => {
            return Ok(text.to_owned());
        }
        Some(found) if found.is_list() || found.as_text().is_some() => json.push(&path, &item),
        Some(_) => return Err(format!("`{}` is neither a string nor a list", entry.key)),
    };
    new.map_err(|error| reason(text, &error))
}

#[cfg(test)]
mod tests {
    use jsonc_parser::{JsonValue, ParseOptions, parse_to_value};
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::{Entry, merge};

    const OBJECTS: &[&str] = &["a", "b"];

    fn entry() -> Entry<'static> {
        Entry { objects: OBJECTS, key: "c".into(), text: "new".into(), is_list: false }
    }

    /// White space and comments between two tokens.
    fn blank() -> impl Strategy<Value = String> + Clone {
        let part = prop::sample::select(vec![
            " ",
            "\t",
            "\n",
            "\r\n",
            "// , } x\n",
            "/* , { */",
            "/* \n */",
            "//\r\n",
        ]);
        prop::collection::vec(part, 0..3).prop_map(|parts| parts.concat())
    }

    /// Arbitrary values, with white space everywhere and some trailing commas.
    fn text() -> impl Strategy<Value = String> {
        let leaf = prop::sample::select(vec![
            "1",
            "null",
            "\"x\"",
            "\"// ,\"",
            "\"new\"",
            "{}",
            "[]",
            "\"\\\"ä🤖\"",
        ]);
        leaf.prop_map(str::to_owned).prop_recursive(4, 24, 4, |inner| {
            let key = prop::sample::select(vec!["\"a\"", "\"b\"", "\"c\"", "\"\\u0061\"", "\"z\""]);
            let property = (blank(), key, blank(), blank(), inner.clone(), blank())
                .prop_map(|(b1, key, b2, b3, value, b4)| format!("{b1}{key}{b2}:{b3}{value}{b4}"));
            let item = (blank(), inner, blank()).prop_map(|(b1, value, b2)| format!("{b1}{value}{b2}"));
            let end = (any::<bool>(), blank());
            prop_oneof![
                4 => (prop::collection::vec(property, 1..4), end.clone()).prop_map(|(all, (comma, blank))| format!(
                    "{{{}{}{blank}}}", all.join(","), if comma { "," } else { "" }
                )),
                1 => (prop::collection::vec(item, 1..4), end).prop_map(|(all, (comma, blank))| format!(
                    "[{}{}{blank}]", all.join(","), if comma { "," } else { "" }
                )),
            ]
        })
    }

    /// Returns the value of a string, without comments.
    fn meaning(text: &str) -> Value {
        fn plain(value: JsonValue<'_>) -> Value {
            match value {
                JsonValue::String(text) => Value::String(text.into_owned()),
                JsonValue::Number(number) => serde_json::from_str(number).unwrap(),
                JsonValue::Boolean(value) => Value::Bool(value),
                JsonValue::Object(object) => Value::Object(
                    object.into_iter().map(|(key, value)| (key.into_owned(), plain(value))).collect(),
                ),
                JsonValue::Array(list) => Value::Array(list.into_iter().map(plain).collect()),
                JsonValue::Null => Value::Null,
            }
        }
        plain(parse_to_value(text, &ParseOptions::default()).unwrap().unwrap())
    }

    /// Applies the merge to the value.
    fn oracle(mut root: Value) -> Value {
        let mut object = &mut root;
        for key in OBJECTS {
            object = object.as_object_mut().unwrap().entry(*key).or_insert_with(|| json!({}));
        }
        match object.as_object_mut().unwrap().entry("c").or_insert_with(|| json!("new")) {
            Value::Array(list) if !list.contains(&json!("new")) => list.push(json!("new")),
            Value::Array(_) => {}
            text if *text == json!("new") => {}
            text => *text = json!([text.as_str().unwrap(), "new"]),
        }
        root
    }

    fn is_kept(old: &str, new: &str) -> bool {
        let mut new = new.chars();
        old.chars().all(|wanted| new.any(|found| found == wanted))
    }

    proptest! {
        /// Existing contents are kept byte for byte, the entry is added, and nothing else changes.
        #[test]
        fn merging_only_adds_contents(before in blank(), json in text(), after in blank()) {
            let old = format!("{before}{json}{after}");
            if let Ok(new) = merge(&old, &[entry()]) {
                prop_assert!(is_kept(&old, &new), "{}", new);
                prop_assert_eq!(&merge(&new, &[entry()]), &Ok(new.clone()));
                prop_assert_eq!(meaning(&new), oracle(meaning(&old)), "{}", new);
            }
        }

        /// Merging never panics.
        #[test]
        fn arbitrary_text_is_handled(parts in prop::collection::vec(
            prop::sample::select(vec!["{", "}", "[", "]", ",", ":", "\"a\"", "\"b\"", "\"c\"", "\"", "\\", "//", "/*", "*/", "\n", "\r", " ", "1", "ä", "'"]),
            0..12,
        )) {
            let old = parts.concat();
            if let Ok(new) = merge(&old, &[entry()]) {
                prop_assert!(is_kept(&old, &new));
            }
        }
    }
}
