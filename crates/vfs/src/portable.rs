//! Portable names: valid and with the same meaning on every system.

use std::borrow::Cow;

pub use minds_text::{is_control, is_directional};
use minds_text::{is_ignorable, is_invisible, is_joiner, is_variation_selector};
use unicase::UniCase;
use unicode_normalization::{UnicodeNormalization, is_nfc};

use crate::MAX_SEGMENT_BYTES;

/// The reason why a name is not portable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NameProblem {
    /// The name is empty.
    #[error("it is empty")]
    Empty,
    /// The name is `.` or `..`, which have another meaning.
    #[error("`.` and `..` name other directories")]
    Dots,
    /// A slash or backslash separates two names.
    #[error("`{0}` separates directories")]
    Separator(char),
    /// A control character.
    #[error("it has a control character")]
    Control,
    /// A character that changes the direction of text, ends a line, has no width or is not displayed: two names would
    /// look the same.
    #[error("it has an invisible character")]
    Hidden,
    /// A character that Windows forbids.
    #[error("`{0}` is forbidden in file names on Windows")]
    Forbidden(char),
    /// Windows removes these at the end of a name.
    #[error("it ends with a dot or a space, which Windows removes")]
    TrailingDotOrSpace,
    /// A device on Windows, with or without an extension.
    #[error("it names a device on Windows")]
    Device,
    /// Some file systems would change its bytes.
    #[error("it is not in Unicode normalization form C")]
    NotNormal,
    /// File systems do not support it.
    #[error("it is longer than {MAX_SEGMENT_BYTES} bytes")]
    TooLong,
}

/// Checks that `name` can be the name of a file or directory on every system, with the same meaning.
///
/// # Errors
///
/// Returns the first problem found.
pub fn check(name: &str) -> Result<(), NameProblem> {
    match name {
        "" => return Err(NameProblem::Empty),
        "." | ".." => return Err(NameProblem::Dots),
        _ => {}
    }
    for c in name.chars() {
        match c {
            'a'..='z' | 'A'..='Z' | '0'..='9' | '-' | '_' => {}
            '/' | '\\' => return Err(NameProblem::Separator(c)),
            ':' | '*' | '?' | '"' | '<' | '>' | '|' => return Err(NameProblem::Forbidden(c)),
            c if is_control(c) => return Err(NameProblem::Control),
            c if is_directional(c) => return Err(NameProblem::Hidden),
            _ => {}
        }
    }
    if !name.is_ascii() {
        expect_visible(name)?;
    }
    if name.ends_with(['.', ' ']) {
        return Err(NameProblem::TrailingDotOrSpace);
    }
    if name.len() > MAX_SEGMENT_BYTES {
        return Err(NameProblem::TooLong);
    }
    if is_device(name) {
        return Err(NameProblem::Device);
    }
    if !name.is_ascii() && !is_nfc(name) {
        return Err(NameProblem::NotNormal);
    }
    Ok(())
}

/// Returns the folded form of a name, which is the same for all names that some system treats as equal: without
/// characters that are not displayed and that some file systems ignore, normalized and case-folded. A name of only
/// such characters keeps them.
pub fn fold(name: &str) -> String {
    if name.is_ascii() {
        return name.to_ascii_lowercase();
    }
    let normal: String = without_ignored(name).nfc().collect();
    UniCase::unicode(normal).to_folded_case().nfc().collect()
}

/// Returns whether [`fold`] has the same effect on `name` in any context, so that a name can be folded in parts. It
/// has not where normalization joins or reorders characters, as in a decomposed `e\u{301}`.
pub fn folds_by_character(name: &str) -> bool {
    name.is_ascii() || {
        let name = without_ignored(name);
        is_nfc(&name) && is_nfc(&UniCase::unicode(&*name).to_folded_case())
    }
}

/// Returns a name without the characters that some file systems ignore (ext4 with case folding: the default ignorable
/// characters of Unicode, HFS+: some of them); a name of only such characters stays as it is.
fn without_ignored(name: &str) -> Cow<'_, str> {
    if !name.contains(is_ignorable) {
        return Cow::Borrowed(name);
    }
    let rest: String = name.chars().filter(|c| !is_ignorable(*c)).collect();
    if rest.is_empty() { Cow::Borrowed(name) } else { Cow::Owned(rest) }
}

