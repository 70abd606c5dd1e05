//! Values that must say something in particular.

use minds_document::{Context, Decode, Field, Fields, List, Node, Spanned, Text, Value, decode_list};

use crate::spelled::Spelled;

/// Decodes the value of `key`, where null means the same as nothing.
pub(crate) fn nullable<'d, T>(
    fields: &mut Fields<'_, 'd>,
    key: &'static str,
    decode: impl FnOnce(Node<'d>, &mut Context) -> Option<T>,
) -> Field<T> {
    unless(fields, key, |value| value.value() == Value::Null, decode)
}

/// Decodes the value of `key`, where no text at all means the same as no key. A null that is written is of another type than
/// the value: the program that first had the format refuses it here.
pub(crate) fn unless_empty<'d, T>(
    fields: &mut Fields<'_, 'd>,
    key: &'static str,
    decode: impl FnOnce(Node<'d>, &mut Context) -> Option<T>,
) -> Field<T> {
    unless(fields, key, is_empty, decode)
}

/// Decodes the value of `key`, where some values mean the same as no key.
fn unless<'d, T>(
    fields: &mut Fields<'_, 'd>,
    key: &'static str,
    is_absent: fn(Node<'_>) -> bool,
    decode: impl FnOnce(Node<'d>, &mut Context) -> Option<T>,
) -> Field<T> {
    match fields.entry(key) {
        None => Field::Absent,
        Some(entry) if is_absent(entry.value) => Field::Absent,
        Some(entry) => match decode(entry.value, fields.cx()) {
            Some(value) => Field::Given(Spanned::new(value, entry.value)),
            None => Field::Unreadable(Spanned::new((), entry.value)),
        },
    }
}

/// Returns whether nothing is written where a value could be.
pub(crate) fn is_empty(node: Node<'_>) -> bool {
    node.value() == Value::Null && node.scalar_text() == Some("")
}

/// Reports a value with the tag `!` where several types are possible: to other readers it has a type of its own.
///
/// Returns the value if it has none.
pub(crate) fn untagged<'d>(node: Node<'d>, cx: &mut Context) -> Option<Node<'d>> {
    if node.tag().is_none_or(|tag| !matches!(tag, "!" | "!<!>")) {
        return Some(node);
    }
    cx.value_error(node, "without the tag `!`", |found| {
        found.help("remove the tag; if it shall be a text, write it in quotes")
    });
    None
}

/// Reads a text where other types are possible too: a word that other readers of YAML take for a number is none.
pub(crate) fn word_or_path(node: Node<'_>, cx: &mut Context) -> Option<String> {
    let node = untagged(node, cx)?;
    if let Value::String(text) = node.value()
        && node.is_plain()
        && is_number_elsewhere(text)
    {
        cx.value_error(node, "in quotes", |found| {
            found.help(format!("write `\"{text}\"`; without quotes it is a number to other readers"))
        });
        return None;
    }
    Text::decode(node, cx)
}

/// Returns whether a word is a whole number to readers that know more ways to write one than YAML 1.2: in binary, or with a
/// sign before another base than ten.
fn is_number_elsewhere(word: &str) -> bool {
    let unsigned = word.strip_prefix(['+', '-']).unwrap_or(word);
    let digits = |prefix: &str, radix: u32| {
        unsigned
            .strip_prefix(prefix)
            .is_some_and(|digits| !digits.is_empty() && digits.chars().all(|c| c.is_digit(radix)))
    };
    digits("0x", 16) || digits("0o", 8) || digits("0b", 2)
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
    cx.choice_error(node, &text.to_lowercase(), words.iter().copied(), |found| {
        found.primary(node.label().message(format!("`{text}` is not known")))
    });
    None
}

/// Reads a whole number from nothing to `largest`.
pub(crate) fn whole(node: Node<'_>, largest: i64, cx: &mut Context) -> Option<u64> {
    let text = node.scalar_text().unwrap_or_default();
    match node.value() {
        Value::Integer(value) if (0..=largest).contains(&value) && has_odd_digits(text) => {
            cx.value_error(node, "a number without a zero or a minus before it", |found| {
                found.help(format!("write `{value}`; as it is, it is a text to other readers"))
            });
            None
        }
        Value::Integer(value) if (0..=largest).contains(&value) => u64::try_from(value).ok(),
        Value::Integer(_) => {
            let must = if largest == i64::MAX {
                "an integer from 0".to_owned()
            } else {
                format!("an integer from 0 to {largest}")
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

/// Returns whether a whole number is written in a way in which not every reader takes it for one.
fn has_odd_digits(text: &str) -> bool {
    let digits = text.strip_prefix('+').unwrap_or(text);
    digits.starts_with('-')
        || (digits.len() > 1 && digits.bytes().all(|c| c.is_ascii_digit()) && digits.starts_with('0'))
}

/// The largest number that has 32 bits.
pub(crate) const MAX_32_BITS: i64 = 0xFFFF_FFFF;

/// Reads a whole number without a sign that has 32 bits.
pub(crate) fn count_in_32_bits(node: Node<'_>, cx: &mut Context) -> Option<u64> {
    whole(node, MAX_32_BITS, cx)
}

/// Reads a whole number without a sign.
pub(crate) fn count(node: Node<'_>, cx: &mut Context) -> Option<u64> {
    whole(node, i64::MAX, cx)
}

/// Reads any number, also one that is no finite one, in digits of base ten.
pub(crate) fn number(node: Node<'_>, cx: &mut Context) -> Option<f64> {
    let text = node.scalar_text().unwrap_or_default();
    let has_digits = text.contains(|c: char| c.is_ascii_digit());
    match node.value() {
        Value::Integer(_) if text.contains(['x', 'o']) => {
            cx.value_error(node, "a number in digits of base ten", |found| found);
            None
        }
        Value::Float(value) if value.is_infinite() && has_digits => {
            cx.value_error(node, "a number of 64 bits", |found| found);
            None
        }
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
