//! The `config` values of adapters: that program converts every scalar in them to its YAML type.

use std::collections::BTreeSet;

use minds_document::{Document, Node, Value, limits};

use super::{Issue, span};

/// Checks the `config` values for integers of more than 64 bits and for keys with the same value.
pub(super) fn check(document: &Document, issues: &mut Vec<Issue>) {
    let interfaces = document.root().get("interfaces").into_iter().flat_map(Node::items);
    for config in interfaces.filter_map(|interface| interface.get("config")) {
        check_value(config, 1, issues);
    }
}

fn check_value(node: Node<'_>, depth: usize, issues: &mut Vec<Issue>) {
    if depth > limits::MAX_DEPTH {
        // Only aliases can reach this depth; the parser limits the depth of the file itself.
        let what = "a value nested more than 64 levels deep through aliases";
        issues.push(at(node, what, "write the values out instead of using aliases"));
        return;
    }
    match node.value() {
        Value::Mapping => {
            let mut seen = BTreeSet::new();
            for entry in node.entries() {
                let key = entry.key_node.resolve_alias();
                check_scalar(key, issues);
                if !seen.insert(key_meaning(key)) {
                    let what = "a key with the same value as an earlier key";
                    issues.push(at(entry.key_node, what, "put one of the two in quotes, or remove it"));
                }
                check_value(entry.value, depth + 1, issues);
            }
        }
        Value::Sequence => node.items().for_each(|item| check_value(item, depth + 1, issues)),
        _ => check_scalar(node, issues),
    }
}

fn at(node: Node<'_>, what: &'static str, help: &'static str) -> Issue {
    let range = node.span().range();
    (span(range.start, range.end), what, help)
}

/// Reports a number that the program cannot read.
fn check_scalar(node: Node<'_>, issues: &mut Vec<Issue>) {
    let Some(text) = node.scalar_text().filter(|_| is_typed(node)) else { return };
    let tag = node.tag().unwrap_or_default();
    let is_tagged = |name: &str| tag.strip_suffix('>').unwrap_or(tag).ends_with(name);
    let fits = if is_tagged("float") {
        !text.contains(['x', 'o']) && !is_beyond_all(node, text)
    } else {
        !is_tagged("int") || !has_leading_zero(text)
    };
    if !fits {
        issues.push(at(node, "a number that does not fit its tag", "remove the tag"));
    } else if !is_tagged("float") && parse_integer(text).is_some_and(is_wide) {
        issues.push(at(node, "an integer of more than 64 bits", "write it in quotes if it is a name"));
    }
}

/// Returns whether `text` is a number that is too large for a 64-bit float.
fn is_beyond_all(node: Node<'_>, text: &str) -> bool {
    matches!(node.value(), Value::Float(value) if value.is_infinite())
        && text.contains(|c: char| c.is_ascii_digit())
}

/// Returns whether the type of a scalar depends on its spelling: it has no quotes and no tag that makes it a
/// string.
fn is_typed(node: Node<'_>) -> bool {
    let first = node.document().source().bytes().get(node.span().range().start);
    if matches!(first, Some(b'"' | b'\'' | b'|' | b'>')) {
        return false;
    }
    // With the tag `!` a plain scalar is a string here, but not to that program.
    node.is_plain() || matches!(node.tag(), Some("!" | "!<!>"))
}

/// The value of a key, independent of its spelling.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
enum KeyMeaning {
    Null,
    Bool(bool),
    Integer(i128),
    /// The bits of the float.
    Float(u64),
    Text(String),
}

fn key_meaning(key: Node<'_>) -> KeyMeaning {
    let text = key.scalar_text().unwrap_or_default();
    let as_text = || KeyMeaning::Text(text.to_owned());
    if !key.is_plain() {
        return as_text();
    }
    if let Some(number) = parse_integer(text) {
        return KeyMeaning::Integer(number);
    }
    match key.value() {
        Value::Null => KeyMeaning::Null,
        Value::Bool(value) => KeyMeaning::Bool(value),
        Value::Float(value) if value.is_nan() => KeyMeaning::Float(f64::NAN.to_bits()),
        Value::Float(value) => KeyMeaning::Float((value + 0.0).to_bits()),
        _ => as_text(),
    }
}

/// Parses an integer as that program does: decimal without a leading zero, hexadecimal, octal or binary. A
/// value of more than 128 bits becomes the largest number.
fn parse_integer(text: &str) -> Option<i128> {
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

/// Returns whether an integer has more than 64 bits.
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
    fn integers_are_parsed_in_four_bases() {
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
            assert_eq!(parse_integer(text), expected, "{text}");
        }
    }

    #[test]
    fn integers_of_more_than_64_bits_are_wide() {
        for (text, expected) in [
            ("18446744073709551615", false),
            ("-9223372036854775808", false),
            ("18446744073709551616", true),
            ("-9223372036854775809", true),
            ("0xFFFFFFFFFFFFFFFFF", true),
            ("-99999999999999999999999999999999999999999999", true),
        ] {
            assert_eq!(parse_integer(text).map(is_wide), Some(expected), "{text}");
        }
    }
}
