//! Values that several files have in common: their decoders and JSON Schemas.

use minds_document::json_schema::{
    Keywords as _, Schema, SchemaGenerator, integer, json_schema, string_values,
};
use minds_document::{Context, Decode, Node, Text, Value};

use crate::raw_scalar::RawScalar;

/// The maximum unsigned 32-bit integer.
pub(crate) const MAX_32_BITS: i64 = 0xFFFF_FFFF;

/// Returns whether the value is null.
pub(crate) fn is_null(node: Node<'_>) -> bool {
    node.value() == Value::Null
}

/// Returns whether the value is empty, as after `key:`. An explicit null is not: the reference implementation of the
/// format rejects it where an empty value means the same as a missing key.
pub(crate) fn is_empty(node: Node<'_>) -> bool {
    is_null(node) && node.scalar_text() == Some("")
}

/// Decodes the version of the format.
pub(crate) fn version(node: Node<'_>, cx: &mut Context) -> Option<u64> {
    if let Value::Integer(_) = node.value() {
        return decode_integer(node, MAX_32_BITS, cx);
    }
    cx.type_error_with(node, "an integer", |found| found.help("write `version: 2`"));
    None
}

pub(crate) fn version_schema(_: &mut SchemaGenerator) -> Schema {
    integer(0, Some(MAX_32_BITS))
}

/// Decodes a string that must not be blank.
pub(crate) fn not_blank(node: Node<'_>, cx: &mut Context) -> Option<RawScalar> {
    let text = RawScalar::decode(node, cx)?;
    if text.trim().is_empty() {
        cx.value_error(node, "a string that is not blank", |found| found);
        return None;
    }
    Some(text)
}

pub(crate) fn not_blank_schema(generator: &mut SchemaGenerator) -> Schema {
    generator.subschema_for::<RawScalar>().pattern("\\S", "must not be blank")
}

/// Reports a value with the tag `!` where several types are possible: other YAML parsers give it a different
/// type.
///
/// Returns the value if it does not have this tag.
pub(crate) fn reject_bare_tag<'d>(node: Node<'d>, cx: &mut Context) -> Option<Node<'d>> {
    if node.tag().is_none_or(|tag| !matches!(tag, "!" | "!<!>")) {
        return Some(node);
    }
    cx.value_error(node, "a value without the tag `!`", |found| {
        found.help("remove the tag, and put the value in quotes if it is a string")
    });
    None
}

/// Decodes a string where other types are possible too. Plain scalars that other YAML parsers read as numbers
/// are reported.
pub(crate) fn decode_unambiguous_string(node: Node<'_>, cx: &mut Context) -> Option<String> {
    let node = reject_bare_tag(node, cx)?;
    if let Value::String(text) = node.value()
        && node.is_plain()
        && is_number_elsewhere(text)
    {
        cx.value_error(node, "in quotes", |found| {
            found.help(format!("write `\"{text}\"`; without quotes, other YAML parsers read a number"))
        });
        return None;
    }
    Text::decode(node, cx)
}

/// Returns whether `word` is an integer to parsers that accept more notations than YAML 1.2: binary numbers,
/// and hexadecimal or octal numbers with a sign.
fn is_number_elsewhere(word: &str) -> bool {
    let unsigned = word.strip_prefix(['+', '-']).unwrap_or(word);
    let digits = |prefix: &str, radix: u32| {
        unsigned
            .strip_prefix(prefix)
            .is_some_and(|digits| !digits.is_empty() && digits.chars().all(|c| c.is_digit(radix)))
    };
    digits("0x", 16) || digits("0o", 8) || digits("0b", 2)
}

/// Returns a decoder of strings that must be one of `keywords`.
pub(crate) fn keyword(
    keywords: &'static [&'static str],
) -> impl FnOnce(Node<'_>, &mut Context) -> Option<RawScalar> {
    move |node, cx| {
        if node.value() == Value::Unknown {
            return None;
        }
        let Some(text) = node.scalar_text() else {
            cx.type_error(node, "a string");
            return None;
        };
        if keywords.contains(&text) {
            return Some(RawScalar(text.to_owned()));
        }
        cx.choice_error(node, &text.to_lowercase(), keywords.iter().copied(), |found| {
            found.primary(node.label().message(format!("unknown value `{text}`")))
        });
        None
    }
}

pub(crate) fn keyword_schema(
    keywords: &'static [&'static str],
) -> impl FnOnce(&mut SchemaGenerator) -> Schema {
    move |_| string_values(keywords.iter().map(|keyword| (*keyword, "")))
}

/// Decodes an integer that is not negative.
pub(crate) fn count(node: Node<'_>, cx: &mut Context) -> Option<u64> {
    decode_integer(node, i64::MAX, cx)
}

pub(crate) fn count_schema(_: &mut SchemaGenerator) -> Schema {
    integer(0, None)
}

/// Returns a decoder of integers from 0 to `max`.
pub(crate) fn integer_up_to(max: i64) -> impl FnOnce(Node<'_>, &mut Context) -> Option<u64> {
    move |node, cx| decode_integer(node, max, cx)
}

pub(crate) fn up_to_schema(max: i64) -> impl FnOnce(&mut SchemaGenerator) -> Schema {
    move |_| integer(0, Some(max))
}

/// Decodes an integer from 0 to `max`.
fn decode_integer(node: Node<'_>, max: i64, cx: &mut Context) -> Option<u64> {
    let text = node.scalar_text().unwrap_or_default();
    match node.value() {
        Value::Integer(value) if (0..=max).contains(&value) && has_odd_digits(text) => {
            cx.value_error(node, "a number without a leading zero or minus sign", |found| {
                found.help(format!("write `{value}`; other YAML parsers read it as a string"))
            });
            None
        }
        Value::Integer(value) if (0..=max).contains(&value) => u64::try_from(value).ok(),
        Value::Integer(_) => {
            let must = if max == i64::MAX {
                "an integer from 0".to_owned()
            } else {
                format!("an integer from 0 to {max}")
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

/// Returns whether `text` is an integer only to some YAML parsers.
fn has_odd_digits(text: &str) -> bool {
    let digits = text.strip_prefix('+').unwrap_or(text);
    digits.starts_with('-')
        || (digits.len() > 1 && digits.bytes().all(|c| c.is_ascii_digit()) && digits.starts_with('0'))
}

/// Decodes a decimal number, which may be infinite or NaN.
pub(crate) fn number(node: Node<'_>, cx: &mut Context) -> Option<f64> {
    let text = node.scalar_text().unwrap_or_default();
    let has_digits = text.contains(|c: char| c.is_ascii_digit());
    match node.value() {
        Value::Integer(_) if text.contains(['x', 'o']) => {
            cx.value_error(node, "a decimal number", |found| found);
            None
        }
        Value::Float(value) if value.is_infinite() && has_digits => {
            cx.value_error(node, "a 64-bit number", |found| found);
            None
        }
        #[expect(
            clippy::cast_precision_loss,
            reason = "an amount of money; the format has 64-bit numbers only"
        )]
        Value::Integer(value) => Some(value as f64),
        Value::Float(value) => Some(value),
        _ => {
            cx.type_error(node, "a number");
            None
        }
    }
}

pub(crate) fn number_schema(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": "number" })
}
