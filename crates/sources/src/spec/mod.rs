//! Which repository is meant.

mod identity;
mod local;
mod parse;
mod remote;

pub use identity::Identity;

use minds_paths::portable::NameProblem;

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
    /// It, its user, its host or one of its names begins with a hyphen, so that git or a program that git starts would
    /// take it for an option.
    #[error("a part of it begins with `-`, which git would take for an option")]
    Option,
    /// It is a URL of a kind that is never fetched.
    #[error("`{0}` is not among the protocols that are fetched: `https`, `ssh`, `file`")]
    Protocol(String),
    /// A password or token stands in it, which would be stored and shown.
    #[error("it has a user name, password or token in it; leave these to git's credential helper")]
    Credentials,
    /// Its host could not be the name of one.
    #[error("`{}` is no name of a host", .0.escape_debug())]
    Host(String),
    /// It goes on with a query or a fragment.
    #[error("it has a `{0}`; a branch, tag or commit is pinned to and not a part of the source")]
    Suffix(char),
    /// One of its names could not be that of a folder.
    #[error("`{}` in it cannot be the name of a folder: {problem}", .name.escape_debug())]
    Name {
        /// The name.
        name: String,
        /// Why.
        problem: NameProblem,
    },
    /// One of its names has a character that means something else where sources are named.
    #[error("`{}` in it has {character:?}, which has another meaning", .name.escape_debug())]
    Character {
        /// The name.
        name: String,
        /// The character.
        character: char,
    },
    /// A name is hidden, or ends as the folders of clones do and has others below it.
    #[error("`{}` in it is a name that is kept for folders of clones", .0.escape_debug())]
    Reserved(String),
    /// It has no owner or no name.
    #[error("it has no owner and name")]
    TooShort,
    /// It is longer than is stored.
    #[error("it is longer than {} bytes", SourceSpec::MAX_BYTES)]
    TooLong,
    /// It begins with `~`, and there is no home.
    #[error("it begins with `~`, and the home of the user is not known")]
    NoHome,
    /// It is a path with a character that cannot be seen.
    #[error("it is a path with a character that cannot be seen")]
    Hidden,
}

impl SpecError {
    /// Returns the stable word for what is wrong.
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::Unknown | Self::TooShort => "invalid-spec",
            Self::Option => "option-in-spec",
            Self::Protocol(_) => "forbidden-protocol",
            Self::Credentials => "credentials-in-spec",
            Self::Host(_) => "invalid-host",
            Self::Suffix(_) => "suffix-in-spec",
            Self::Name { .. } | Self::Character { .. } | Self::Reserved(_) => "invalid-spec-name",
            Self::TooLong => "spec-too-long",
            Self::NoHome => "no-home",
            Self::Hidden => "hidden-character-in-spec",
        }
    }
}
