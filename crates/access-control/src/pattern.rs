//! Directory patterns.

use std::fmt;
use std::ops::Range;

use minds_paths::portable::{is_control, is_directional, is_encapsulated, same};

/// The number of bytes that a pattern may have.
pub const MAX_PATTERN_BYTES: usize = 512;

/// The number of segments that a pattern may have.
pub const MAX_PATTERN_SEGMENTS: usize = 32;

/// A scope of the workspace: every path that the pattern matches, and everything below.
///
/// The crate's page is the manual.
#[derive(Clone, Debug)]
pub struct Pattern {
    written: Box<str>,
    /// Without empty segments, `.`, and `**` at the end; empty for the whole workspace.
    parts: Vec<Part>,
    remarks: Vec<Remark>,
}

/// One segment, as a part of what is written.
#[derive(Clone, Copy, Debug)]
struct Part {
    start: u16,
    end: u16,
    kind: Kind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// `**`
    Any,
    /// Text in which `*` stands for any characters.
    Glob,
    /// Text that stands for itself.
    Literal,
}

/// One segment, with its text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Segment<'p> {
    Any,
    Glob(&'p str),
    Literal(&'p str),
}

/// Something about a valid pattern that is probably not what was meant. Offsets are in bytes of the pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Remark {
    /// A backslash at this offset, which reads as `/`.
    Backslash {
        /// The offset.
        at: usize,
    },
    /// A character at this offset that other tools give a meaning, and that is only itself here.
    Literal {
        /// The offset.
        at: usize,
        /// The character.
        character: char,
    },
    /// The pattern covers the whole workspace, or everything in it.
    WholeWorkspace,
}

/// A directory pattern that could not be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("invalid pattern `{}`: {kind}", .pattern.escape_debug())]
pub struct PatternError {
    pattern: String,
    span: Range<usize>,
    kind: PatternErrorKind,
}

/// The ways in which a pattern can be unreadable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PatternErrorKind {
    /// There is nothing but white space and separators.
    #[error("it is blank")]
    Blank,
    /// A segment is `..`.
    #[error("`..` leads out of the workspace")]
    ParentDirectory,
    /// A control character, or one that changes the direction of text.
    #[error("it has a control character or one that changes the direction of text")]
    HiddenCharacter,
    /// `**` shares a segment with other characters, as in `a**`.
    #[error("`**` must be a whole segment")]
    DoubleStarInSegment,
    /// More than 512 bytes or 32 segments.
    #[error("it has more than {MAX_PATTERN_BYTES} bytes or {MAX_PATTERN_SEGMENTS} segments")]
    TooLong,
}

impl PatternError {
    /// Returns what is wrong.
    pub fn kind(&self) -> PatternErrorKind {
        self.kind
    }

    /// Returns the part of the pattern that is wrong, in bytes.
    pub fn span(&self) -> Range<usize> {
        self.span.clone()
    }
}

