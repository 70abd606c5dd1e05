//! Which commit of a repository is wanted.

use super::object_id::ObjectId;

/// Which commit of a repository is wanted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Revision {
    /// The newest of the branch that the repository names as its own, whichever that is now.
    #[default]
    Default,
    /// The newest of a branch.
    Branch(String),
    /// That of a tag.
    Tag(String),
    /// That of a full or abbreviated id, or else of a tag or a branch with this name; `HEAD` and names that begin with
    /// `refs/heads/` or `refs/tags/` mean just that.
    Name(String),
}

/// A text that names no branch, tag or commit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("it is no name that git allows for a branch or a tag")]
pub struct RevisionError(());

/// How many bytes a name has at most.
const MAX_BYTES: usize = 244;

impl Revision {
    /// Makes sure that the name is one that git allows for a branch or a tag, so that it is no option, no pattern, and no
    /// way to walk from one commit to another.
    ///
    /// # Errors
    ///
    /// Fails if it is none.
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

    /// Returns the id, if a full one is wanted.
    pub(super) fn full_id(&self) -> Option<ObjectId> {
        match self {
            Self::Name(name) => ObjectId::parse(&name.to_ascii_lowercase()).ok(),
            _ => None,
        }
    }

    /// Returns whether a name says itself where it stands in a repository.
    pub(super) fn is_whole(name: &str) -> bool {
        name == "HEAD" || name.starts_with("refs/heads/") || name.starts_with("refs/tags/")
    }

    /// Returns whether it can be an abbreviated id.
    pub(super) fn may_be_short_id(&self) -> bool {
        const MIN_DIGITS: usize = 4;
        matches!(self, Self::Name(name)
            if name.len() >= MIN_DIGITS && name.bytes().all(|byte| byte.is_ascii_hexdigit()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_never_an_option_a_pattern_or_a_walk() {
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
