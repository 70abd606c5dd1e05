//! Values of which only their reader knows what they mean: that program reads each scalar in them as what it says.

use std::collections::BTreeSet;

use minds_document::{Document, Node, Value, limits};

use super::{Found, span};

/// Looks at what adapters are told: whole numbers of more than 64 bits, and keys that say the same.
pub(super) fn check(document: &Document, found: &mut Vec<Found>) {
    let interfaces = document.root().get("interfaces").into_iter().flat_map(Node::items);
    for config in interfaces.filter_map(|interface| interface.get("config")) {
        value(config, 1, found);
    }
}

fn value(node: Node<'_>, depth: usize, found: &mut Vec<Found>) {
    if depth > limits::MAX_DEPTH {
        // Only aliases lead here: what stands in the text itself is never so deep.
        let what = "a value that aliases nest more than 64 levels deep";
        found.push(at(node, what, "write the values where they are needed"));
        return;
    }
    match node.value() {
        Value::Mapping => {
            let mut seen = BTreeSet::new();
            for entry in node.entries() {
                let key = entry.key_node.resolved();
                scalar(key, found);
                if !seen.insert(meaning(key)) {
                    let what = "a key that says the same as one before it";
                    found.push(at(entry.key_node, what, "write one of the two in quotes, or remove it"));
                }
                value(entry.value, depth + 1, found);
            }
        }
        Value::Sequence => node.items().for_each(|item| value(item, depth + 1, found)),
        _ => scalar(node, found),
    }
}

fn at(node: Node<'_>, what: &'static str, help: &'static str) -> Found {
    let range = node.span().range();
    (span(range.start, range.end), what, help)
}

/// A scalar that is a number which that program does not read.
fn scalar(node: Node<'_>, found: &mut Vec<Found>) {
    let Some(text) = node.scalar_text().filter(|_| is_typed(node)) else { return };
    let tag = node.tag().unwrap_or_default();
    let is_tagged = |name: &str| tag.strip_suffix('>').unwrap_or(tag).ends_with(name);
    let fits = if is_tagged("float") {
        !text.contains(['x', 'o']) && !is_beyond_all(node, text)
    } else {
        !is_tagged("int") || !has_leading_zero(text)
    };
    if !fits {
        found.push(at(node, "a number that does not fit its tag", "remove the tag"));
    } else if !is_tagged("float") && whole(text).is_some_and(is_wide) {
        found.push(at(node, "a whole number of more than 64 bits", "write it in quotes, if it is a name"));
    }
}

/// Returns whether a number is written that is too large for any.
fn is_beyond_all(node: Node<'_>, text: &str) -> bool {
    matches!(node.value(), Value::Float(value) if value.is_infinite())
        && text.contains(|c: char| c.is_ascii_digit())
}

/// Returns whether the spelling of a scalar decides its type: it has no quotes, and no tag makes it a text.
fn is_typed(node: Node<'_>) -> bool {
    let first = node.document().source().bytes().get(node.span().range().start);
    if matches!(first, Some(b'"' | b'\'' | b'|' | b'>')) {
        return false;
    }
    // The tag `!` makes a word a text here, but not to that program.
    node.is_plain() || matches!(node.tag(), Some("!" | "!<!>"))
}

/// What a key says, whatever its spelling.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Meaning {
    Null,
    Bool(bool),
    Integer(i128),
    /// The bits of the number.
    Float(u64),
    Text(String),
}

fn meaning(key: Node<'_>) -> Meaning {
    let text = key.scalar_text().unwrap_or_default();
    let as_text = || Meaning::Text(text.to_owned());
    if !key.is_plain() {
        return as_text();
    }
    if let Some(number) = whole(text) {
        return Meaning::Integer(number);
    }
    match key.value() {
        Value::Null => Meaning::Null,
        Value::Bool(value) => Meaning::Bool(value),
        Value::Float(value) if value.is_nan() => Meaning::Float(f64::NAN.to_bits()),
        Value::Float(value) => Meaning::Float((value + 0.0).to_bits()),
        _ => as_text(),
    }
}

/// Reads a whole number as that program does: in base ten without a zero before it, or in hexadecimal, octal or binary
/// digits. What is too large even for 128 bits is the largest number.
fn whole(text: &str) -> Option<i128> {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let (digits, radix) = match unsigned.get(..2) {
        Some("0x") => (unsigned.get(2..)?, 16),
        Some("0o") => (unsigned.get(2..)?, 8),
        Some("0b") => (unsigned.get(2..)?, 2),
        _ => (unsigned, 10),
    };
    if digits.is_empty() || !digits.chars().all(|c| c.is_digit(radix)) || has_leading_zero(text) {
        return None;
    }
    let value = i128::from_str_radix(digits, radix).unwrap_or(i128::MAX);
    Some(if text.starts_with('-') { -value } else { value })
}

/// Returns whether a whole number has more than 64 bits.
fn is_wide(number: i128) -> bool {
    !(i128::from(i64::MIN)..=i128::from(u64::MAX)).contains(&number)
}

fn has_leading_zero(text: &str) -> bool {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    digits.len() > 1 && digits.starts_with('0') && digits.bytes().all(|c| c.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_numbers() {
        for (text, expected) in [
            ("0", Some(0)),
            ("-0", Some(0)),
            ("+7", Some(7)),
            ("0x1F", Some(31)),
            ("-0b11", Some(-3)),
            ("+0o17", Some(15)),
            ("340282366920938463463374607431768211456", Some(i128::MAX)),
            ("", None),
            ("+", None),
            ("0x", None),
            ("0b2", None),
            ("0X1", None),
            ("017", None),
            ("00", None),
            ("1.0", None),
            ("1_0", None),
            ("é", None),
        ] {
            assert_eq!(whole(text), expected, "{text}");
        }
    }

    #[test]
    fn numbers_of_64_bits() {
        for (text, expected) in [
            ("18446744073709551615", false),
            ("-9223372036854775808", false),
            ("18446744073709551616", true),
            ("-9223372036854775809", true),
            ("0xFFFFFFFFFFFFFFFFF", true),
            ("-99999999999999999999999999999999999999999999", true),
        ] {
            assert_eq!(whole(text).map(is_wide), Some(expected), "{text}");
        }
    }
}