impl Pattern {
    /// Reads a pattern.
    ///
    /// # Errors
    ///
    /// Returns what makes it unreadable, and which part of it.
    pub fn parse(pattern: &str) -> Result<Self, PatternError> {
        let error = |kind, span| Err(PatternError { pattern: pattern.to_owned(), span, kind });
        let whole = 0..pattern.len();
        if pattern.len() > MAX_PATTERN_BYTES {
            return error(PatternErrorKind::TooLong, whole);
        }
        let mut remarks = Vec::new();
        // Most patterns hold nothing but what names are usually made of.
        let is_usual =
            |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'/' | b'-' | b'_' | b'.' | b'*');
        if !pattern.bytes().all(is_usual) {
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
        }
        let mut parts: Vec<Part> = Vec::with_capacity(4);
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
            // Behind another `**` one more adds nothing.
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
        let mut read = Self { written: pattern.into(), parts, remarks };
        let is_blank = |segment| matches!(segment, Segment::Literal(text) if text.trim().is_empty());
        if pattern.trim().is_empty() || !read.parts.is_empty() && read.segments().all(is_blank) {
            return error(PatternErrorKind::Blank, whole);
        }
        if read.segments().all(|segment| matches!(segment, Segment::Any | Segment::Glob("*")))
            && read.segments().filter(|segment| *segment != Segment::Any).count() <= 1
        {
            read.remarks.push(Remark::WholeWorkspace);
        }
        Ok(read)
    }

    /// Returns the pattern as it was written.
    pub fn written(&self) -> &str {
        &self.written
    }

    fn segments(&self) -> impl ExactSizeIterator<Item = Segment<'_>> + DoubleEndedIterator {
        self.parts.iter().map(|part| {
            let text = self.written.get(usize::from(part.start)..usize::from(part.end)).unwrap_or_default();
            match part.kind {
                Kind::Any => Segment::Any,
                Kind::Glob => Segment::Glob(text),
                Kind::Literal => Segment::Literal(text),
            }
        })
    }

    /// Returns what is remarkable about the pattern, in the order of its text.
    pub fn remarks(&self) -> &[Remark] {
        &self.remarks
    }

    /// Returns whether every path in the scope of `other` is in the scope of this pattern.
    ///
    /// The answer is exact where `other` has no wildcard. Where it has, `true` is certain, and `false` means that it
    /// could not be shown segment by segment.
    pub fn covers(&self, other: &Self) -> bool {
        covers(self, other)
    }

    /// Returns whether everything in the scope lies in an encapsulated package: a segment of the pattern ends in `.tsk`,
    /// in any letter case.
    pub fn is_encapsulated(&self) -> bool {
        self.segments().any(|segment| match segment {
            Segment::Any => false,
            Segment::Glob(text) | Segment::Literal(text) => is_encapsulated(text),
        })
    }

    /// Returns whether everything in the scope lies at or below the directory `name` of the workspace, in any letter
    /// case.
    pub fn is_at_or_below(&self, name: &str) -> bool {
        matches!(self.segments().next(), Some(Segment::Literal(text)) if same(text, name))
    }
}

impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.parts.is_empty() {
            return f.write_str(".");
        }
        for (index, segment) in self.segments().enumerate() {
            if index > 0 {
                f.write_str("/")?;
            }
            f.write_str(match segment {
                Segment::Any => "**",
                Segment::Glob(text) | Segment::Literal(text) => text,
            })?;
        }
        Ok(())
    }
}

/// Patterns mean the same if they have the same segments, however they are written.
impl PartialEq for Pattern {
    fn eq(&self, other: &Self) -> bool {
        self.segments().eq(other.segments())
    }
}

impl Eq for Pattern {}

fn offset(length: usize) -> u16 {
    u16::try_from(length).unwrap_or(u16::MAX)
}

/// Decides by table, so that the time is the product of both lengths whatever the patterns are.
fn covers(general: &Pattern, special: &Pattern) -> bool {
    // Most scopes lie beside each other, which their first names show.
    if let (Some(Segment::Literal(a)), Some(Segment::Literal(b))) =
        (general.segments().next(), special.segments().next())
        && a != b
    {
        return false;
    }
    // `row[j]`: whether the rest of `general` covers the rest of `special` from `j` on.
    let mut row = vec![true; special.parts.len() + 1];
    for segment in general.segments().rev() {
        let below = row.clone();
        let mut next = match segment {
            Segment::Any => below.last().copied().unwrap_or_default(),
            Segment::Glob(_) | Segment::Literal(_) => false,
        };
        for (at, other) in special.segments().enumerate().rev() {
            let behind = below.get(at + 1).copied().unwrap_or_default();
            let here = match (segment, other) {
                (Segment::Any, _) => below.get(at).copied().unwrap_or_default() || next,
                (Segment::Literal(a), Segment::Literal(b)) => a == b && behind,
                // A special scope with a wildcard reaches further than this segment does.
                (_, Segment::Any) | (Segment::Literal(_), Segment::Glob(_)) => false,
                (Segment::Glob(a), Segment::Literal(b)) => matches_glob(a, b) && behind,
                (Segment::Glob(a), Segment::Glob(b)) => (a == b || a == "*") && behind,
            };
            if let Some(cell) = row.get_mut(at) {
                *cell = here;
            }
            next = here;
        }
        if let Some(cell) = row.last_mut() {
            *cell = matches!(segment, Segment::Any) && below.last().copied().unwrap_or_default();
        }
    }
    row.first().copied().unwrap_or_default()
}

