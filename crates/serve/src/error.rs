//! Why serving ended before it was asked to.

use std::io;

/// Why a server could not start, or could not go on. What a client sends is never a reason.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ServeError {
    /// The system did not give what a server needs.
    #[error("cannot {what}: {source}")]
    System {
        /// What was to be done.
        what: &'static str,
        /// What the system says.
        source: io::Error,
    },
    /// The address may be reached from other machines.
    #[error(
        "`{address}` can be reached from other machines; only addresses of this one are served, such as 127.0.0.1"
    )]
    NotLoopback {
        /// The address.
        address: String,
    },
}

impl ServeError {
    /// Returns how the system's refusal to do `what` is said.
    pub fn system(what: &'static str) -> impl FnOnce(io::Error) -> Self {
        move |source| Self::System { what, source }
    }
}
