//! Paths inside a root.

use std::fmt;

use crate::portable::{is_control, is_directional};

/// The number of bytes that a path may have.
pub const MAX_PATH_BYTES: usize = 4_096;

/// The number of bytes that one segment of a path may have.
pub const MAX_SEGMENT_BYTES: usize = 255;

/// The number of segments that a path may have.
pub const MAX_SEGMENTS: usize = 64;

/// A path inside the workspace, or inside another root that is open.
///
/// Always relative, `/`-separated, and free of `.`, `..` and empty segments, of backslashes, and of characters that
/// cannot be seen, so no value of this type can name a file outside the root lexically. The empty path is the root
/// itself. Symbolic links are the concern of `minds-system`.
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
    /// The path is longer than the limits allow.
    #[error("it is longer than 4,096 bytes, 64 segments, or 255 bytes in one segment")]
    TooLong,
}

impl PathError {
    /// Returns what is wrong.
    pub fn kind(&self) -> PathErrorKind {
        self.kind
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

    /// Returns the path as text; empty for the root.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns whether this is the root.
    pub fn is_root(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the segments, from the root downwards.
    pub fn segments(&self) -> impl DoubleEndedIterator<Item = &str> {
        self.0.split('/').filter(|segment| !segment.is_empty())
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
    /// Returns why `below` is no path, or that both together are too long.
    pub fn join(&self, below: &str) -> Result<Self, PathError> {
        if self.is_root() { Self::parse(below) } else { Self::parse(&format!("{}/{below}", self.0)) }
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

fn kind_of(path: &str) -> Option<PathErrorKind> {
    if path.starts_with('/') {
        return Some(PathErrorKind::Absolute);
    }
    if path.contains('\\') {
        return Some(PathErrorKind::Backslash);
    }
    if path.chars().any(|c| is_control(c) || is_directional(c)) {
        return Some(PathErrorKind::HiddenCharacter);
    }
    let mut segments = 0;
    for segment in path.split('/') {
        segments += 1;
        match segment {
            "" => return Some(PathErrorKind::EmptySegment),
            "." | ".." => return Some(PathErrorKind::DotSegment),
            _ if segment.len() > MAX_SEGMENT_BYTES => return Some(PathErrorKind::TooLong),
            _ => {}
        }
    }
    (path.len() > MAX_PATH_BYTES || segments > MAX_SEGMENTS).then_some(PathErrorKind::TooLong)
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
        refuses(&"a".repeat(256), PathErrorKind::TooLong);
        refuses(&vec!["a"; 65].join("/"), PathErrorKind::TooLong);
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
        /// A path is its segments, and going up from a joined path leads back.
        #[test]
        fn segments_make_the_path(path in "[a-c.é/]{0,12}") {
            if let Ok(parsed) = WorkspacePath::parse(&path) {
                prop_assert_eq!(parsed.segments().collect::<Vec<_>>().join("/"), path);
                prop_assert_eq!(parsed.join("x").unwrap().parent(), Some(parsed));
            }
        }
    }
}