/// Returns whether `text` is what `glob` says, in which `*` stands for any characters.
fn matches_glob(glob: &str, text: &str) -> bool {
    let Some((head, rest)) = glob.split_once('*') else { return glob == text };
    let Some(mut text) = text.strip_prefix(head) else { return false };
    let mut parts: Vec<&str> = rest.split('*').collect();
    let tail = parts.pop().unwrap_or_default();
    for part in parts {
        let Some(at) = text.find(part) else { return false };
        text = text.get(at + part.len()..).unwrap_or_default();
    }
    text.ends_with(tail)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn pattern(text: &str) -> Pattern {
        Pattern::parse(text).expect("pattern is valid")
    }

    #[track_caller]
    fn reads(text: &str, canonical: &str, remarks: &[Remark]) {
        let pattern = pattern(text);
        assert_eq!((pattern.to_string().as_str(), pattern.remarks()), (canonical, remarks), "{text:?}");
    }

    #[track_caller]
    fn refuses(text: &str, kind: PatternErrorKind, span: Range<usize>) {
        let error = Pattern::parse(text).expect_err("pattern is invalid");
        assert_eq!((error.kind(), error.span()), (kind, span), "{text:?}");
    }

    #[test]
    fn spellings_of_one_scope() {
        for text in ["src", "src/", "/src", "./src", "src/.", "src//", "src/**", "src/**/**", "src/**/."] {
            reads(text, "src", &[]);
        }
        reads("**/.git", "**/.git", &[]);
        reads("**/**/x", "**/x", &[]);
        reads("a/**/b/", "a/**/b", &[]);
        reads(".minds/team/**", ".minds/team", &[]);
        reads("docs/draft-*", "docs/draft-*", &[]);
    }

    #[test]
    fn remarks_of_valid_patterns() {
        reads("src\\gen", "src/gen", &[Remark::Backslash { at: 3 }]);
        reads("a?b", "a?b", &[Remark::Literal { at: 1, character: '?' }]);
        reads("!a", "!a", &[Remark::Literal { at: 0, character: '!' }]);
        for text in [".", "./", "/", "**", "//", "**/**"] {
            reads(text, ".", &[Remark::WholeWorkspace]);
        }
        reads("*", "*", &[Remark::WholeWorkspace]);
        reads("**/*", "**/*", &[Remark::WholeWorkspace]);
        reads("*/*", "*/*", &[]);
    }

    #[test]
    fn unreadable_patterns() {
        refuses("", PatternErrorKind::Blank, 0..0);
        refuses("  ", PatternErrorKind::Blank, 0..2);
        refuses("../x", PatternErrorKind::ParentDirectory, 0..2);
        refuses("a/../b", PatternErrorKind::ParentDirectory, 2..4);
        refuses("a\\..", PatternErrorKind::ParentDirectory, 2..4);
        refuses("a**b", PatternErrorKind::DoubleStarInSegment, 0..4);
        refuses("src/***", PatternErrorKind::DoubleStarInSegment, 4..7);
        refuses("a\nb", PatternErrorKind::HiddenCharacter, 1..2);
        refuses("a\u{202e}b", PatternErrorKind::HiddenCharacter, 1..4);
        refuses(&"a".repeat(513), PatternErrorKind::TooLong, 0..513);
        refuses(&vec!["a"; 33].join("/"), PatternErrorKind::TooLong, 0..65);
        assert!(Pattern::parse(&vec!["a"; 32].join("/")).is_ok());
    }

    #[track_caller]
    fn check_covers(general: &str, special: &str, expected: bool) {
        assert_eq!(pattern(general).covers(&pattern(special)), expected, "{general:?} over {special:?}");
    }

    #[test]
    fn a_scope_covers_what_lies_in_it() {
        check_covers("src", "src/gen", true);
        check_covers("src/gen", "src", false);
        check_covers(".", "src", true);
        check_covers("src", ".", false);
        check_covers(".minds/**", ".minds/team.yaml", true);
        check_covers("src", "src-old", false);
        check_covers("*", "src/*/x", true);
        check_covers("**/x", "a/b/x/c", true);
        check_covers("**/x", "x", true);
        check_covers("**/x", "**/x/y", true);
        check_covers("a/**/b", "a/b", true);
        check_covers("a/*/b", "a/**/b", false);
        check_covers("a/draft-*", "a/draft-1", true);
        check_covers("a/draft-*", "a/final-*", false);
        check_covers("a*b*c", "axbxc", true);
        check_covers("a*b*c", "axc", false);
    }

    #[test]
    fn packages_and_areas() {
        for text in ["x.tsk", "a/X.TSK/b", "**/*.tsk", "*.tsk/**", ".tsk"] {
            assert!(pattern(text).is_encapsulated(), "{text}");
        }
        assert!(!pattern("x.tsk.md").is_encapsulated());
        assert!(pattern(".MINDS/x").is_at_or_below(".minds"));
        assert!(!pattern("a/.minds").is_at_or_below(".minds"));
        assert!(!pattern("*/x").is_at_or_below(".minds"));
    }

    /// A second, slow definition of what a pattern's scope is.
    fn matches(pattern: &[&str], path: &[&str]) -> bool {
        match pattern {
            [] => true,
            ["**", rest @ ..] => (0..=path.len()).any(|skip| matches(rest, &path[skip..])),
            [head, rest @ ..] => {
                path.first().is_some_and(|name| glob(head, name)) && matches(rest, &path[1..])
            }
        }
    }

    fn glob(glob: &str, text: &str) -> bool {
        match glob.chars().next() {
            None => text.is_empty(),
            Some('*') => (0..=text.len())
                .any(|skip| self::glob(glob.strip_prefix('*').unwrap(), text.get(skip..).unwrap())),
            Some(c) => {
                text.strip_prefix(c).is_some_and(|rest| self::glob(glob.strip_prefix(c).unwrap(), rest))
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(10_000))]

        /// Whatever is covered is matched: no path lies in the special scope and outside of the general one.
        #[test]
        fn covering_agrees_with_matching(
            general in prop::collection::vec(prop::sample::select(vec!["a", "b", "ab", "*", "**", "a*", "*b"]), 0..4),
            special in prop::collection::vec(prop::sample::select(vec!["a", "b", "ab", "*", "**", "a*", "*b"]), 0..4),
            path in prop::collection::vec(prop::sample::select(vec!["a", "b", "ab", "c"]), 0..6),
        ) {
            let read = |segments: &[&str]| pattern(&if segments.is_empty() { ".".into() } else { segments.join("/") });
            if read(&general).covers(&read(&special)) && matches(&special, &path) {
                prop_assert!(matches(&general, &path));
            }
            // Without wildcards the answer is exact.
            if special.iter().all(|segment| !segment.contains('*')) {
                prop_assert_eq!(read(&general).covers(&read(&special)), matches(&general, &special));
            }
        }

        /// Any text is read or refused, and what is read means the same in its canonical spelling.
        #[test]
        fn the_canonical_spelling_means_the_same(text in "[ab*./\\\\?é ]{0,12}") {
            if let Ok(parsed) = Pattern::parse(&text) {
                let again = pattern(&parsed.to_string());
                prop_assert_eq!(again, parsed);
            }
        }
    }
}
