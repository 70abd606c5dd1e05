//! Values that must say something in particular.

use minds_diagnostics::Diagnostic;
use minds_document::{Context, Decode as _, FiniteNumber, Node, Text, Value};

/// Reads a string that is not blank.
pub(crate) fn not_blank(node: Node<'_>, cx: &mut Context) -> Option<Text> {
    let text = Text::decode(node, cx)?;
    if text.trim().is_empty() {
        cx.value_error(node, "a string that is not blank", |found| found);
        return None;
    }
    Some(text)
}

/// Reads an integer within limits, both included.
pub(crate) fn integer(node: Node<'_>, cx: &mut Context, least: i64, most: i64) -> Option<i64> {
    let expected = match (least, most) {
        (i64::MIN, _) => "an integer".to_owned(),
        (least, i64::MAX) => format!("an integer from {least}"),
        (least, most) => format!("an integer from {least} to {most}"),
    };
    #[expect(clippy::cast_possible_truncation, reason = "what is out of range stays so")]
    let number = match node.value() {
        Value::Integer(number) => number,
        // To a schema such a number is an integer too.
        Value::Float(number) if number.fract() == 0.0 => number as i64,
        _ => {
            cx.type_error(node, &expected);
            return None;
        }
    };
    if !(least..=most).contains(&number) {
        cx.value_error(node, &expected, |found| found);
        return None;
    }
    Some(number)
}

/// Reads a number within limits, both included.
pub(crate) fn number(node: Node<'_>, cx: &mut Context, least: f64, most: f64) -> Option<FiniteNumber> {
    let number = FiniteNumber::decode(node, cx)?;
    if !(least..=most).contains(&number.0) {
        let expected = if most.is_finite() {
            format!("a number from {least} to {most}")
        } else {
            format!("a number from {least}")
        };
        cx.value_error(node, &expected, |found| found);
        return None;
    }
    Some(number)
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
