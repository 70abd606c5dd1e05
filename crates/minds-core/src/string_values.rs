//! Strings with restricted values.

use minds_diagnostics::Diagnostic;
use minds_document::{Context, Decode, Node, Text, Value};

/// Decodes a string that is not blank.
pub(crate) fn decode_non_blank(node: Node<'_>, cx: &mut Context) -> Option<Text> {
    let text = Text::decode(node, cx)?;
    if text.trim().is_empty() {
        cx.value_error(node, "a string that is not blank", |found| found);
        return None;
    }
    Some(text)
}

/// Decodes a string that is one of `words`; `more` can add a better hint than the most similar word.
pub(crate) fn decode_one_of<'d, 'w>(
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
