//! Texts that must say something in particular.

use minds_diagnostics::{Diagnostic, did_you_mean};
use minds_document::{Context, Decode, Node, Text, Value};

/// Reads a string that is not blank.
pub(crate) fn not_blank(node: Node<'_>, cx: &mut Context) -> Option<Text> {
    let text = Text::decode(node, cx)?;
    if text.trim().is_empty() {
        cx.value_error(node, "a string that is not blank", |found| found);
        return None;
    }
    Some(text)
}

/// Reads a string that is one of `words`; `more` may know better than the nearest word what was meant.
pub(crate) fn one_of<'d, 'w>(
    node: Node<'d>,
    words: impl Iterator<Item = &'w str> + Clone,
    cx: &mut Context,
    more: impl FnOnce(Diagnostic, &str) -> Diagnostic,
) -> Option<&'d str> {
    let Value::String(text) = node.value() else {
        cx.type_error(node, "a string");
        return None;
    };
    if words.clone().any(|word| word == text) {
        return Some(text);
    }
    let listed: Vec<String> = words.clone().map(|word| format!("`{word}`")).collect();
    cx.value_error(node, &format!("one of {}", listed.join(", ")), |found| {
        more(found.maybe_help(did_you_mean(text, words)), text)
    });
    None
}
