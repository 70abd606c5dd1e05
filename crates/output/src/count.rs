//! Numbers with their nouns.

/// Writes a number with a noun whose plural ends in `s`.
pub fn count(number: usize, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}
