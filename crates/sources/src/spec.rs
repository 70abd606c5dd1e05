//! Which repository is meant.

use std::fmt;

use minds_paths::portable::{self, NameProblem};

/// What a source is known by, and where its clone lies below the folder of clones: a host and at least two names, such
/// as `github.com/owner/name`, or `local/parent/name`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Identity(String);

/// Where a source is read from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Remote {
    /// A folder of this machine, by its absolute path. It is read live, unless it is pinned.
    Folder(String),
    /// A repository that git fetches, without a user's password or token in it.
    Repository(String),
}

/// A text that says which repository is meant, understood.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceSpec {
    /// What it is known by.
    pub identity: Identity,
    /// Where it is read from.
    pub remote: Remote,
}

/// Why a text names no repository.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SpecError {
    /// It is none of the forms.
    #[error("it is neither `owner/name`, nor a URL, nor a path that begins with `/`, `./`, `../` or `~/`")]
    Unknown,
    /// It begins with a hyphen, so that git would take it for an option.
    #[error("it begins with `-`, which git would take for an option")]
    Option,
    /// It is a URL of a kind that is never fetched.
    #[error("`{0}` is not among the protocols that are fetched: `https`, `ssh`, `file`")]
    Protocol(String),
    /// A password or token stands in it, which would be stored and shown.
    #[error("it has a password or token in it; leave it to git's credential helper")]
    Credentials,
    /// One of its names could not be that of a folder.
    #[error("`{name}` in it cannot be the name of a folder: {problem}")]
    Name {
        /// The name.
        name: String,
        /// Why.
        problem: NameProblem,
    },
    /// It has no owner or no name.
    #[error("it has no owner and name")]
    TooShort,
}

impl Identity {
    /// How many bytes an identity has at most.
    pub const MOST_BYTES: usize = 512;

    /// Reads an identity as it is stored: at least three portable names with `/` between them, none hidden.
    ///
    /// # Errors
    ///
    /// Returns the first reason why it is none.
    pub fn parse(identity: &str) -> Result<Self, SpecError> {
        let segments = identity.split('/').filter(|segment| !segment.is_empty()).count();
        if segments < 3 || identity.len() > Self::MOST_BYTES {
            return Err(SpecError::TooShort);
        }
        for name in identity.split('/') {
            let problem = if name.starts_with('.') { Err(NameProblem::Dots) } else { portable::check(name) };
            problem.map_err(|problem| SpecError::Name { name: name.to_owned(), problem })?;
            if name.starts_with('-') {
                return Err(SpecError::Option);
            }
        }
        Ok(Self(identity.to_owned()))
    }

    /// Returns the identity.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Identity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
