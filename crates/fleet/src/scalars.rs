//! Values with a restricted syntax.

use minds_diagnostics::Diagnostic;
use minds_document::json_schema::{self, Schema, SchemaGenerator};
use minds_document::{Context, Decode as _, Node, Text, Value};

/// Reads a string that is not blank.
pub(crate) fn not_blank(node: Node<'_>, cx: &mut Context) -> Option<Text> {
    let text = Text::decode(node, cx)?;
    if text.trim().is_empty() {
        cx.value_error(node, "a string that is not blank", |found| found);
        return None;
    }
    Some(text)
}

/// Returns the schema of a string that is not blank.
pub(crate) fn not_blank_schema(_: &mut SchemaGenerator) -> Schema {
    json_schema::not_blank()
}

/// Reads a mapping of which only matters that it is one.
pub(crate) fn mapping(node: Node<'_>, cx: &mut Context) -> Option<()> {
    if node.value() != Value::Mapping {
        cx.type_error(node, "a mapping");
        return None;
    }
    for entry in node.entries() {
        cx.is_merge_key(&entry);
    }
    Some(())
}

/// Reads a string that is one of `words`; `more` may know better than the nearest word what was meant.
pub(crate) fn one_of<'d>(
    node: Node<'d>,
    words: &[&str],
    cx: &mut Context,
    more: impl FnOnce(Diagnostic, &str) -> Diagnostic,
) -> Option<&'d str> {
    let Value::String(text) = node.value() else {
        cx.type_error(node, "a string");
        return None;
    };
    if words.contains(&text) {
        return Some(text);
    }
    cx.choice_error(node, text, words.iter().copied(), |found| more(found, text));
    None
}
