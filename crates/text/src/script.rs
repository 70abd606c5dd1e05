//! Scripts and symbols that need characters that are not displayed. Unicode blocks are precise enough here: what is
//! wrongly taken for one of these scripts is at most not reported beside a letter of the same block.

use crate::character::is_ignorable;

/// Returns whether `c` belongs to a script whose letters join, or form clusters, so that joiners have an effect.
pub(crate) fn is_joining(c: char) -> bool {
    !is_ignorable(c)
        && matches!(
            c,
            '\u{0600}'..='\u{109f}'
                | '\u{1780}'..='\u{18af}'
                | '\u{1900}'..='\u{1cff}'
                | '\u{a840}'..='\u{a87f}'
                | '\u{a8e0}'..='\u{a8ff}'
                | '\u{a980}'..='\u{a9ff}'
                | '\u{aa60}'..='\u{aa7f}'
                | '\u{fb50}'..='\u{fdff}'
                | '\u{fe70}'..='\u{fefc}'
                | '\u{10a00}'..='\u{10fff}'
                | '\u{11000}'..='\u{11fff}'
                | '\u{1e900}'..='\u{1e95f}'
        )
}

/// Returns whether `c` belongs to a script that is written from right to left.
pub(crate) fn is_right_to_left(c: char) -> bool {
    !is_ignorable(c)
        && matches!(
            c,
            '\u{0590}'..='\u{08ff}'
                | '\u{fb1d}'..='\u{fdff}'
                | '\u{fe70}'..='\u{fefc}'
                | '\u{10800}'..='\u{10fff}'
                | '\u{1e800}'..='\u{1efff}'
        )
}

/// Returns whether `c` belongs to a script that is written without spaces between words.
pub(crate) fn is_without_spaces(c: char) -> bool {
    !is_ignorable(c)
        && matches!(
            c,
            '\u{0e00}'..='\u{0fff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}' | '\u{1950}'..='\u{1aaf}'
        )
}

pub(crate) fn is_mongolian(c: char) -> bool {
    matches!(c, '\u{1820}'..='\u{18aa}')
}

/// Returns whether `c` is a conjoining letter of Hangul, beside which a filler keeps the place of a missing one.
pub(crate) fn is_jamo(c: char) -> bool {
    !is_ignorable(c)
        && matches!(c, '\u{1100}'..='\u{11ff}' | '\u{a960}'..='\u{a97c}' | '\u{d7b0}'..='\u{d7fb}')
}

pub(crate) fn is_hieroglyph(c: char) -> bool {
    !is_ignorable(c) && matches!(c, '\u{13000}'..='\u{143fa}')
}

pub(crate) fn is_ideograph(c: char) -> bool {
    matches!(c, '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}')
}

/// Returns whether `c` is a symbol that may be an emoji.
pub(crate) fn is_pictograph(c: char) -> bool {
    matches!(
        c,
        '\u{a9}' | '\u{ae}' | '\u{203c}' | '\u{2049}' | '\u{2100}'..='\u{2bff}' | '\u{3030}' | '\u{303d}'
            | '\u{3297}' | '\u{3299}' | '\u{1f000}'..='\u{1faff}'
    )
}

/// Returns whether `c` is displayed as text or as an emoji, depending on a following selector. Digits are displayed as an emoji in keycaps.
pub(crate) fn is_emoji_base(c: char) -> bool {
    is_pictograph(c) || matches!(c, '0'..='9' | '#' | '*')
}

/// Returns whether `c` has standardized variants other than those of emoji: ideographs, mathematical symbols, punctuation
/// of wide scripts, and letters of Myanmar and Phags-pa.
pub(crate) fn has_variants(c: char) -> bool {
    is_ideograph(c)
        || is_hieroglyph(c)
        || matches!(
            c,
            '0' | '\u{1000}'..='\u{109f}'
                | '\u{2018}'..='\u{201d}'
                | '\u{2200}'..='\u{22ff}'
                | '\u{2a00}'..='\u{2aff}'
                | '\u{3001}'
                | '\u{3002}'
                | '\u{a840}'..='\u{a87f}'
                | '\u{ff01}'..='\u{ff60}'
        )
}
