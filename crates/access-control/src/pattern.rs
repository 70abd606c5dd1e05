//! Directory patterns.

use std::fmt;
use std::ops::Range;

use minds_vfs::WorkspacePath;
use minds_vfs::portable::{folds_by_character, is_encapsulated, is_git, is_same_name};

pub(crate) use self::common_path::common_path;
use self::parts::Parts;
use crate::glob;

mod common_path;
mod covers;
mod parse;
mod parts;

/// The maximum length of a pattern in bytes.
pub const MAX_PATTERN_BYTES: usize = 512;

/// The maximum number of segments of a pattern.
pub const MAX_PATTERN_SEGMENTS: usize = 32;

/// A scope of the workspace: every path that the pattern matches, and everything below it.
///
/// The [crate documentation](crate#patterns) describes the syntax.
#[derive(Clone, Debug)]
pub struct Pattern {
    written: Box<str>,
    /// The segments without empty ones, `.` and a final `**`; empty for the whole workspace.
    parts: Parts,
    remarks: Box<[Remark]>,
    /// The pattern with each name folded; `None` if folding does not change it, as for most patterns.
    folded: Option<Box<Self>>,
}

/// One segment, as a byte range of the written pattern.
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
pub enum Segment<'p> {
    /// `**`
    Any,
    /// Text in which `*` stands for any characters.
    Glob(&'p str),
    /// Text that stands for itself.
    Literal(&'p str),
}

/// A property of a valid pattern that its author probably did not intend. Offsets are in bytes of the pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Remark {
    /// A backslash, which is read as `/`.
    Backslash {
        /// The byte offset.
        at: usize,
    },
    /// A character that is an operator in other tools, but literal here.
    Literal {
        /// The byte offset.
        at: usize,
        /// The character.
        character: char,
    },
    /// The pattern covers the whole workspace, or every entry in it.
    WholeWorkspace,
}

/// An invalid directory pattern.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("invalid pattern `{}`: {kind}", .pattern.escape_debug())]
pub struct PatternError {
    pattern: String,
    span: Range<usize>,
    kind: PatternErrorKind,
}

/// Why a pattern is invalid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PatternErrorKind {
    /// It contains nothing but white space and separators.
    #[error("it is blank")]
    Blank,
    /// A segment is `..`.
    #[error("`..` escapes the workspace")]
    ParentDirectory,
    /// It contains a control character or a bidirectional formatting character.
    #[error("it contains a control character or a bidirectional formatting character")]
    HiddenCharacter,
    /// `**` is not a whole segment, as in `a**`.
    #[error("`**` must be a whole segment")]
    DoubleStarInSegment,
    /// It is longer than 512 bytes or 32 segments.
    #[error("it is longer than {MAX_PATTERN_BYTES} bytes or {MAX_PATTERN_SEGMENTS} segments")]
    TooLong,
}

impl PatternError {
    /// Returns why the pattern is invalid.
    pub fn kind(&self) -> PatternErrorKind {
        self.kind
    }

    /// Returns the byte range of the invalid part.
    pub fn span(&self) -> Range<usize> {
        self.span.clone()
    }
}

impl Pattern {
    /// Parses a pattern.
    ///
    /// # Errors
    ///
    /// Returns why the pattern is invalid, and which part of it.
    pub fn parse(pattern: &str) -> Result<Self, PatternError> {
        parse::parse(pattern)
    }

    /// Returns the pattern as written.
    pub fn as_written(&self) -> &str {
        &self.written
    }

    /// Returns the segments; none for the whole workspace. The last one is not `**`, and no two `**` are adjacent.
    pub fn segments(&self) -> impl ExactSizeIterator<Item = Segment<'_>> + DoubleEndedIterator {
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

    /// Returns the remarks about the pattern, in the order of its text.
    pub fn remarks(&self) -> &[Remark] {
        &self.remarks
    }

    /// Returns whether `path` is in the scope: the pattern matches it or one of its ancestors.
    ///
    /// Takes time at most proportional to the product of both lengths. To match many patterns against many paths, use a
    /// [`Policy`](crate::Policy).
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

    /// Returns whether `path` is in the scope on a file system that ignores letter case or normalizes names: the pattern
    /// matches it, or matches it after both are folded ([`fold`](minds_vfs::portable::fold)). Entries of deny lists match
    /// this way.
    pub fn matches_folded(&self, path: &WorkspacePath) -> bool {
        self.folded_pattern().matches(&path.to_folded()) || needs_exact_match(path) && self.matches(path)
    }

    /// Returns whether the scope contains `directory` or any path below it.
    pub(crate) fn reaches_below(&self, directory: &WorkspacePath) -> bool {
        let mut states = self.start();
        for name in directory.segments() {
            if self.is_end(states) {
                return true;
            }
            states = self.step(states, name);
        }
        states != 0
    }

    /// Returns the pattern with each name folded.
    pub(crate) fn folded_pattern(&self) -> &Self {
        self.folded.as_deref().unwrap_or(self)
    }

