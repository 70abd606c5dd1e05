//! Texts put into JSON with comments.
//!
//! Everything that stands in the file stays, letter by letter: all edits are insertions.

use jsonc_parser::ast::{Array, Object, Value};
use jsonc_parser::common::{Range, Ranged as _};
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};

use super::quoted;

/// A text that must stand at a key, alone or in a list.
pub(super) struct Entry<'a> {
    /// The keys of the objects that hold the key, from the outermost on.
    pub(super) objects: &'a [&'a str],
    /// The key.
    pub(super) key: String,
    /// The text.
    pub(super) text: String,
    /// Whether the text stands in a list even if it is alone.
    pub(super) is_list: bool,
}

/// Returns the text with all entries in it; what is there already stays as it is.
///
/// # Errors
///
/// Says why, if it cannot be known what the text means or where an entry belongs.
pub(super) fn merge(old: &str, entries: &[Entry<'_>]) -> Result<String, String> {
    let mut text = old.to_owned();
    for entry in entries {
        for insertion in insertions(&text, entry)?.into_iter().rev() {
            text.insert_str(insertion.at, &insertion.text);
        }
    }
    Ok(text)
}

/// Returns whether the list at a key of the outermost object holds a text.
///
/// # Errors
///
/// Says why, if it cannot be known.
pub(super) fn contains(text: &str, key: &str, item: &str) -> Result<bool, String> {
    let Some(root) = parse(text)? else { return Ok(false) };
    let list = root.as_object().map(|root| find(root, key)).transpose()?.flatten().and_then(Value::as_array);
    Ok(list.is_some_and(|list| holds(list, item)))
}

/// A text, and the byte at which it is put in.
struct Insertion {
    at: usize,
    text: String,
}

fn parse(text: &str) -> Result<Option<Value<'_>>, String> {
    // What editors read: comments, commas at the end, and nothing else beyond JSON.
    let options = ParseOptions {
        allow_comments: true,
        allow_trailing_commas: true,
        allow_loose_object_property_names: false,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        allow_bare_decimal_point_numbers: false,
        allow_non_finite_numbers: false,
        allow_extended_string_escapes: false,
    };
    match parse_to_ast(text, &CollectOptions::default(), &options) {
        Ok(parsed) => Ok(parsed.value),
        Err(error) => Err(format!("line {} is no JSON with comments", error.line_display())),
    }
}

/// Returns what must be put in for an entry, in the order of the text; nothing if it is there already.
fn insertions(text: &str, entry: &Entry<'_>) -> Result<Vec<Insertion>, String> {
    let Some(root) = parse(text)? else {
        // Nothing, or comments only.
        let line_break = if text.is_empty() || text.ends_with('\n') { "" } else { newline(text) };
        let style = Style { newline: newline(text), unit: "  " };
        let object = style.object(entry.objects, entry, "");
        return Ok(vec![Insertion {
            at: text.len(),
            text: format!("{line_break}{object}{}", style.newline),
        }]);
    };
    let Value::Object(root) = &root else { return Err("it holds something else than an object".to_owned()) };
    let style = Style::of(text, root);
    let mut object = root;
    for (depth, key) in entry.objects.iter().enumerate() {
        match find(object, key)? {
            Some(Value::Object(inner)) => object = inner,
            Some(_) => return Err(format!("`{key}` is no object")),
            None => {
                let inner = entry.objects.get(depth + 1..).unwrap_or_default();
                let item = |indent: &str| format!("{}: {}", quoted(key), style.object(inner, entry, indent));
                return Ok(append(text, &style, &Items::of_object(object), &item));
            }
        }
    }
    let item = quoted(&entry.text);
    match find(object, &entry.key)? {
        None => Ok(append(text, &style, &Items::of_object(object), &|_| entry.property())),
        Some(Value::StringLit(found)) if found.value == entry.text => Ok(Vec::new()),
        Some(Value::StringLit(found)) => Ok(vec![
            Insertion { at: found.range.start, text: "[".to_owned() },
            Insertion { at: found.range.end, text: format!(", {item}]") },
        ]),
        Some(Value::Array(list)) if holds(list, &entry.text) => Ok(Vec::new()),
        Some(Value::Array(list)) => Ok(append(text, &style, &Items::of_list(list), &|_| item.clone())),
        Some(_) => Err(format!("`{}` is neither a text nor a list", entry.key)),
    }
}

