//! Other spellings of a path.

use unicode_normalization::UnicodeNormalization as _;

use super::filesystem::{IGNORED, fold};
use crate::random::Random;

/// Pairs of strings that some file system equates.
const EQUIVALENTS: [(&str, &str); 6] = [
    ("s", "\u{17f}"),
    ("k", "\u{212a}"),
    ("\u{df}", "ss"),
    ("\u{df}", "\u{1e9e}"),
    ("ss", "\u{df}"),
    ("ss", "\u{17f}S"),
];

/// Returns a path in another letter case, in another normal form, or with invisible characters.
pub(super) fn other_spelling(path: &str, random: &mut Random) -> String {
    let mut spelled = path.to_owned();
    for (from, to) in EQUIVALENTS {
        if random.is_true_in(25) {
            spelled = spelled.replacen(from, to, 1 + random.next_below(2));
        }
    }
    let share = *random.pick(&[0, 20, 50, 100]);
    spelled = spelled
        .chars()
        .flat_map(|c| {
            let other: Vec<char> =
                if c.is_lowercase() { c.to_uppercase().collect() } else { c.to_lowercase().collect() };
            if random.is_true_in(share) { other } else { vec![c] }
        })
        .collect();
    spelled = match random.next_below(10) {
        0..3 => spelled.nfd().collect(),
        3..5 => spelled.nfc().collect(),
        _ => spelled,
    };
    if random.is_true_in(20) {
        let places: Vec<usize> = spelled.char_indices().map(|(at, _)| at).collect();
        spelled.insert(*random.pick(&places), *random.pick(&IGNORED));
    }
    debug_assert_eq!(
        path.split('/').map(fold).collect::<Vec<_>>(),
        spelled.split('/').map(fold).collect::<Vec<_>>()
    );
    spelled
}
