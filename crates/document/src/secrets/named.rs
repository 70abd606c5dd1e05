//! Values of keys that name secrets, in texts: `apiKey: …`, `"token": "…"`, `DB_PASSWORD=…`, `--password …`.
//!
//! The text is read as it is, in one pass and without a parser, so a broken file shows no more than a right one.

use std::ops::Range;

use super::placeholder::distinct;
use super::scan::Scan;
use super::{Naming, Reading};

/// How long a word must be to look random where its key alone says too little.
const MIN_RANDOM: usize = 8;
/// How long a word must be to be taken for a secret in a text for readers.
const MIN_IN_PROSE: usize = 6;
/// How long the name of a user before a host is at least if it is a token.
pub(super) const MIN_USER_TOKEN: usize = 16;

/// Returns what of a text is the value of a key that names a secret, in its order and without overlaps.
pub fn named(text: &str, reading: Reading) -> Vec<Range<usize>> {
    let mut scan = Scan::new(text, reading);
    let mut at = 0;
    while at < text.len() {
        let end =
            text.get(at..).and_then(|rest| rest.find('\n')).map_or(text.len(), |length| at + length + 1);
        // A value may reach into the lines after it.
        at = scan.line(at, end).max(end);
    }
    in_order(scan.found)
}

/// Returns ranges in their order, those that overlap as one.
pub(super) fn in_order(mut ranges: Vec<Range<usize>>) -> Vec<Range<usize>> {
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

/// Returns whether a single value under a key of this kind is a secret.
pub(super) fn is_secret_word(word: &str, naming: Naming, reading: Reading) -> bool {
    if is_reference(word) {
        return false;
    }
    match (naming, reading) {
        (Naming::Ordinary, _) => false,
        (Naming::Variable, _) => !is_variable(word) && is_random(word, MIN_RANDOM),
        (Naming::Secret, Reading::Settings) => true,
        (Naming::Scalar, Reading::Settings) => !word.contains(' '),
        (Naming::Weak, Reading::Settings) => is_random(word, MIN_RANDOM),
        (Naming::Secret, _) => is_random(word, MIN_IN_PROSE),
        (Naming::Scalar | Naming::Weak, _) => is_random(word, MIN_USER_TOKEN),
    }
}

/// Returns whether a value says where a secret is, or that there is none.
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

/// Returns whether a word has letters and digits, as made-up secrets have.
pub(super) fn is_random(word: &str, least: usize) -> bool {
    word.len() >= least
        && !word.contains(char::is_whitespace)
        && !word.contains(['`', '<', '(', '*'])
        && word.bytes().any(|byte| byte.is_ascii_digit())
        && word.bytes().any(|byte| byte.is_ascii_alphabetic())
        && distinct(word) >= MIN_IN_PROSE.min(least)
}

#[cfg(test)]
#[path = "named_tests.rs"]
mod tests;
