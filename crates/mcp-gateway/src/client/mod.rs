//! The connection to one server: processes, HTTP, and the protocol.
//!
//! The library of the protocol keeps the rules of its revisions: handshakes, ids, sessions. What servers answer does not pass
//! through its types, which would lose what they do not know; the transports take it out before (`wire`).

mod connection;
mod deadline;
mod error;
pub(crate) mod flag;
mod handler;
mod http;
pub(crate) mod lines;
mod list;
mod open;
mod process;
mod request;
mod running;
pub(crate) mod stdio;
pub(crate) mod wire;

use std::io;
use std::os::fd::OwnedFd;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

pub use connection::Connection;
pub use error::{CallError, ConnectError};
pub use list::{ListedTool, MAX_TOOLS};

/// The most bytes of the result of a call.
pub const MAX_RESULT_BYTES: usize = 8 << 20;
/// The most bytes of a message of a server.
pub const MAX_MESSAGE_BYTES: usize = 16 << 20;
/// The most bytes of a line of a log.
pub const MAX_LOG_LINE_BYTES: usize = 8 << 10;

/// Receives what a server tells outside of calls. Methods return at once.
pub trait ServerEvents: Send + Sync {
    /// The tools of the server changed.
    fn tools_changed(&self);

    /// Receives a line that the server wrote on standard error or sent as a log message, without its line break.
    fn log(&self, line: &str);
}

/// The client of a call. Methods return at once.
pub trait Exchange: Send + Sync {
    /// Returns whether the client accepts a task of the tasks extension instead of a result.
    fn accepts_tasks(&self) -> bool {
        false
    }

    /// Passes a notification of progress on: `progress`, and `total` and `message` if they are given.
    fn progress(&self, progress: Map<String, Value>);

    /// Asks the user a question of the server. `reply` receives the result of the protocol, with `action`; if it is dropped,
    /// the question is declined.
    fn elicit(&self, question: Map<String, Value>, reply: Box<dyn FnOnce(Map<String, Value>) + Send>);
}

/// Passes the messages of programs on in another process.
pub(crate) trait PipeRelay: Send + Sync {
    /// Gives the standard input and output of a program to the relay.
    fn relay(&self, input: &OwnedFd, output: &OwnedFd) -> io::Result<RelayedPipes>;
}

/// The pipes of a relay, as if they were those of the program.
pub(crate) struct RelayedPipes {
    /// Identifies the relay.
    pub(crate) number: u64,
    pub(crate) input: OwnedFd,
    pub(crate) output: OwnedFd,
}

/// How a connection is opened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// What a program receives of the environment of this process.
    pub inherited: Inheritance,
    /// The revision of the protocol that the server spoke the last time.
    pub revision: Option<String>,
    /// How long a step may take.
    pub times: Times,
}

/// What a program receives of the environment of this process.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Inheritance {
    /// All variables but those that no server must know.
    #[default]
    All,
    /// The variables that most programs need.
    Basic,
    /// All variables that the same program needs if a user starts it: a program of ours.
    OfProgram,
}

/// How long a step may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Times {
    /// From the start to the end of the handshake.
    pub start: Duration,
    /// The answer to `server/discover`, before the server is taken for one of an earlier revision.
    pub discovery: Duration,
    /// Each step of the end of a program.
    pub stop_step: Duration,
}

/// How long a call may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CallLimits {
    /// In all.
    pub total: Duration,
    /// Without progress, except while a question waits for its answer.
    pub idle: Duration,
}

impl Default for Options {
    fn default() -> Self {
        Self { inherited: Inheritance::All, revision: None, times: Times::default() }
    }
}

impl Default for Times {
    fn default() -> Self {
        Self {
            start: Duration::from_secs(30),
            discovery: Duration::from_secs(5),
            stop_step: Duration::from_millis(500),
        }
    }
}

impl Default for CallLimits {
    fn default() -> Self {
        Self { total: Duration::from_mins(5), idle: Duration::from_mins(1) }
    }
}
