//! Directory patterns.

use std::fmt;
use std::ops::Range;

use minds_paths::WorkspacePath;
use minds_paths::portable::{folds_by_character, is_encapsulated, is_git, same};

use self::parts::Parts;
use crate::glob;

mod covers;
mod parse;
mod parts;

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
    parts: Parts,
    remarks: Box<[Remark]>,
    /// The pattern with each name folded; none if that is the pattern itself, as it is for most.
    folded: Option<Box<Self>>,
}

/// One segment, as a part of what is written.
#[derive(Clone, Copy, Debug)]
struct Part {
    start: u16,
    end: u16,
    kind: Kind,
}

impl Part {
    const NOTHING: Self = Self { start: 0, end: 0, kind: Kind::Literal };

    fn length(self) -> u16 {
        self.end - self.start
    }
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Segment<'p> {
    /// `**`
    Any,
    /// Text in which `*` stands for any characters.
    Glob(&'p str),
    /// Text that stands for itself.
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
        parse::parse(pattern)
    }

    /// Returns the pattern as it was written.
    pub fn written(&self) -> &str {
        &self.written
    }

    /// Returns the segments; none for the whole workspace. No `**` stands at the end, and no two follow each other.
    pub(crate) fn segments(&self) -> impl ExactSizeIterator<Item = Segment<'_>> + DoubleEndedIterator {
        self.parts.iter().map(|part| {
            let text = self.text(*part);
            match part.kind {
                Kind::Any => Segment::Any,
                Kind::Glob => Segment::Glob(text),
                Kind::Literal => Segment::Literal(text),
            }
        })
    }

    fn text(&self, part: Part) -> &str {
        self.written.get(usize::from(part.start)..usize::from(part.end)).unwrap_or_default()
    }

    /// Returns what is remarkable about the pattern, in the order of its text.
    pub fn remarks(&self) -> &[Remark] {
        &self.remarks
    }

    /// Returns whether `path` is in the scope: the pattern matches it, or a directory that holds it.
    ///
    /// Takes time in the length of the path times that of the pattern at most. Who asks many patterns about many paths
    /// asks a [`Policy`](crate::Policy).
    pub fn matches(&self, path: &WorkspacePath) -> bool {
        let mut states = self.start();
        for name in path.segments() {
            if self.is_end(states) {
                return true;
            }
            states = self.step(states, name);
        }
        self.is_end(states)
    }

    /// Returns whether a file system that ignores letter case or normalises names could take `path` for something in the
    /// scope: the pattern matches it, or matches it once both are folded
    /// ([`fold`](minds_paths::portable::fold)). This is how entries of deny lists match.
    pub fn matches_folded(&self, path: &WorkspacePath) -> bool {
        self.folded().matches(&path.folded()) || needs_exact_match(path) && self.matches(path)
    }

    /// Returns the pattern with each name folded.
    pub(crate) fn folded(&self) -> &Self {
        self.folded.as_deref().unwrap_or(self)
    }

    /// Returns the states in which a path starts. Bit `n` is set if the segments so far are what the first `n` parts say;
    /// there are 32 parts at most.
    pub(crate) fn start(&self) -> u64 {
        self.with_skipped(1)
    }

    /// Returns the states behind one more segment.
    pub(crate) fn step(&self, states: u64, name: &str) -> u64 {
        let mut next = 0;
        for (at, segment) in self.live(states) {
            next |= match segment {
                Segment::Any => 1 << at,
                Segment::Glob(text) if glob::matches(text, name) => 2 << at,
                Segment::Literal(text) if text == name => 2 << at,
                Segment::Glob(_) | Segment::Literal(_) => 0,
            };
        }
        self.with_skipped(next)
    }

    /// Returns whether the segments so far are in the scope, and so is everything below.
    pub(crate) fn is_end(&self, states: u64) -> bool {
        states >> self.parts.len() & 1 != 0
    }

    /// Returns the parts that states stand before, each with its place.
    pub(crate) fn live(&self, states: u64) -> impl Iterator<Item = (usize, Segment<'_>)> {
        self.segments().enumerate().filter(move |(at, _)| states >> at & 1 != 0)
    }

    /// Adds the states behind each `**`, which stands for no segment as well.
    fn with_skipped(&self, states: u64) -> u64 {
        let any = self.parts.iter().enumerate().filter(|(_, part)| part.kind == Kind::Any);
        any.fold(states, |states, (at, _)| states | (states & 1 << at) << 1)
    }

    /// Returns whether every path in the scope of `other` is in the scope of this pattern.
    ///
    /// The answer is exact where `other` has no wildcard. Where it has, `true` is certain, and `false` means that it
    /// could not be shown segment by segment.
    pub fn covers(&self, other: &Self) -> bool {
        covers::covers(self, other)
    }

    /// Returns whether every path that `other` matches, exactly, is one that this pattern matches when folded. As with
    /// [`covers`](Self::covers), `true` is certain.
    pub fn covers_folded(&self, other: &Self) -> bool {
        self.covers(other) || self.folded().covers(other.folded())
    }

    /// Returns whether the root of the workspace itself is in the scope.
    pub(crate) fn covers_root(&self) -> bool {
        self.parts.is_empty()
    }

    /// Returns a path that the pattern covers, as a pattern: `**` stands for nothing in it, and `*` for a character.
    pub(crate) fn sample(&self) -> Option<Self> {
        let parts = self.segments().filter(|segment| *segment != Segment::Any);
        let names = parts.map(|segment| match segment {
            Segment::Any => String::new(),
            Segment::Glob(text) | Segment::Literal(text) => text.replace('*', "~"),
        });
        Self::parse(&names.collect::<Vec<_>>().join("/")).ok()
    }

    /// Returns what it costs to compare the pattern with another one, in about ten nanoseconds: the product of the weights
    /// of both.
    pub fn weight(&self) -> usize {
        if self.is_literal() { 1 } else { self.parts.len() + self.written.len() / 8 }
    }

    /// Returns whether the pattern has no wildcard, so that it names one path.
    pub fn is_literal(&self) -> bool {
        self.parts.iter().all(|part| part.kind == Kind::Literal)
    }

    /// Returns whether everything in the scope lies in an encapsulated package: a segment of the pattern ends in `.tsk`,
    /// in any letter case.
    pub fn is_encapsulated(&self) -> bool {
        self.parts.iter().any(|part| part.kind != Kind::Any && is_encapsulated(self.text(*part)))
    }

    /// Returns whether everything in the scope lies at or below a `.git`, of any spelling that git takes for it.
    pub fn is_in_git(&self) -> bool {
        self.segments().any(|segment| matches!(segment, Segment::Literal(text) if is_git(text)))
    }

    /// Appends the canonical spelling.
    pub(crate) fn write_to(&self, text: &mut String) {
        if self.parts.is_empty() {
            text.push('.');
        }
        for (index, segment) in self.segments().enumerate() {
            if index > 0 {
                text.push('/');
            }
            text.push_str(match segment {
                Segment::Any => "**",
                Segment::Glob(part) | Segment::Literal(part) => part,
            });
        }
    }

    /// Returns whether everything in the scope lies at or below the directory `name` of the workspace, in any letter
    /// case.
    pub fn is_at_or_below(&self, name: &str) -> bool {
        matches!(self.segments().next(), Some(Segment::Literal(text)) if same(text, name))
    }
}

/// Returns whether a pattern can match `path` as it is and not once both are folded: normalisation joins characters that
/// the pattern has in different parts, as those of a decomposed `é` that `e*` matches.
pub(crate) fn needs_exact_match(path: &WorkspacePath) -> bool {
    !path.as_str().is_ascii() && !path.segments().all(folds_by_character)
}

/// Shows the canonical spelling.
impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = String::new();
        self.write_to(&mut text);
        f.write_str(&text)
    }
}

/// Patterns mean the same if they have the same segments, however they are written.
impl PartialEq for Pattern {
    fn eq(&self, other: &Self) -> bool {
        self.segments().eq(other.segments())
    }
}

impl Eq for Pattern {}

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

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(10_000))]

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
