//! Errors of a server.

use std::io;

/// The reason why a server could not start or continue. Input of clients never causes this error.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ServeError {
    /// An operation of the system failed.
    #[error("cannot {what}: {source}")]
    System {
        /// The operation, as a verb phrase.
        what: &'static str,
        /// The error of the system.
        source: io::Error,
    },
    /// The address can be reached from other machines.
    #[error("`{address}` can be reached from other machines; use a loopback address, such as 127.0.0.1")]
    NotLoopback {
        /// The address.
        address: String,
    },
}

impl ServeError {
    /// Converts an error of the system that occurred during the operation `what`.
    pub fn system(what: &'static str) -> impl FnOnce(io::Error) -> Self {
        move |source| Self::System { what, source }
    }
}