    /// Returns the initial states. Bit `n` is set if the first `n` segments of the pattern match the path so far; there are
    /// at most 32 segments.
    pub(crate) fn start(&self) -> u64 {
        self.epsilon_closure(1)
    }

    /// Returns the states after one more segment.
    pub(crate) fn step(&self, states: u64, name: &str) -> u64 {
        let mut next = 0;
        for (at, segment) in self.active_segments(states) {
            next |= match segment {
                Segment::Any => 1 << at,
                Segment::Glob(text) if glob::matches(text, name) => 2 << at,
                Segment::Literal(text) if text == name => 2 << at,
                Segment::Glob(_) | Segment::Literal(_) => 0,
            };
        }
        self.epsilon_closure(next)
    }

    /// Returns whether the path so far, and therefore everything below it, is in the scope.
    pub(crate) fn is_end(&self, states: u64) -> bool {
        states >> self.parts.len() & 1 != 0
    }

    /// Returns the segments that the states can match next, each with its index.
    pub(crate) fn active_segments(&self, states: u64) -> impl Iterator<Item = (usize, Segment<'_>)> {
        self.segments().enumerate().filter(move |(at, _)| states >> at & 1 != 0)
    }

    /// Adds the states after each `**`, which also matches no segment.
    fn epsilon_closure(&self, states: u64) -> u64 {
        let any = self.parts.iter().enumerate().filter(|(_, part)| part.kind == Kind::Any);
        any.fold(states, |states, (at, _)| states | (states & 1 << at) << 1)
    }

    /// Returns whether every path in the scope of `other` is in the scope of this pattern.
    ///
    /// The result is exact if `other` has no wildcard. Otherwise `true` is certain, and `false` means that the inclusion could
    /// not be proved segment by segment.
    pub fn covers(&self, other: &Self) -> bool {
        covers::covers(self, other)
    }

    /// Returns whether this pattern, when folded, matches every path that `other` matches exactly. As with
    /// [`covers`](Self::covers), `true` is certain.
    pub fn covers_folded(&self, other: &Self) -> bool {
        self.covers(other) || self.folded_pattern().covers(other.folded_pattern())
    }

    /// Returns whether the root of the workspace itself is in the scope.
    pub(crate) fn covers_root(&self) -> bool {
        self.parts.is_empty()
    }

    /// Returns a path that the pattern covers, as a pattern without wildcards: `**` is removed, and `*` replaced by a
    /// character.
    pub(crate) fn sample(&self) -> Option<Self> {
        let parts = self.segments().filter(|segment| *segment != Segment::Any);
        let names = parts.map(|segment| match segment {
            Segment::Any => String::new(),
            Segment::Glob(text) | Segment::Literal(text) => text.replace('*', "~"),
        });
        Self::parse(&names.collect::<Vec<_>>().join("/")).ok()
    }

    /// Returns the weight of the pattern. Comparing two patterns takes about the product of their weights, in units of ten
    /// nanoseconds.
    pub fn weight(&self) -> usize {
        if self.is_literal() { 1 } else { self.parts.len() + self.written.len() / 8 }
    }

    /// Returns whether the pattern has no wildcard, so that it matches a single path.
    pub fn is_literal(&self) -> bool {
        self.parts.iter().all(|part| part.kind == Kind::Literal)
    }

    /// Returns whether the whole scope is inside encapsulated packages: a segment of the pattern ends in `.tsk`, in any
    /// letter case.
    pub fn is_encapsulated(&self) -> bool {
        self.parts.iter().any(|part| part.kind != Kind::Any && is_encapsulated(self.text(*part)))
    }

    /// Returns whether the whole scope is at or below a `.git`, in any spelling that git treats as `.git`.
    pub fn is_in_git(&self) -> bool {
        self.segments().any(|segment| matches!(segment, Segment::Literal(text) if is_git(text)))
    }

    /// Appends the canonical form of the pattern.
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

    /// Returns whether a path in the scope can begin with the segment `name`. A pattern that begins with a wildcard is
    /// not examined: it may.
    pub fn may_begin_with(&self, name: &str) -> bool {
        !matches!(self.segments().next(), Some(Segment::Literal(text)) if text != name)
    }

    /// Returns whether the whole scope is at or below the directory `name` at the root of the workspace, in any letter case.
    pub fn is_at_or_below(&self, name: &str) -> bool {
        matches!(self.segments().next(), Some(Segment::Literal(text)) if is_same_name(text, name))
    }
}

/// Returns whether a pattern can match `path` exactly, but not after both are folded: normalization can join characters that
/// match different parts of the pattern, such as a decomposed `é` that `e*` matches.
pub(crate) fn needs_exact_match(path: &WorkspacePath) -> bool {
    !path.as_str().is_ascii() && !path.segments().all(folds_by_character)
}

/// Writes the canonical form.
impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = String::new();
        self.write_to(&mut text);
        f.write_str(&text)
    }
}

/// Patterns are equal if their segments are equal, regardless of how they are written.
impl PartialEq for Pattern {
    fn eq(&self, other: &Self) -> bool {
        self.segments().eq(other.segments())
    }
}

impl Eq for Pattern {}

#[cfg(test)]
mod tests;
