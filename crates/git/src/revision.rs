//! The requested revision of a repository.

use crate::object_id::ObjectId;

/// The requested revision of a repository.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Revision {
    /// The head of the repository's default branch.
    #[default]
    Default,
    /// The head of a branch.
    Branch(String),
    /// The commit of a tag.
    Tag(String),
    /// A full or abbreviated commit id, or else the name of a tag or a branch; `HEAD` and names that start
    /// with `refs/heads/` or `refs/tags/` are full ref names.
    Name(String),
}

/// A string that is not a valid name of a branch, tag or commit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("git does not allow this name for a branch or a tag")]
pub struct RevisionError(());

/// The maximum length of a name in bytes.
const MAX_BYTES: usize = 244;

impl Revision {
    /// Checks that git allows the name for a branch or a tag, so that it cannot be an option, a pattern, or
    /// an expression that refers to another commit.
    ///
    /// # Errors
    ///
    /// Fails if git does not allow the name.
    pub fn check(&self) -> Result<(), RevisionError> {
        let (Self::Branch(name) | Self::Tag(name) | Self::Name(name)) = self else { return Ok(()) };
        let forbidden = |c: char| c.is_control() || c.is_whitespace() || "~^:?*[\\".contains(c);
        let is_segment = |segment: &str| {
            let is_locked = segment.strip_suffix(".lock").is_some();
            !(segment.is_empty() || segment.starts_with('.') || is_locked)
        };
        let is_name = name.len() <= MAX_BYTES
            && !name.starts_with('-')
            && !name.contains(forbidden)
            && !name.contains("..")
            && !name.contains("@{")
            && !name.ends_with('.')
            && name != "@"
            && name.split('/').all(is_segment);
        if is_name { Ok(()) } else { Err(RevisionError(())) }
    }

    /// Returns the id, if a full id is requested.
    pub(crate) fn full_id(&self) -> Option<ObjectId> {
        match self {
            Self::Name(name) => ObjectId::parse(&name.to_ascii_lowercase()).ok(),
            _ => None,
        }
    }

    /// Returns whether a name is a full ref name.
    pub(crate) fn is_full_ref(name: &str) -> bool {
        name == "HEAD" || name.starts_with("refs/heads/") || name.starts_with("refs/tags/")
    }

    /// Returns whether the name can be an abbreviated id.
    pub(crate) fn may_be_short_id(&self) -> bool {
        const MIN_DIGITS: usize = 4;
        matches!(self, Self::Name(name)
            if name.len() >= MIN_DIGITS && name.bytes().all(|byte| byte.is_ascii_hexdigit()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_never_an_option_a_pattern_or_an_expression() {
        let cases = [
            ("main", true),
            ("release/1.x", true),
            ("v1.0", true),
            ("", false),
            ("--upload-pack=touch x;git-upload-pack", false),
            ("HEAD~1", false),
            ("HEAD^", false),
            ("a..b", false),
            ("a:b", false),
            ("a*", false),
            ("@{-1}", false),
            ("@", false),
            ("a b", false),
            ("a\n", false),
            ("/a", false),
            ("a/", false),
            ("a//b", false),
            (".a", false),
            ("a/.b", false),
            ("a.", false),
            ("a.lock", false),
            ("a.lock/b", false),
        ];
        for (name, expected) in cases {
            let revisions =
                [Revision::Branch(name.into()), Revision::Tag(name.into()), Revision::Name(name.into())];
            for revision in revisions {
                assert_eq!(revision.check().is_ok(), expected, "{revision:?}");
            }
        }
        assert!(Revision::Default.check().is_ok());
    }
}
