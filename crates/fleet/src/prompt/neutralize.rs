//! Neutralizing text that looks like a marker.

use std::borrow::Cow;

use super::blocks::WORD;

/// The replacement for [`WORD`].
const NEUTRAL: &str = "ateam-protect ";

/// Returns whether the text contains something that looks like a marker.
pub(super) fn looks_like_marker(text: &str) -> bool {
    find(text).is_some()
}

/// Neutralizes everything that looks like a marker, in any letter case: the colon after each `ateam-protect` becomes a space.
pub fn neutralize(text: &str) -> Cow<'_, str> {
    if find(text).is_none() {
        return Cow::Borrowed(text);
    }
    let mut clean = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = find(rest) {
        clean.push_str(rest.get(..at).unwrap_or_default());
        clean.push_str(NEUTRAL);
        rest = rest.get(at + WORD.len()..).unwrap_or_default();
    }
    clean.push_str(rest);
    Cow::Owned(clean)
}

/// Returns the first position of [`WORD`], ignoring letter case.
fn find(text: &str) -> Option<usize> {
    // The word is ASCII, so matches are at character boundaries.
    let first = |byte: &u8| byte.eq_ignore_ascii_case(&b'a');
    let bytes = text.as_bytes();
    let mut from = 0;
    while let Some(at) = bytes.get(from..)?.iter().position(first) {
        let start = from + at;
        if bytes.get(start..start + WORD.len())?.eq_ignore_ascii_case(WORD.as_bytes()) {
            return Some(start);
        }
        from = start + 1;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &str) {
        assert_eq!(neutralize(text), expected);
        assert_eq!(neutralize(expected), expected);
    }

    #[test]
    fn everything_that_looks_like_a_marker_is_neutralized() {
        check("", "");
        check("aäateam-protec", "aäateam-protec");
        check("<!-- ateam-protect:start:x -->", "<!-- ateam-protect start:x -->");
        check("aateam-protect:ATEAM-Protect:", "aateam-protect ateam-protect ");
        check("éateam-protect:é", "éateam-protect é");
    }
}
