//! Errors of an installation.

use std::path::{Path, PathBuf};

use crate::files::{FileErrorKind, Refusal};

/// Why nothing was installed, and the path concerned. Except for [`InstallErrorKind::HalfDone`] everything is
/// unchanged.
#[derive(Debug, thiserror::Error)]
#[error("{kind} (`{}`)", .path.display())]
pub struct InstallError {
    path: PathBuf,
    kind: InstallErrorKind,
    source: Option<std::io::Error>,
}

/// The reasons for which an installation fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InstallErrorKind {
    /// The entry is not the one that was planned for.
    #[error("the entry has changed since the installation was planned")]
    Changed,
    /// An interrupted installation must be completed first.
    #[error("an interrupted installation must be completed first")]
    Interrupted,
    /// The journal at the top of the home was not written there by this program, or names a folder that is
    /// not one of the agent homes; nothing is changed while it exists.
    #[error(
        "the journal was not written by `minds` in this directory, or names a folder that is not an agent home; remove it"
    )]
    Foreign,
    /// The path of an agent home is not absolute or not valid UTF-8, or an entry is not allowed in it.
    #[error("it is not a valid path in an agent home")]
    Place,
    /// A step failed, and earlier steps could not be undone completely. The next command tries again.
    #[error("the installation failed and could not be undone completely; the next command tries again")]
    HalfDone,
    /// Everything was installed, but the disk did not confirm that it is durable. The next command syncs
    /// again.
    #[error("it was installed, but the disk did not confirm that the change is durable")]
    Unconfirmed,
    /// Any other error of a file operation.
    #[error("it cannot be changed: {0}")]
    File(FileErrorKind),
}

impl InstallError {
    pub(super) fn new(path: &Path, kind: InstallErrorKind) -> Self {
        Self { path: path.to_owned(), kind, source: None }
    }

    pub(super) fn of(path: impl Into<PathBuf>, refusal: Refusal) -> Self {
        let kind = match refusal.kind {
            FileErrorKind::Changed => InstallErrorKind::Changed,
            kind => InstallErrorKind::File(kind),
        };
        Self { path: path.into(), kind, source: refusal.source }
    }

    pub(super) fn with_kind(self, kind: InstallErrorKind) -> Self {
        Self { kind, ..self }
    }

    /// Returns the reason.
    pub fn kind(&self) -> InstallErrorKind {
        self.kind
    }

    /// Returns the path concerned: relative to the home, or absolute in an agent home.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl InstallErrorKind {
    /// Returns a stable identifier of the reason, for programs.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Changed => "changed",
            Self::Interrupted => "interrupted",
            Self::Foreign => "foreign-journal",
            Self::Place => "invalid-place",
            Self::HalfDone => "half-done",
            Self::Unconfirmed => "unconfirmed",
            Self::File(_) => "cannot-change",
        }
    }
}
