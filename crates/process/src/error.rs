//! Errors of the operating system.

use std::io;
use std::path::{Path, PathBuf};

/// An operation that the operating system refused.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SystemError {
    /// The path does not exist.
    #[error("`{}` does not exist", .path.display())]
    NotFound {
        /// The path as given by the caller.
        path: PathBuf,
    },
    /// The environment does not name a folder for stored data.
    #[error("there is no folder for the data that `minds` stores; set `MINDS_HOME` to one")]
    NoHome,
    /// Any other error.
    #[error("cannot {action} `{}`: {}", .path.display(), describe_io_error(.source))]
    Io {
        /// The attempted action, as a verb.
        action: &'static str,
        /// The path as given by the caller.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
}

/// Returns the cause of an error without system error numbers.
pub fn describe_io_error(error: &io::Error) -> String {
    if error.raw_os_error().is_some() { error.kind().to_string() } else { error.to_string() }
}

impl SystemError {
    /// Returns the error for an `action` on `path`, a verb, that failed with `source`.
    pub fn new(action: &'static str, path: &Path, source: io::Error) -> Self {
        if source.kind() == io::ErrorKind::NotFound {
            Self::NotFound { path: path.to_owned() }
        } else {
            Self::Io { action, path: path.to_owned(), source }
        }
    }
}
