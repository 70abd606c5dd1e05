//! Values of keys that name secrets: `apiKey: …`, `"token": "…"`, `DB_PASSWORD=…`, `--password …`.
//!
//! The text is scanned in one pass and without a parser, so a broken file reveals no more than a valid one.

use std::ops::Range;

use super::placeholder::distinct;
use super::scan::Scan;
use super::{KeyClass, TextKind};

/// The minimum length of a word that looks random, for keys that are ambiguous.
const MIN_RANDOM: usize = 8;
/// The minimum length of a word that is treated as a secret in prose.
const MIN_IN_PROSE: usize = 6;
/// The minimum length of a user name in front of a host that is treated as a token.
pub(super) const MIN_USER_TOKEN: usize = 16;

/// Returns the values of keys that name a secret, in order and without overlaps.
pub fn find_named_values(text: &str, reading: TextKind) -> Vec<Range<usize>> {
    let mut scan = Scan::new(text, reading);
    let mut at = 0;
    while at < text.len() {
        let end =
            text.get(at..).and_then(|rest| rest.find('\n')).map_or(text.len(), |length| at + length + 1);
        // A value may extend into the following lines.
        at = scan.line(at, end).max(end);
    }
    in_order(scan.found)
}

/// Returns ranges in order, with overlapping ones merged.
pub fn in_order(mut ranges: Vec<Range<usize>>) -> Vec<Range<usize>> {
    ranges.sort_by_key(|range| range.start);
    let mut merged: Vec<Range<usize>> = Vec::with_capacity(ranges.len());
    for range in ranges {
        match merged.last_mut() {
            Some(last) if range.start < last.end => last.end = last.end.max(range.end),
            _ => merged.push(range),
        }
    }
    merged
}

/// Returns whether a single value of a key of this kind is a secret.
pub(super) fn is_secret_word(word: &str, naming: KeyClass, reading: TextKind) -> bool {
    if is_reference(word) {
        return false;
    }
    match (naming, reading) {
        (KeyClass::Ordinary, _) => false,
        (KeyClass::Variable, _) => !is_variable(word) && is_random(word, MIN_RANDOM),
        (KeyClass::Secret, TextKind::Settings) => true,
        (KeyClass::Scalar, TextKind::Settings) => !word.contains(' '),
        (KeyClass::Weak, TextKind::Settings) => is_random(word, MIN_RANDOM),
        (KeyClass::Secret, _) => is_random(word, MIN_IN_PROSE),
        (KeyClass::Scalar | KeyClass::Weak, _) => is_random(word, MIN_USER_TOKEN),
    }
}

/// Returns whether a value states where a secret is, or that there is none.
fn is_reference(word: &str) -> bool {
    let word = word.trim();
    let name = word.strip_prefix('$').unwrap_or_default();
    let is_variable_reference =
        !name.is_empty() && name.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'_');
    word.is_empty()
        || is_variable_reference
        || (["${", "{env:", "{file:"].iter().any(|open| word.starts_with(open)) && word.ends_with('}'))
        || (word.starts_with("{{") && word.ends_with("}}"))
        || (word.starts_with('<') && word.ends_with('>'))
        || word.chars().all(|c| "*….•".contains(c))
        || ["null", "~", "true", "false", "none", "yes", "no", "on", "off"]
            .iter()
            .any(|own| word.eq_ignore_ascii_case(own))
}

/// Returns whether a word is the name of an environment variable.
fn is_variable(word: &str) -> bool {
    word.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_')
}

/// Returns whether a word has letters and digits, as generated secrets have.
pub(super) fn is_random(word: &str, least: usize) -> bool {
    word.len() >= least
        && !word.contains(char::is_whitespace)
        && !word.contains(['`', '<', '(', '*'])
        && word.bytes().any(|byte| byte.is_ascii_digit())
        && word.bytes().any(|byte| byte.is_ascii_alphabetic())
        && distinct(word) >= MIN_IN_PROSE.min(least)
}

#[cfg(test)]
#[path = "named_values_tests.rs"]
mod tests;
