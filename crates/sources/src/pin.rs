//! Pins: which commit of a source is used.

use std::fmt;

/// Which commit of a repository is used.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Pin {
    /// The newest commit of the default branch.
    #[default]
    DefaultBranch,
    /// The newest commit of a branch.
    FollowBranch(RevisionName),
    /// The commit of a tag.
    Tag(RevisionName),
    /// Exactly one commit.
    Ref(RevisionName),
}

minds_diagnostics::kinds! {
    /// The kind of a pin, with its name in state files.
    pub enum PinKind {
        /// The newest commit of the default branch.
        DefaultBranch = "default-branch";
        /// The newest commit of a branch.
        FollowBranch = "follow-branch";
        /// The commit of a tag.
        Tag = "tag";
        /// Exactly one commit.
        Ref = "ref";
    }
}

impl Pin {
    /// Returns the pin with the name of a kind and a revision, which only the default branch lacks.
    ///
    /// # Errors
    ///
    /// Returns a message about a kind that is unknown, or what `revision` returns.
    pub fn parse(
        kind: &str,
        revision: impl FnOnce() -> Result<RevisionName, String>,
    ) -> Result<Self, String> {
        let unknown = || format!("unknown kind of pin `{}`", kind.escape_debug());
        Ok(match PinKind::find(kind).ok_or_else(unknown)? {
            PinKind::DefaultBranch => Self::DefaultBranch,
            PinKind::FollowBranch => Self::FollowBranch(revision()?),
            PinKind::Tag => Self::Tag(revision()?),
            PinKind::Ref => Self::Ref(revision()?),
        })
    }

    /// Returns the kind.
    pub const fn kind(&self) -> PinKind {
        match self {
            Self::DefaultBranch => PinKind::DefaultBranch,
            Self::FollowBranch(_) => PinKind::FollowBranch,
            Self::Tag(_) => PinKind::Tag,
            Self::Ref(_) => PinKind::Ref,
        }
    }

    /// Returns the revision of the pin, if it has one.
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

/// Why a string is not a valid revision name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RevisionError {
    /// The string is empty.
    #[error("it must not be empty")]
    Empty,
    /// It begins with a hyphen, so git would interpret it as an option.
    #[error("it must not begin with `-`, which git would interpret as an option")]
    Option,
    /// It has a character that git does not allow.
    #[error("it must not contain {0:?}")]
    Character(char),
    /// It has a sequence that git does not allow.
    #[error("it must not contain `{0}`")]
    Word(&'static str),
    /// It is too long.
    #[error("it must not be longer than {MAX_BYTES} bytes")]
    TooLong,
}

/// The maximum length of a name in bytes.
const MAX_BYTES: usize = 244;

impl RevisionName {
    /// Parses a name by the rules of `git check-ref-format --allow-onelevel`.
    ///
    /// # Errors
    ///
    /// Returns the first rule that the string violates.
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

    /// Returns the name as a string.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for RevisionName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
