//! What can go wrong with the machine.

use std::io;
use std::path::{Path, PathBuf};

/// Something that the system refused.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SystemError {
    /// A path that was asked for is not there.
    #[error("`{}` does not exist", .path.display())]
    NotFound {
        /// The path, as it was given.
        path: PathBuf,
    },
    /// The environment names no folder in which something could be remembered.
    #[error("there is no folder for what `minds` remembers; set `MINDS_HOME` to one")]
    NoHome,
    /// Anything else.
    #[error("cannot {action} `{}`: {}", .path.display(), reason(.source))]
    Io {
        /// What was tried, as a verb.
        action: &'static str,
        /// The path, as it was given.
        path: PathBuf,
        /// Why it failed.
        source: io::Error,
    },
}

/// Returns why something failed, in words without numbers of the system.
pub(crate) fn reason(error: &io::Error) -> String {
    if error.raw_os_error().is_some() { error.kind().to_string() } else { error.to_string() }
}

impl SystemError {
    pub(crate) fn new(action: &'static str, path: &Path, source: io::Error) -> Self {
        if source.kind() == io::ErrorKind::NotFound {
            Self::NotFound { path: path.to_owned() }
        } else {
            Self::Io { action, path: path.to_owned(), source }
        }
    }
}
