//! Parses patterns.

use minds_vfs::portable::{fold, is_control, is_directional};

use super::parts::{PartList, Parts};
use super::{
    Kind, MAX_PATTERN_BYTES, MAX_PATTERN_SEGMENTS, Part, Pattern, PatternError, PatternErrorKind, Remark,
    Segment,
};

/// Parses any pattern.
pub(super) fn parse(pattern: &str) -> Result<Pattern, PatternError> {
    let mut read = parse_simple(pattern).map_or_else(|| parse_general(pattern), Ok)?;
    read.folded = fold_segments(&read);
    Ok(read)
}

/// Returns the pattern with each name folded; `None` if folding does not change it.
fn fold_segments(pattern: &Pattern) -> Option<Box<Pattern>> {
    if pattern.written.bytes().all(|byte| byte.is_ascii() && !byte.is_ascii_uppercase()) {
        return None;
    }
    let mut text = String::with_capacity(pattern.written.len());
    let mut is_changed = false;
    let parts: Vec<Part> = pattern
        .parts
        .iter()
        .map(|part| {
            let name = pattern.text(*part);
            // No character folds to `*` or to a separator, so the kinds of the parts do not change. Folding can remove an ignorable
            // character between two `*`, however.
            let mut folded = fold(name);
            while part.kind == Kind::Glob && folded.contains("**") {
                folded = folded.replace("**", "*");
            }
            is_changed |= folded != name;
            let start = offset(text.len());
            text.push_str(&folded);
            Part { start, end: offset(text.len()), kind: part.kind }
        })
        .collect();
    is_changed.then(|| {
        Box::new(Pattern { written: text.into(), parts: parts.into(), remarks: Box::default(), folded: None })
    })
}

/// Parses a path of few ASCII names, optionally followed by `/**`, in one pass. Nearly all patterns have this form. Returns
/// `None` for all other patterns, including those that are invalid or have remarks.
fn parse_simple(pattern: &str) -> Option<Pattern> {
    let names = pattern.strip_suffix("/**").unwrap_or(pattern);
    if pattern.len() > MAX_PATTERN_BYTES {
        return None;
    }
    let mut parts = PartList::new();
    let mut start = 0;
    // Whether the segment so far is empty or consists of dots.
    let mut is_dots = true;
    for (at, byte) in (0..).zip(names.bytes()) {
        match byte {
            b'/' if is_dots => return None,
            b'/' => {
                parts.push(Part { start, end: at, kind: Kind::Literal })?;
                start = at + 1;
                is_dots = true;
            }
            b'.' => {}
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' => is_dots = false,
            _ => return None,
        }
    }
    if is_dots {
        return None;
    }
    parts.push(Part { start, end: offset(names.len()), kind: Kind::Literal })?;
    Some(Pattern { written: pattern.into(), parts: Parts::Few(parts), remarks: Box::default(), folded: None })
}

fn parse_general(pattern: &str) -> Result<Pattern, PatternError> {
    let error = |kind, span| Err(PatternError { pattern: pattern.to_owned(), span, kind });
    let whole = 0..pattern.len();
    if pattern.len() > MAX_PATTERN_BYTES {
        return error(PatternErrorKind::TooLong, whole);
    }
    let mut remarks = Vec::new();
    for (at, character) in pattern.char_indices() {
        match character {
            '\\' => remarks.push(Remark::Backslash { at }),
            '?' | '[' | ']' | '{' | '}' | '!' => remarks.push(Remark::Literal { at, character }),
            c if is_control(c) || is_directional(c) => {
                return error(PatternErrorKind::HiddenCharacter, at..at + c.len_utf8());
            }
            _ => {}
        }
    }
    let mut parts: Vec<Part> = Vec::new();
    let mut start = 0;
    for text in pattern.as_bytes().split(|byte| matches!(byte, b'/' | b'\\')) {
        let span = start..start + text.len();
        start = span.end + 1;
        let kind = match text {
            b"" | b"." => continue,
            b".." => return error(PatternErrorKind::ParentDirectory, span),
            b"**" => Kind::Any,
            _ if !text.contains(&b'*') => Kind::Literal,
            _ if text.windows(2).any(|pair| pair == b"**") => {
                return error(PatternErrorKind::DoubleStarInSegment, span);
            }
            _ => Kind::Glob,
        };
        // A `**` after another one has no effect.
        if kind != Kind::Any || parts.last().is_none_or(|last| last.kind != Kind::Any) {
            parts.push(Part { start: offset(span.start), end: offset(span.end), kind });
        }
        if parts.len() > MAX_PATTERN_SEGMENTS {
            return error(PatternErrorKind::TooLong, whole);
        }
    }
    while parts.last().is_some_and(|last| last.kind == Kind::Any) {
        parts.pop();
    }
    let mut read =
        Pattern { written: pattern.into(), parts: parts.into(), remarks: Box::default(), folded: None };
    let is_blank = |segment| matches!(segment, Segment::Literal(text) if text.trim().is_empty());
    if pattern.trim().is_empty() || !read.parts.is_empty() && read.segments().all(is_blank) {
        return error(PatternErrorKind::Blank, whole);
    }
    if read.segments().all(|segment| matches!(segment, Segment::Any | Segment::Glob("*")))
        && read.segments().filter(|segment| *segment != Segment::Any).count() <= 1
    {
        remarks.push(Remark::WholeWorkspace);
    }
    read.remarks = remarks.into();
    Ok(read)
}

fn offset(length: usize) -> u16 {
    u16::try_from(length).unwrap_or(u16::MAX)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[track_caller]
    fn check(text: &str, is_plain: bool) {
        let plain = parse_simple(text);
        assert_eq!(plain.is_some(), is_plain, "{text:?}");
        if let Some(plain) = plain {
            let expected = parse_general(text).expect("the pattern is valid");
            assert_eq!(format!("{plain:?}"), format!("{expected:?}"), "{text:?}");
        }
    }

    #[test]
    fn common_patterns_are_parsed_in_one_pass() {
        for text in ["src", ".minds/**", "src/gen/a.b/c-d_e", "..a", ".a.", "a/..b/c/d", "a/**"] {
            check(text, true);
        }
        for text in [
            "",
            ".",
            "..",
            "...",
            "/**",
            "**",
            "a/",
            "/a",
            "a//b",
            "a/./b",
            "a/..",
            "a b",
            "a\\b",
            "a*",
            "é",
            "**/a",
            "a/b/c/d/e",
        ] {
            check(text, false);
        }
        for (length, is_plain) in [(512, true), (513, false)] {
            check(&"a".repeat(length), is_plain);
        }
        check(&format!("{}/**", "a".repeat(509)), true);
        check(&format!("{}/**", "a".repeat(510)), false);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(10_000))]

        /// The single-pass parser agrees with the general one.
        #[test]
        fn both_parsers_agree(text in "[aB1_./-]{0,12}(/\\*\\*)?") {
            if let Some(plain) = parse_simple(&text) {
                prop_assert_eq!(format!("{:?}", plain), format!("{:?}", parse_general(&text).expect("the pattern is valid")));
            }
        }
    }
}