/// Returns the value at a key; fails if it is not sure which one counts.
fn find<'v, 't>(object: &'v Object<'t>, key: &str) -> Result<Option<&'v Value<'t>>, String> {
    let mut found = object.properties.iter().filter(|property| property.name.as_str() == key);
    match (found.next(), found.next()) {
        (_, Some(_)) => Err(format!("`{key}` is there twice")),
        (first, None) => Ok(first.map(|property| &property.value)),
    }
}

fn holds(list: &Array<'_>, text: &str) -> bool {
    list.elements.iter().any(|item| item.as_string_lit().is_some_and(|item| item.value == text))
}

impl Entry<'_> {
    fn property(&self) -> String {
        let (key, text) = (quoted(&self.key), quoted(&self.text));
        if self.is_list { format!("{key}: [{text}]") } else { format!("{key}: {text}") }
    }
}

/// How the text is written.
struct Style<'t> {
    newline: &'t str,
    /// What one level is indented by.
    unit: &'t str,
}

fn newline(text: &str) -> &'static str {
    if text.contains("\r\n") { "\r\n" } else { "\n" }
}

impl<'t> Style<'t> {
    fn of(text: &'t str, root: &Object<'_>) -> Self {
        let first = root.properties.first().and_then(|first| own_line(text, first.range.start));
        Self { newline: newline(text), unit: first.filter(|indent| !indent.is_empty()).unwrap_or("  ") }
    }

    /// Returns an object that holds nothing but further objects and, innermost, an entry.
    fn object(&self, objects: &[&str], entry: &Entry<'_>, indent: &str) -> String {
        let (newline, inner) = (self.newline, format!("{indent}{}", self.unit));
        let property = match objects.split_first() {
            Some((key, rest)) => format!("{}: {}", quoted(key), self.object(rest, entry, &inner)),
            None => entry.property(),
        };
        format!("{{{newline}{inner}{property}{newline}{indent}}}")
    }
}

/// An object or a list, as far as it matters for putting something in at its end.
struct Items {
    range: Range,
    first: Option<usize>,
    last_end: Option<usize>,
}

impl Items {
    fn of_object(object: &Object<'_>) -> Self {
        Self {
            range: object.range,
            first: object.properties.first().map(|item| item.range.start),
            last_end: object.properties.last().map(|item| item.range.end),
        }
    }

    fn of_list(list: &Array<'_>) -> Self {
        Self {
            range: list.range,
            first: list.elements.first().map(|item| item.range().start),
            last_end: list.elements.last().map(|item| item.range().end),
        }
    }
}

/// Puts an item behind the last one, and behind the comment that belongs to the last one.
fn append(text: &str, style: &Style<'_>, items: &Items, item: &dyn Fn(&str) -> String) -> Vec<Insertion> {
    let (open, close) = (items.range.start, items.range.end.saturating_sub(1));
    let outer = indent(text, open);
    let indent = items
        .first
        .and_then(|first| own_line(text, first))
        .map_or_else(|| format!("{outer}{}", style.unit), str::to_owned);
    let (newline, item) = (style.newline, item(&indent));
    let Some(last_end) = items.last_end else {
        let at = after_comments(text, open + 1, close);
        let is_closed_below = text.get(at..close).is_some_and(|rest| rest.contains('\n'));
        let end = if is_closed_below { String::new() } else { format!("{newline}{outer}") };
        return vec![Insertion { at, text: format!("{newline}{indent}{item}{end}") }];
    };
    let comma = comma(text, last_end, close);
    let at = end_of_line(text, comma.unwrap_or(last_end), close);
    let is_in_lines = text.get(open..close).is_some_and(|inside| inside.contains('\n'));
    let space = if is_in_lines { format!("{newline}{indent}") } else { " ".to_owned() };
    if comma.is_some() {
        return vec![Insertion { at, text: format!("{space}{item},") }];
    }
    vec![Insertion { at: last_end, text: ",".to_owned() }, Insertion { at, text: format!("{space}{item}") }]
}

