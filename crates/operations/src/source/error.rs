//! Why a verb was refused, or failed.

use std::fmt;

use minds_sources::{Refusal, RefusalKind, StateError};
use minds_system::{FileError, FileErrorKind, SystemError};

/// Why something about sources was refused, or failed: a kind for machines, and a message for people.
///
/// What comes from a source stands in the message as it is; whoever prints it makes it safe for a terminal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceError {
    kind: SourceErrorKind,
    target: Option<String>,
    message: String,
}

/// The kinds of refusals and failures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum SourceErrorKind {
    /// An item or a source is left as it is.
    Refused(RefusalKind),
    /// A text names no repository.
    InvalidSpec,
    /// A source of another machine names a place of this one.
    LocalSource,
    /// A text names no branch, tag or commit.
    InvalidRevision,
    /// A text can be no prefix.
    InvalidPrefix,
    /// `mind.toml` has mistakes.
    InvalidManifest,
    /// `mind.toml` asks for a later program.
    IncompatibleVersion,
    /// What a source offers cannot be read rightly.
    InvalidSource,
    /// It needs a consent that was not given.
    ConsentRequired,
    /// A hook failed.
    HookFailed,
    /// git failed.
    Git,
    /// A repository may not be read.
    Authentication,
    /// A repository has no such branch, tag or commit.
    UnknownRevision,
    /// It took too long.
    Timeout,
    /// A file of state cannot be read.
    InvalidState,
    /// The agent home is none.
    InvalidHome,
    /// Another command uses the folder of the program, and took longer than it was waited for.
    Busy,
    /// The system refused.
    System,
}

impl SourceErrorKind {
    /// Returns the kind in one stable word.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Refused(kind) => kind.name(),
            Self::InvalidSpec => "invalid-spec",
            Self::LocalSource => "local-source",
            Self::InvalidRevision => "invalid-revision",
            Self::InvalidPrefix => "invalid-prefix",
            Self::InvalidManifest => "invalid-manifest",
            Self::IncompatibleVersion => "incompatible-version",
            Self::InvalidSource => "invalid-source",
            Self::ConsentRequired => "consent-required",
            Self::HookFailed => "hook-failed",
            Self::Git => "git",
            Self::Authentication => "authentication",
            Self::UnknownRevision => "unknown-revision",
            Self::Timeout => "timeout",
            Self::InvalidState => "invalid-state",
            Self::InvalidHome => "invalid-home",
            Self::Busy => "busy",
            Self::System => "system",
        }
    }
}

impl SourceError {
    /// Returns the error of this kind.
    pub fn new(kind: SourceErrorKind, message: impl Into<String>) -> Self {
        Self { kind, target: None, message: message.into() }
    }

    /// Returns the same error, about a source or an item.
    #[must_use]
    pub fn about(mut self, target: impl fmt::Display) -> Self {
        let target = self.target.get_or_insert_with(|| target.to_string());
        // What was said deeper down may name it already.
        let rest = self.message.strip_prefix(target.as_str()).and_then(|rest| rest.strip_prefix(": "));
        if let Some(rest) = rest.map(str::to_owned) {
            self.message = rest;
        }
        self
    }

    /// Returns the kind.
    pub const fn kind(&self) -> SourceErrorKind {
        self.kind
    }

    /// Returns the source or the item that it is about, if it is about one.
    pub fn target(&self) -> Option<&str> {
        self.target.as_deref()
    }
}

impl fmt::Display for SourceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.target {
            // Some messages begin with what they are about.
            Some(target) if !self.message.starts_with(target.as_str()) => {
                write!(f, "{target}: {}", self.message)
            }
            _ => f.write_str(&self.message),
        }
    }
}

impl std::error::Error for SourceError {}

impl From<SystemError> for SourceError {
    fn from(error: SystemError) -> Self {
        Self::new(SourceErrorKind::System, error.to_string())
    }
}

impl From<FileError> for SourceError {
    fn from(error: FileError) -> Self {
        let kind = match error.kind() {
            FileErrorKind::Locked(_) => SourceErrorKind::Busy,
            _ => SourceErrorKind::System,
        };
        Self::new(kind, error.to_string())
    }
}

impl From<StateError> for SourceError {
    fn from(error: StateError) -> Self {
        Self::new(SourceErrorKind::InvalidState, error.to_string())
    }
}

impl From<Refusal> for SourceError {
    fn from(refusal: Refusal) -> Self {
        Self::new(SourceErrorKind::Refused(refusal.kind), refusal.message)
    }
}
