//! Paths inside a root.

use std::borrow::Cow;
use std::fmt;

use crate::portable::{NameProblem, check, fold, is_control, is_directional};

/// The number of bytes that the path of something new may have.
pub const MAX_PATH_BYTES: usize = 4_096;

/// The number of bytes that one segment of the path of something new may have.
pub const MAX_SEGMENT_BYTES: usize = 255;

/// The number of segments that the path of something new may have.
pub const MAX_SEGMENTS: usize = 64;

/// A path inside the workspace, or inside another root that is open.
///
/// Always relative, `/`-separated, and free of `.`, `..` and empty segments, of backslashes, and of characters that
/// cannot be seen, so no value of this type can name a file outside the root lexically. The empty path is the root
/// itself. Symbolic links are the concern of `minds-system`.
///
/// A path may have names that some system refuses, and any length: what is there can be judged and read.
/// [`WorkspacePath::check_portable`] says whether something new may be called so.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct WorkspacePath(String);

/// A text that names no place inside a root.
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
    /// The segments `..` lead out of the root, if only on the way.
    #[error("it leads out of the workspace")]
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
    #[error("it has a character that cannot be seen")]
    HiddenCharacter,
}

/// A path that nothing new may have, because some system could not hold it or would take it for another.
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
    /// The whole of it.
    #[error("it is longer than {MAX_PATH_BYTES} bytes or {MAX_SEGMENTS} segments")]
    TooLong,
}

impl PathError {
    /// Returns what is wrong.
    pub fn kind(&self) -> PathErrorKind {
        self.kind
    }
}

impl PathErrorKind {
    /// Returns whether the text names a place that is not in the root, rather than none.
    pub fn is_outside(self) -> bool {
        matches!(self, Self::Absolute | Self::LeavesRoot)
    }
}

impl WorkspacePath {
    /// Returns the path of the root itself.
    pub const fn root() -> Self {
        Self(String::new())
    }

    /// Reads a path; nothing is normalised.
    ///
    /// # Errors
    ///
    /// Returns what keeps `path` from naming a place inside a root. The empty text is no path; the root is
    /// [`WorkspacePath::root`].
    pub fn parse(path: &str) -> Result<Self, PathError> {
        match kind_of(path) {
            None => Ok(Self(path.to_owned())),
            Some(kind) => Err(PathError { path: path.to_owned(), kind }),
        }
    }

    /// Reads a path as people and agents write it: `.`, empty segments and `..` are resolved by their names alone, the
    /// empty text is the root.
    ///
    /// # Errors
    ///
    /// Returns what keeps `path` from naming a place inside a root. A path that leaves the root on its way is outside,
    /// even if it comes back.
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

    /// Checks that something new may have this path: each name means the same on every system, and the whole is not
    /// too long.
    ///
    /// # Errors
    ///
    /// Returns the first name that does not, or that the path is too long.
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

    /// Returns the path as text; empty for the root.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns whether this is the root.
    pub fn is_root(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the segments, from the root downwards.
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

    /// Returns the path that holds this one; none for the root.
    pub fn parent(&self) -> Option<Self> {
        if self.is_root() {
            return None;
        }
        Some(self.0.rsplit_once('/').map_or_else(Self::root, |(parent, _)| Self(parent.to_owned())))
    }

    /// Returns the path of `below` inside this one.
    ///
    /// # Errors
    ///
    /// Returns why `below` is no path.
    pub fn join(&self, below: &str) -> Result<Self, PathError> {
        if self.is_root() { Self::parse(below) } else { Self::parse(&format!("{}/{below}", self.0)) }
    }

    /// Returns the path with each name folded ([`fold`](crate::portable::fold)): what is equal then, some file system takes
    /// for the same.
    pub fn folded(&self) -> Cow<'_, Self> {
        if self.0.bytes().all(|byte| byte.is_ascii() && !byte.is_ascii_uppercase()) {
            return Cow::Borrowed(self);
        }
        if self.0.is_ascii() {
            return Cow::Owned(Self(self.0.to_ascii_lowercase()));
        }
        // No character folds to a slash, and none of two names joins another one across it.
        Cow::Owned(Self(self.segments().map(fold).collect::<Vec<_>>().join("/")))
    }