/// Returns the white space with which the line of a byte begins.
fn indent(text: &str, at: usize) -> &str {
    let line = text.get(..at).unwrap_or_default().rsplit('\n').next().unwrap_or_default();
    line.get(..line.len() - line.trim_start().len()).unwrap_or_default()
}

/// Returns the same, if nothing else stands before the byte in its line, and the line is not the first.
fn own_line(text: &str, at: usize) -> Option<&str> {
    let line = text.get(..at)?.rsplit_once('\n')?.1;
    line.trim_start().is_empty().then_some(line)
}

/// What stands between values.
#[derive(PartialEq)]
enum Between {
    Comma,
    Comment,
    LineBreak,
    Space,
}

/// Returns what stands between two bytes, outside of values, each with its end.
fn between(text: &str, from: usize, to: usize) -> impl Iterator<Item = (Between, usize)> {
    let mut at = from;
    std::iter::from_fn(move || {
        let rest = text.get(at..to).filter(|rest| !rest.is_empty())?;
        let (kind, length) = if rest.starts_with("//") {
            let line = rest.split('\n').next().unwrap_or(rest);
            (Between::Comment, line.trim_end_matches('\r').len())
        } else if rest.starts_with("/*") {
            (Between::Comment, rest.find("*/").map_or(rest.len(), |end| end + 2))
        } else {
            let kind = match rest.chars().next()? {
                ',' => Between::Comma,
                '\n' => Between::LineBreak,
                _ => Between::Space,
            };
            (kind, rest.chars().next()?.len_utf8())
        };
        at += length;
        Some((kind, at))
    })
}

/// Returns where the comma ends that stands between two bytes.
fn comma(text: &str, from: usize, to: usize) -> Option<usize> {
    between(text, from, to).find(|(kind, _)| *kind == Between::Comma).map(|(_, end)| end)
}

/// Returns where the last comment ends between two bytes, or the first byte.
fn after_comments(text: &str, from: usize, to: usize) -> usize {
    let comments = between(text, from, to).filter(|(kind, _)| *kind == Between::Comment);
    comments.last().map_or(from, |(_, end)| end)
}

/// Returns where the last comment ends that begins in the line of a byte, or the byte.
fn end_of_line(text: &str, from: usize, to: usize) -> usize {
    let line = between(text, from, to).take_while(|(kind, _)| *kind != Between::LineBreak);
    line.filter(|(kind, _)| *kind == Between::Comment).last().map_or(from, |(_, end)| end)
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

    /// Whatever may stand between two tokens.
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

    /// Objects, lists and others, with blanks everywhere and commas at some ends.
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

    /// Returns what a text means, without any comment.
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

    /// Does to the meaning what merging does to the text.
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
        /// What was there stays, letter by letter; what is wanted is there; and nothing else has changed.
        #[test]
        fn merging_adds_and_takes_nothing_away(before in blank(), json in text(), after in blank()) {
            let old = format!("{before}{json}{after}");
            if let Ok(new) = merge(&old, &[entry()]) {
                prop_assert!(is_kept(&old, &new), "{}", new);
                prop_assert_eq!(&merge(&new, &[entry()]), &Ok(new.clone()));
                prop_assert_eq!(meaning(&new), oracle(meaning(&old)), "{}", new);
            }
        }

        /// Any text gets an answer.
        #[test]
        fn no_text_is_too_strange(parts in prop::collection::vec(
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
