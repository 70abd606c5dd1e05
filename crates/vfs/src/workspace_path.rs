//! Paths inside a root.

use std::borrow::Cow;
use std::fmt;

use minds_diagnostics::Completeness;

use crate::portable::{NameProblem, check, fold, is_control, is_directional};

/// The maximum number of bytes of a path to create.
pub const MAX_PATH_BYTES: usize = 4_096;

/// The maximum number of bytes of one segment of a path to create.
pub const MAX_SEGMENT_BYTES: usize = 255;

/// The maximum number of segments of a path to create.
pub const MAX_SEGMENTS: usize = 64;

/// A path inside the workspace, or inside another open root.
///
/// It is always relative, `/`-separated, and free of `.`, `..` and empty segments, of backslashes, and of characters
/// that are not displayed, so no value of this type can lexically refer to a file outside of the root. The empty path
/// is the root itself. Symbolic links are handled by `minds-fs`.
///
/// A path may have names that some system refuses, and any length, so that existing files can be checked and read.
/// [`WorkspacePath::check_portable`] determines whether a path is suitable for a new file.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct WorkspacePath(String);

impl Completeness for WorkspacePath {}

/// The error for a string that is not a path inside a root.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("invalid path `{}`: {kind}", .path.escape_debug())]
pub struct PathError {
    path: String,
    kind: PathErrorKind,
}

/// The ways in which a path can be invalid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PathErrorKind {
    /// The path starts with `/`.
    #[error("it must be relative")]
    Absolute,
    /// The path has `..` segments that leave the root, even if it returns.
    #[error("it escapes the workspace")]
    LeavesRoot,
    /// A segment is `.` or `..`.
    #[error("`.` and `..` are not allowed")]
    DotSegment,
    /// Two slashes follow each other, or one ends the path.
    #[error("it has an empty segment")]
    EmptySegment,
    /// The path has a backslash.
    #[error("segments are separated by `/`, not by a backslash")]
    Backslash,
    /// The path has a control character, or one that changes the direction of text.
    #[error("it has an invisible character")]
    HiddenCharacter,
}

/// The reason why a path is not suitable for a new file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum UnportablePath {
    /// One of its names.
    #[error("the name `{}` cannot be used on every system: {problem}", .segment.escape_debug())]
    Name {
        /// The name.
        segment: String,
        /// What is wrong with it.
        problem: NameProblem,
    },
    /// The path as a whole.
    #[error("it is longer than {MAX_PATH_BYTES} bytes or {MAX_SEGMENTS} segments")]
    TooLong,
}

impl PathError {
    /// Returns the reason.
    pub fn kind(&self) -> PathErrorKind {
        self.kind
    }
}

impl PathErrorKind {
    /// Returns whether the string refers to a place outside of the root, as opposed to being invalid.
    pub fn is_outside(self) -> bool {
        matches!(self, Self::Absolute | Self::LeavesRoot)
    }
}

impl WorkspacePath {
    /// Returns the path of the root itself.
    pub const fn root() -> Self {
        Self(String::new())
    }

    /// Parses a path without normalization.
    ///
    /// # Errors
    ///
    /// Returns an error if `path` is not a path inside a root. The empty string is an error, too; the root is
    /// [`WorkspacePath::root`].
    pub fn parse(path: &str) -> Result<Self, PathError> {
        match kind_of(path) {
            None => Ok(Self(path.to_owned())),
            Some(kind) => Err(PathError { path: path.to_owned(), kind }),
        }
    }

    /// Parses a path as written by people and agents: `.`, empty segments and `..` are resolved lexically, the empty
    /// string is the root.
    ///
    /// # Errors
    ///
    /// Returns an error if `path` is not a path inside a root. A path that leaves the root is an error even if it
    /// returns.
    pub fn normalize(path: &str) -> Result<Self, PathError> {
        let error = |kind| Err(PathError { path: path.to_owned(), kind });
        if let Some(kind) = unreadable(path) {
            return error(kind);
        }
        if path.starts_with('/') {
            return error(PathErrorKind::Absolute);
        }
        let mut clean = String::with_capacity(path.len());
        for segment in path.split('/') {
            match segment {
                "" | "." => {}
                ".." if clean.is_empty() => return error(PathErrorKind::LeavesRoot),
                ".." => clean.truncate(clean.rfind('/').unwrap_or_default()),
                _ => {
                    if !clean.is_empty() {
                        clean.push('/');
                    }
                    clean.push_str(segment);
                }
            }
        }
        Ok(Self(clean))
    }

