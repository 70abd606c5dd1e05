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
    let (kind, text) = (error.kind().to_string(), error.to_string());
    match text.split_once(" (os error ") {
        None => text,
        // The standard library has no kind for some errors, such as too many open files.
        Some((text, _)) if kind == "uncategorized error" => text.to_lowercase(),
        Some(_) => kind,
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_of_the_system_is_described_without_its_number() {
        let describe = |number| describe_io_error(&io::Error::from_raw_os_error(number));
        assert_eq!(describe(13), "permission denied");
        assert_eq!(describe(24), "too many open files");
        assert_eq!(describe_io_error(&io::Error::other("it is empty")), "it is empty");
    }
}
