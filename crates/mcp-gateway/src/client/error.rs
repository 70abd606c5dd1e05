//! Why a server cannot be used. Nothing here contains a value of a header or of a variable.

use std::time::Duration;

use minds_process::StartError;
use serde::{Deserialize, Serialize};

/// The most bytes of a message of a server within an error.
const MAX_TEXT_BYTES: usize = 300;

/// Why there is no connection to a server.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ConnectError {
    /// The program was not started.
    #[error(transparent)]
    Start(#[from] StartError),
    /// The program ended, or the server cannot be reached.
    #[error("{reason}")]
    Unreachable {
        /// A sentence that names what failed.
        reason: String,
    },
    /// The handshake took too long.
    #[error("the server did not answer within {} s", .time.as_secs())]
    TimedOut {
        /// The time.
        time: Duration,
    },
    /// The server refused the handshake.
    #[error("the server refused the connection with error {code}: {message}")]
    Refused {
        /// The code of the error.
        code: i64,
        /// The message of the server.
        message: String,
        /// The revisions that the server says it speaks.
        supported: Vec<String>,
    },
    /// The server speaks another revision of the protocol.
    #[error("the server speaks the revision `{revision}` of the protocol, which is unknown here")]
    Revision {
        /// The revision.
        revision: String,
    },
    /// The server does not follow the protocol.
    #[error("the server does not speak the Model Context Protocol")]
    Invalid,
}

/// Why a request has no result.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[non_exhaustive]
pub enum CallError {
    /// The connection ended, or the server cannot be reached.
    #[error("{reason}")]
    Unavailable {
        /// A sentence that names what failed.
        reason: String,
    },
    /// There was no result in time, and the request was cancelled at the server.
    #[error("the server gave no {} within {} s", if *.is_idle { "sign of progress" } else { "result" }, .time.as_secs())]
    TimedOut {
        /// The time.
        time: Duration,
        /// Whether it is the time without progress.
        is_idle: bool,
    },
    /// The result is too large.
    #[error("the result of the server has more than {limit} bytes")]
    TooLarge {
        /// The limit.
        limit: usize,
    },
    /// The server answered with an error of the protocol.
    #[error("the server answered with error {code}: {message}")]
    Refused {
        /// The code of the error.
        code: i64,
        /// The message of the server.
        message: String,
    },
    /// The answer does not follow the protocol.
    #[error("the server answered with something else than a result")]
    Invalid,
}

impl CallError {
    pub(super) fn unavailable(reason: impl Into<String>) -> Self {
        Self::Unavailable { reason: reason.into() }
    }
}

/// Shortens a message of a server to one line of limited length.
pub(super) fn shorten(text: &str) -> String {
    let line = text.trim().lines().next().unwrap_or_default();
    if line.len() <= MAX_TEXT_BYTES {
        return line.to_owned();
    }
    format!("{}…", prefix(line, MAX_TEXT_BYTES))
}

/// Returns the longest beginning of a string that has at most `limit` bytes.
pub(super) fn prefix(text: &str, limit: usize) -> &str {
    text.get(..text.floor_char_boundary(limit)).unwrap_or(text)
}
