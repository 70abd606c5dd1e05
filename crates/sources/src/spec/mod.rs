//! Source specifications: which repository a source is.

mod identity;
mod local;
mod parse;
mod remote;

pub use identity::Identity;

use minds_vfs::portable::NameProblem;

/// The location from which a source is read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Remote {
    /// A folder of this machine, by its absolute path. It is read live, unless it is pinned.
    Folder(String),
    /// A repository that git fetches, without a password or token of a user in it.
    Repository(String),
}

/// A parsed source specification.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceSpec {
    /// The identity.
    pub identity: Identity,
    /// The location.
    pub remote: Remote,
}

/// Why a string is not a valid source specification.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SpecError {
    /// It has none of the supported forms.
    #[error("it is neither `owner/name`, nor a URL, nor a path that begins with `/`, `./`, `../` or `~/`")]
    Unknown,
    /// It, its user, its host or one of its names begins with a hyphen, so git or a program that git starts
    /// would interpret it as an option.
    #[error("a part of it begins with `-`, which git would interpret as an option")]
    Option,
    /// It is a URL with an unsupported protocol.
    #[error("unsupported protocol `{0}`; the supported ones are `https`, `ssh` and `file`")]
    Protocol(String),
    /// It contains a password or token, which would be stored and displayed.
    #[error("it contains a user name, password or token; use git's credential helper for these")]
    Credentials,
    /// Its host is not valid.
    #[error("`{}` is not a valid host name", .0.escape_debug())]
    Host(String),
    /// It has a query or a fragment.
    #[error("it has a `{0}`; a branch, tag or commit is set with a pin, not in the source")]
    Suffix(char),
    /// One of its names is not a valid name of a folder.
    #[error("`{}` is not a valid folder name: {problem}", .name.escape_debug())]
    Name {
        /// The name.
        name: String,
        /// Why.
        problem: NameProblem,
    },
    /// One of its names has a character with a meaning in references.
    #[error("`{}` contains {character:?}, which has a special meaning", .name.escape_debug())]
    Character {
        /// The name.
        name: String,
        /// The character.
        character: char,
    },
    /// A name is hidden, or has the suffix of clones although names follow.
    #[error("`{}` is reserved for the folders of clones", .0.escape_debug())]
    Reserved(String),
    /// It has no owner or no name.
    #[error("it has no owner and name")]
    TooShort,
    /// It is too long.
    #[error("it is longer than {} bytes", SourceSpec::MAX_BYTES)]
    TooLong,
    /// It begins with `~`, and the home directory is not known.
    #[error("it begins with `~`, and the home directory is not known")]
    NoHome,
    /// It is a path with an invisible character.
    #[error("it has an invisible character")]
    Hidden,
}

impl SpecError {
    /// Returns the stable name of the error.
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
