//! What can go wrong with an installation.

use std::path::{Path, PathBuf};

use crate::files::{FileErrorKind, Refusal};

/// Why nothing was installed, and where. Except for [`InstallErrorKind::HalfDone`] everything is as it was.
#[derive(Debug, thiserror::Error)]
#[error("{kind} (`{}`)", .path.display())]
pub struct InstallError {
    path: PathBuf,
    kind: InstallErrorKind,
    source: Option<std::io::Error>,
}

/// The ways in which an installation can fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InstallErrorKind {
    /// Something else stands there than when it was planned.
    #[error("what stands there has changed")]
    Changed,
    /// An installation that was interrupted has to be finished first.
    #[error("an interrupted installation has to be finished first")]
    Interrupted,
    /// The journal at the top of the home was not written there by this program, or names a folder that is none of the agent
    /// homes; nothing is done while it is there.
    #[error(
        "it is not a journal that was written here, or it names a folder that is not an agent home; remove it"
    )]
    Foreign,
    /// An agent home is no absolute path that is text, or what is named in it has no place there.
    #[error("it cannot be a place in an agent home")]
    Place,
    /// Something could not be done, and what was done before could not all be taken back. The next command tries again.
    #[error("it failed, and could not all be taken back; the next command tries again")]
    HalfDone,
    /// All is done, but the disk did not confirm that it will last. The next command makes sure.
    #[error("it was done, but the disk did not confirm it")]
    Unconfirmed,
    /// Anything else that can happen to a file.
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

    /// Returns what went wrong.
    pub fn kind(&self) -> InstallErrorKind {
        self.kind
    }

    /// Returns where: relative to the home, or absolute in an agent home.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl InstallErrorKind {
    /// Returns a stable word for it, for programs.
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
