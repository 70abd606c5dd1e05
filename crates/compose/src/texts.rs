//! Values that must say something in particular.

use minds_diagnostics::did_you_mean;
use minds_document::{Context, Decode, Field, Fields, List, Node, Spanned, Value, decode_list};

use crate::spelled::Spelled;

/// Decodes the value of `key`, where null means the same as nothing.
pub(crate) fn nullable<'d, T>(
    fields: &mut Fields<'_, 'd>,
    key: &'static str,
    decode: impl FnOnce(Node<'d>, &mut Context) -> Option<T>,
) -> Field<T> {
    match fields.entry(key) {
        None => Field::Absent,
        Some(entry) if entry.value.value() == Value::Null => Field::Absent,
        Some(entry) => match decode(entry.value, fields.cx()) {
            Some(value) => Field::Given(Spanned::new(value, entry.value)),
            None => Field::Unreadable(Spanned::new((), entry.value)),
        },
    }
}

/// Decodes a list of texts.
pub(crate) fn list_of_texts(node: Node<'_>, cx: &mut Context) -> Option<List<Spelled>> {
    decode_list(node, cx, "a list of strings", Spelled::decode)
}

/// Reads a text that is one of `words`.
pub(crate) fn one_of<'d>(node: Node<'d>, words: &[&str], cx: &mut Context) -> Option<&'d str> {
    if node.value() == Value::Unknown {
        return None;
    }
    let Some(text) = node.scalar_text() else {
        cx.type_error(node, "a string");
        return None;
    };
    if words.contains(&text) {
        return Some(text);
    }
    let listed: Vec<String> = words.iter().map(|word| format!("`{word}`")).collect();
    let must = match listed.as_slice() {
        [only] => only.clone(),
        _ => format!("one of {}", listed.join(", ")),
    };
    cx.value_error(node, &must, |found| {
        let found = found.primary(node.label().message(format!("`{text}` is not known")));
        found.maybe_help(did_you_mean(&text.to_lowercase(), words.iter().copied()))
    });
    None
}

/// Reads a whole number from nothing to `largest`.
pub(crate) fn whole(node: Node<'_>, largest: i64, cx: &mut Context) -> Option<u64> {
    match node.value() {
        Value::Integer(value) if (0..=largest).contains(&value) => u64::try_from(value).ok(),
        Value::Integer(_) => {
            let must = if largest == i64::MAX {
                "zero or more".to_owned()
            } else {
                format!("between 0 and {largest}")
            };
            cx.value_error(node, &must, |found| found);
            None
        }
        _ => {
            cx.type_error(node, "an integer");
            None
        }
    }
}

/// Reads a whole number without a sign.
pub(crate) fn count(node: Node<'_>, cx: &mut Context) -> Option<u64> {
    whole(node, i64::MAX, cx)
}

/// Reads any number, also one that is no finite one.
pub(crate) fn number(node: Node<'_>, cx: &mut Context) -> Option<f64> {
    match node.value() {
        #[expect(
            clippy::cast_precision_loss,
            reason = "an amount of money; the format knows 64-bit numbers only"
        )]
        Value::Integer(value) => Some(value as f64),
        Value::Float(value) => Some(value),
        _ => {
            cx.type_error(node, "a number");
            None
        }
    }
}