/// Returns whether some system treats both names as equal.
pub fn is_same_name(a: &str, b: &str) -> bool {
    if a.is_ascii() && b.is_ascii() { a.eq_ignore_ascii_case(b) } else { fold(a) == fold(b) }
}

/// Returns a string that is equal for names that look alike, according to Unicode Technical Standard 39.
pub fn skeleton(name: &str) -> String {
    unicode_security::skeleton(name).collect()
}

/// Returns whether a segment is the name of an encapsulated package: it ends with `.tsk` in any letter case.
pub fn is_encapsulated(segment: &str) -> bool {
    // For most names the last byte is enough.
    if !matches!(segment.as_bytes().last(), Some(b'k' | b'K' | 0x80..)) {
        return false;
    }
    let mut last = segment.chars().rev().filter(|c| !is_ignorable(*c));
    // These are all characters that fold to these letters; a test compares with `fold`.
    matches!(last.next(), Some('k' | 'K' | '\u{212a}'))
        && matches!(last.next(), Some('s' | 'S' | '\u{17f}'))
        && matches!(last.next(), Some('t' | 'T'))
        && last.next() == Some('.')
}

/// Returns whether git treats a segment as its own directory or file `.git` on some system: in any letter case, with
/// trailing dots and spaces and as a stream or a short name (`git~1`) on Windows, and with characters that some file
/// system ignores. These are the names that git refuses in a tree (`core.protectNTFS`, `core.protectHFS`).
pub fn is_git(segment: &str) -> bool {
    // For most names the first byte is enough.
    if !matches!(segment.as_bytes().first(), Some(b'.' | b'g' | b'G' | 0x80..)) {
        return false;
    }
    let visible = without_ignored(segment);
    let stem = visible.split(':').next().unwrap_or_default().trim_end_matches(['.', ' ']);
    stem.eq_ignore_ascii_case(".git") || stem.eq_ignore_ascii_case("git~1")
}

/// Checks that all characters of a name are displayed, so that no other name looks like it.
///
/// Joiners and variation selectors are needed in some scripts and in emoji, so they are accepted where they affect a
/// character outside of ASCII.
fn expect_visible(name: &str) -> Result<(), NameProblem> {
    let mut before = None;
    let mut rest = name.chars().peekable();
    let mut shows_any = false;
    while let Some(c) = rest.next() {
        let behind = rest.peek().copied();
        let is_allowed = if is_joiner(c) {
            before.is_some_and(is_joinable) && behind.is_some_and(is_joinable)
        } else if is_variation_selector(c) {
            before.is_some_and(is_joinable) || behind == Some(KEYCAP)
        } else {
            !is_invisible(c)
        };
        if !is_allowed {
            return Err(NameProblem::Hidden);
        }
        shows_any |= !c.is_whitespace() && c != BLANK_PATTERN;
        // A selector belongs to the preceding character.
        if !is_variation_selector(c) {
            before = Some(c);
        }
    }
    if shows_any { Ok(()) } else { Err(NameProblem::Hidden) }
}

/// COMBINING ENCLOSING KEYCAP, which makes an emoji of an ASCII digit and a variation selector.
const KEYCAP: char = '\u{20e3}';
/// BRAILLE PATTERN BLANK, which is not white space and displays nothing.
const BLANK_PATTERN: char = '\u{2800}';

fn is_joinable(c: char) -> bool {
    !c.is_ascii() && !c.is_whitespace() && !is_joiner(c) && !is_invisible(c)
}

fn is_device(name: &str) -> bool {
    const DEVICES: [&str; 6] = ["CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$"];
    const NUMBERED: [&str; 2] = ["COM", "LPT"];
    // Hardly any name begins like one of them.
    if !name.starts_with(['C', 'c', 'P', 'p', 'A', 'a', 'N', 'n', 'L', 'l']) {
        return false;
    }
    let stem = name.split('.').next().unwrap_or(name).trim_end();
    if DEVICES.iter().any(|device| device.eq_ignore_ascii_case(stem)) {
        return true;
    }
    stem.split_at_checked(3).is_some_and(|(device, number)| {
        let mut digits = number.chars();
        NUMBERED.iter().any(|numbered| numbered.eq_ignore_ascii_case(device))
            && matches!((digits.next(), digits.next()), (Some('0'..='9' | '¹' | '²' | '³'), None))
    })
}

#[cfg(test)]
mod tests;
