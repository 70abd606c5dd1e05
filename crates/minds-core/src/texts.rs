//! Texts that must say something in particular.

use minds_diagnostics::Diagnostic;
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
    cx.choice_error(node, text, words, |found| more(found, text));
    None
}
