//! Errors of the source verbs.

use std::fmt;

use minds_fs::{FileError, FileErrorKind};
use minds_inventory::StateError;
use minds_process::SystemError;
use minds_sources::{Refusal, RefusalKind};

/// An error of a source verb: a kind for programs, and a message for people.
///
/// The message may contain text of a source unchanged; a front end has to escape it for a terminal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceError {
    kind: SourceErrorKind,
    target: Option<String>,
    message: String,
}

minds_diagnostics::kinds! {
    /// The kinds of errors.
    pub enum SourceErrorKind {
        ..RefusalKind as Refused;
        /// A string is not a valid source specification.
        InvalidSpec = "invalid-spec";
        /// A remote source refers to a local path.
        LocalSource = "local-source";
        /// A string is not a valid branch, tag or commit.
        InvalidRevision = "invalid-revision";
        /// A string is not a valid prefix.
        InvalidPrefix = "invalid-prefix";
        /// `mind.toml` has errors.
        InvalidManifest = "invalid-manifest";
        /// `mind.toml` requires a newer version of the format.
        IncompatibleVersion = "incompatible-version";
        /// The items of a source cannot be read correctly.
        InvalidSource = "invalid-source";
        /// It needs consent that was not given.
        ConsentRequired = "consent-required";
        /// A hook failed.
        HookFailed = "hook-failed";
        /// git failed.
        Git = "git";
        /// Access to a repository is denied.
        Authentication = "authentication";
        /// A repository does not have the branch, tag or commit.
        UnknownRevision = "unknown-revision";
        /// The operation timed out.
        Timeout = "timeout";
        /// A state file cannot be read.
        InvalidState = "invalid-state";
        /// A path is not a valid agent home.
        InvalidHome = "invalid-home";
        /// Another command uses the data directory, and waiting for it timed out.
        Busy = "busy";
        /// A system call failed.
        System = "system";
    }
}

impl SourceError {
    /// Creates an error of this kind.
    pub fn new(kind: SourceErrorKind, message: impl Into<String>) -> Self {
        Self { kind, target: None, message: message.into() }
    }

    /// Returns the error with a source or an item as its target, unless it already has one.
    #[must_use]
    pub fn with_target(mut self, target: impl fmt::Display) -> Self {
        let target = self.target.get_or_insert_with(|| target.to_string());
        // The error may already have a more specific target.
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

    /// Returns the source or the item of the error, if there is one.
    pub fn target(&self) -> Option<&str> {
        self.target.as_deref()
    }
}

impl fmt::Display for SourceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.target {
            // Some messages begin with their target.
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