    /// Returns whether this path is `other` or lies below it.
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

/// The segments of a path, from the root downwards.
#[derive(Clone, Debug)]
pub struct Segments<'p> {
    slashes: memchr::Memchr<'p>,
    /// What was not given out, and where in the path it begins; none at the end.
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

/// Returns which character keeps a text from being a path at all.
fn unreadable(path: &str) -> Option<PathErrorKind> {
    if path.contains('\\') {
        return Some(PathErrorKind::Backslash);
    }
    let is_hidden = |c| is_control(c) || is_directional(c);
    path.contains(is_hidden).then_some(PathErrorKind::HiddenCharacter)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[track_caller]
    fn refuses(path: &str, kind: PathErrorKind) {
        assert_eq!(WorkspacePath::parse(path).map_err(|error| error.kind()), Err(kind), "{path:?}");
    }

    #[test]
    fn what_does_not_name_a_place_inside_is_refused() {
        refuses("", PathErrorKind::EmptySegment);
        refuses("/etc", PathErrorKind::Absolute);
        refuses("a//b", PathErrorKind::EmptySegment);
        refuses("a/", PathErrorKind::EmptySegment);
        refuses("./a", PathErrorKind::DotSegment);
        refuses("a/../b", PathErrorKind::DotSegment);
        refuses("a\\b", PathErrorKind::Backslash);
        refuses("a\0b", PathErrorKind::HiddenCharacter);
        refuses("a\u{202e}b", PathErrorKind::HiddenCharacter);
    }

    #[track_caller]
    fn normalizes(path: &str, expected: Result<&str, PathErrorKind>) {
        let found = WorkspacePath::normalize(path);
        assert_eq!(found.as_ref().map(WorkspacePath::as_str).map_err(PathError::kind), expected, "{path:?}");
    }

    #[test]
    fn what_people_write_is_resolved_by_names_alone() {
        for root in ["", ".", "./", "a/..", "a/b/../.."] {
            normalizes(root, Ok(""));
        }
        for src in ["src", "src/", "./src", "src//", "a/../src", "src/./.", "src/a/.."] {
            normalizes(src, Ok("src"));
        }
        normalizes("a//b/./c/../d", Ok("a/b/d"));
        normalizes("..foo/x", Ok("..foo/x"));
        normalizes("...", Ok("..."));
        normalizes("/src", Err(PathErrorKind::Absolute));
        for outside in ["..", "../a", "a/../..", "../ws/a", "a/../../ws/a"] {
            normalizes(outside, Err(PathErrorKind::LeavesRoot));
        }
    }

    #[test]
    fn what_is_no_path_is_said_before_where_it_leads() {
        normalizes("..\\a", Err(PathErrorKind::Backslash));
        normalizes("/etc\0", Err(PathErrorKind::HiddenCharacter));
        normalizes("../a\u{202e}", Err(PathErrorKind::HiddenCharacter));
        assert!(PathErrorKind::Absolute.is_outside() && PathErrorKind::LeavesRoot.is_outside());
        assert!(!PathErrorKind::Backslash.is_outside() && !PathErrorKind::HiddenCharacter.is_outside());
    }

    #[test]
    fn names_and_lengths_that_some_system_refuses_are_for_what_is_there() {
        let portable = |path: &str| WorkspacePath::parse(path).unwrap().check_portable();
        assert_eq!(portable("a/b.md"), Ok(()));
        let problem = NameProblem::Device;
        assert_eq!(portable("a/nul/b"), Err(UnportablePath::Name { segment: "nul".to_owned(), problem }));
        assert!(matches!(portable(&"a".repeat(256)), Err(UnportablePath::Name { .. })));
        assert_eq!(portable(&vec!["a"; 65].join("/")), Err(UnportablePath::TooLong));
        assert_eq!(portable(&vec!["a"; 64].join("/")), Ok(()));
        assert_eq!(portable(&vec!["a".repeat(255); 17].join("/")), Err(UnportablePath::TooLong));
    }

    #[test]
    fn parts_of_a_path() {
        let path = WorkspacePath::parse("a/b/c.md").unwrap();
        assert_eq!(path.file_name(), Some("c.md"));
        assert_eq!(path.parent().unwrap().as_str(), "a/b");
        assert_eq!(WorkspacePath::parse("a").unwrap().parent(), Some(WorkspacePath::root()));
        assert_eq!(WorkspacePath::root().parent(), None);
        assert_eq!(WorkspacePath::root().join("a").unwrap().as_str(), "a");
        assert_eq!(WorkspacePath::root().to_string(), ".");
    }

    #[test]
    fn below_means_whole_segments() {
        let below = |path: &str, other: &str| {
            WorkspacePath::parse(path).unwrap().is_at_or_below(&WorkspacePath::parse(other).unwrap())
        };
        assert!(below("src", "src"));
        assert!(below("src/a", "src"));
        assert!(!below("src-old/a", "src"));
        assert!(below("x", "x") && WorkspacePath::parse("x").unwrap().is_at_or_below(&WorkspacePath::root()));
    }

    proptest! {
        /// What is normalised is a path, the same as when each segment is followed by hand.
        #[test]
        fn normalizing_follows_each_segment(path in "[ab./]{0,14}") {
            let mut stack = Vec::new();
            let mut left = path.starts_with('/');
            for segment in path.split('/') {
                match segment {
                    "" | "." => {}
                    ".." => left |= stack.pop().is_none(),
                    _ => stack.push(segment),
                }
            }
            let found = WorkspacePath::normalize(&path);
            prop_assert_eq!(found.is_err(), left);
            if let Ok(found) = found {
                prop_assert_eq!(found.segments().collect::<Vec<_>>(), stack);
                prop_assert!(found.is_root() || WorkspacePath::parse(found.as_str()).is_ok());
            }
        }

        /// A path is its segments, and going up from a joined path leads back.
        #[test]
        fn segments_make_the_path(path in "[a-c.é/]{0,12}") {
            if let Ok(parsed) = WorkspacePath::parse(&path) {
                prop_assert_eq!(parsed.segments().collect::<Vec<_>>().join("/"), path.as_str());
                prop_assert!(parsed.segments().rev().eq(path.rsplit('/')));
                // From both ends they meet in the middle.
                let (mut both, mut met) = (parsed.segments(), (Vec::new(), Vec::new()));
                while let Some(front) = both.next() {
                    met.0.push(front);
                    met.1.extend(both.next_back());
                }
                met.0.extend(met.1.into_iter().rev());
                prop_assert_eq!(met.0.join("/"), path);
                prop_assert_eq!(parsed.join("x").unwrap().parent(), Some(parsed));
            }
        }
    }
}