    /// Checks that the path is suitable for a new file: each name is portable, and the path is not too long.
    ///
    /// # Errors
    ///
    /// Returns the first name that is not portable, or that the path is too long.
    pub fn check_portable(&self) -> Result<(), UnportablePath> {
        for segment in self.segments() {
            check(segment)
                .map_err(|problem| UnportablePath::Name { segment: segment.to_owned(), problem })?;
        }
        if self.0.len() > MAX_PATH_BYTES || self.segments().count() > MAX_SEGMENTS {
            return Err(UnportablePath::TooLong);
        }
        Ok(())
    }

    /// Returns the path as a string; empty for the root.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns whether this is the root.
    pub fn is_root(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the segments, starting at the root.
    pub fn segments(&self) -> Segments<'_> {
        Segments {
            slashes: memchr::memchr_iter(b'/', self.0.as_bytes()),
            rest: (!self.is_root()).then_some((0, &self.0)),
        }
    }

    /// Returns the last segment; none for the root.
    pub fn file_name(&self) -> Option<&str> {
        self.segments().next_back()
    }

    /// Returns the parent directory; none for the root.
    pub fn parent(&self) -> Option<Self> {
        if self.is_root() {
            return None;
        }
        Some(self.0.rsplit_once('/').map_or_else(Self::root, |(parent, _)| Self(parent.to_owned())))
    }

    /// Appends `below` to this path.
    ///
    /// # Errors
    ///
    /// Returns an error if the result is not a path.
    pub fn join(&self, below: &str) -> Result<Self, PathError> {
        if self.is_root() { Self::parse(below) } else { Self::parse(&format!("{}/{below}", self.0)) }
    }

    /// Returns the path with each name folded ([`fold`](crate::portable::fold)): paths with equal results are the
    /// same to some file system.
    pub fn to_folded(&self) -> Cow<'_, Self> {
        if self.0.bytes().all(|byte| byte.is_ascii() && !byte.is_ascii_uppercase()) {
            return Cow::Borrowed(self);
        }
        if self.0.is_ascii() {
            return Cow::Owned(Self(self.0.to_ascii_lowercase()));
        }
        // No character folds to a slash, and normalization does not cross it.
        Cow::Owned(Self(self.segments().map(fold).collect::<Vec<_>>().join("/")))
    }

    /// Returns whether this path is `other` or inside it.
    pub fn is_at_or_below(&self, other: &Self) -> bool {
        other.is_root()
            || self.0.strip_prefix(&other.0).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    }
}

impl fmt::Display for WorkspacePath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_empty() { "." } else { &self.0 })
    }
}

/// The segments of a path, starting at the root.
#[derive(Clone, Debug)]
pub struct Segments<'p> {
    slashes: memchr::Memchr<'p>,
    /// The segments not returned yet, and their offset in the path; none at the end.
    rest: Option<(usize, &'p str)>,
}

impl<'p> Iterator for Segments<'p> {
    type Item = &'p str;

    fn next(&mut self) -> Option<&'p str> {
        let (start, rest) = self.rest?;
        let split = self.slashes.next().and_then(|at| rest.split_at_checked(at - start));
        let Some((segment, behind)) = split else {
            self.rest = None;
            return Some(rest);
        };
        let behind = behind.get(1..).unwrap_or_default();
        self.rest = Some((start + segment.len() + 1, behind));
        Some(segment)
    }
}

impl DoubleEndedIterator for Segments<'_> {
    fn next_back(&mut self) -> Option<Self::Item> {
        let (start, rest) = self.rest?;
        let split = self.slashes.next_back().and_then(|at| rest.split_at_checked(at - start));
        let Some((before, segment)) = split else {
            self.rest = None;
            return Some(rest);
        };
        self.rest = Some((start, before));
        segment.get(1..)
    }
}

fn kind_of(path: &str) -> Option<PathErrorKind> {
    if path.starts_with('/') {
        return Some(PathErrorKind::Absolute);
    }
    unreadable(path).or_else(|| {
        path.split('/').find_map(|segment| match segment {
            "" => Some(PathErrorKind::EmptySegment),
            "." | ".." => Some(PathErrorKind::DotSegment),
            _ => None,
        })
    })
}

/// Returns the reason why a character makes a string invalid as a path.
fn unreadable(path: &str) -> Option<PathErrorKind> {
    if path.contains('\\') {
        return Some(PathErrorKind::Backslash);
    }
    let is_hidden = |c| is_control(c) || is_directional(c);
    path.contains(is_hidden).then_some(PathErrorKind::HiddenCharacter)
}

#[cfg(test)]
mod tests;
