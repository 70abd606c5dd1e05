//! Which commit of a source counts.

use std::fmt;

/// Which commit of a repository counts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Pin {
    /// The newest of the branch that the repository names as its own.
    #[default]
    DefaultBranch,
    /// The newest of a branch.
    FollowBranch(RevisionName),
    /// That of a tag.
    Tag(RevisionName),
    /// Exactly one.
    Ref(RevisionName),
}

impl Pin {
    /// Returns the word for the kind of pin.
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::DefaultBranch => "default-branch",
            Self::FollowBranch(_) => "follow-branch",
            Self::Tag(_) => "tag",
            Self::Ref(_) => "ref",
        }
    }

    /// Returns the name that is pinned to, if there is one.
    pub const fn revision(&self) -> Option<&RevisionName> {
        match self {
            Self::DefaultBranch => None,
            Self::FollowBranch(name) | Self::Tag(name) | Self::Ref(name) => Some(name),
        }
    }
}

/// The name of a branch, a tag or a commit.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct RevisionName(String);

/// Why a text names no revision.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RevisionError {
    /// There is no text.
    #[error("it must not be empty")]
    Empty,
    /// It begins with a hyphen, so that git would take it for an option.
    #[error("it must not begin with `-`, which git would take for an option")]
    Option,
    /// Git allows no such character in a name.
    #[error("it must not have {0:?}")]
    Character(char),
    /// Git allows no such words in a name.
    #[error("it must not have `{0}`")]
    Word(&'static str),
    /// No name is that long.
    #[error("it must not be longer than {MAX_BYTES} bytes")]
    TooLong,
}

/// How many bytes a name has at most.
const MAX_BYTES: usize = 244;

impl RevisionName {
    /// Reads a name by the rules of `git check-ref-format --allow-onelevel`.
    ///
    /// # Errors
    ///
    /// Returns the first rule that is broken.
    pub fn parse(name: &str) -> Result<Self, RevisionError> {
        if name.is_empty() {
            return Err(RevisionError::Empty);
        }
        if name.starts_with('-') {
            return Err(RevisionError::Option);
        }
        if name.len() > MAX_BYTES {
            return Err(RevisionError::TooLong);
        }
        let is_forbidden = |c: char| {
            c.is_control() || c.is_whitespace() || matches!(c, '~' | '^' | ':' | '?' | '*' | '[' | '\\')
        };
        if let Some(c) = name.chars().find(|c| is_forbidden(*c)) {
            return Err(RevisionError::Character(c));
        }
        if let Some(word) = ["..", "@{", "//", "/."].into_iter().find(|word| name.contains(word)) {
            return Err(RevisionError::Word(word));
        }
        let is_locked = name.split('/').any(|segment| segment.strip_suffix(".lock").is_some());
        for (is_broken, word) in [
            (is_locked, ".lock"),
            (name == "@", "@"),
            (name.starts_with('/') || name.ends_with('/'), "/"),
            (name.starts_with('.') || name.ends_with('.'), "."),
        ] {
            if is_broken {
                return Err(RevisionError::Word(word));
            }
        }
        Ok(Self(name.to_owned()))
    }

    /// Returns the name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for RevisionName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
