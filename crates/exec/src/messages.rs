//! What a supervisor and the agent that started it say to each other, over a socket that only they have.
//!
//! The agent sends descriptors and the length of a [`Request`], which follows as JSON. The supervisor answers with lines of JSON,
//! [`Report`]s. Afterwards the agent sends one byte for each wish, and the end of the socket means: kill everything.

use std::ffi::OsString;
use std::io::{self, Read as _};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::{Level, SandboxRules, SkippedRule};

/// The maximum length in bytes of a request. Arguments and variables of a program are limited to a fourth by Linux.
pub(crate) const MAX_REQUEST_BYTES: u64 = 32 << 20;
/// The maximum length in bytes of a report.
const MAX_REPORT_BYTES: usize = 1 << 20;

/// The wish that the command ends: `SIGTERM`, and 2 seconds later `SIGKILL`.
pub(crate) const TERMINATE: u8 = b't';
/// The wish that the command is killed.
pub(crate) const KILL: u8 = b'k';

/// What a supervisor starts. Strings of the system may be any bytes, which the form of `serde` keeps.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Request {
    pub(crate) program: OsString,
    pub(crate) args: Vec<OsString>,
    pub(crate) directory: OsString,
    pub(crate) variables: Vec<(OsString, OsString)>,
    /// Whether it gets a terminal; else the descriptors are its standard streams.
    pub(crate) has_terminal: bool,
    pub(crate) time_limit_ms: Option<u64>,
    pub(crate) rules: Option<Rules>,
}

/// [`SandboxRules`] with paths of any bytes.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Rules {
    read: Vec<OsString>,
    write: Vec<OsString>,
    devices: Vec<OsString>,
    reads_proc: bool,
    is_required: bool,
}

impl Rules {
    pub(crate) fn of(rules: &SandboxRules) -> Self {
        let strings = |paths: &[PathBuf]| paths.iter().map(|path| path.clone().into_os_string()).collect();
        Self {
            read: strings(&rules.read),
            write: strings(&rules.write),
            devices: strings(&rules.devices),
            reads_proc: rules.reads_proc,
            is_required: rules.is_required,
        }
    }

    pub(crate) fn into_rules(self) -> SandboxRules {
        let paths = |strings: Vec<OsString>| strings.into_iter().map(PathBuf::from).collect();
        SandboxRules {
            read: paths(self.read),
            write: paths(self.write),
            devices: paths(self.devices),
            reads_proc: self.reads_proc,
            is_required: self.is_required,
        }
    }
}

/// What a supervisor reports: first whether the command has started, then how it ended.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Report {
    /// It runs. A request for a terminal is followed by the descriptor of the terminal.
    Started { pid: u32, level: Level, skipped: Vec<SkippedRule> },
    /// It was not started.
    Failed(StartFailure),
    /// It has ended, and so has everything that it started.
    Ended { code: Option<i32>, signal: Option<i32>, timed_out: bool, duration_ms: u64 },
}

/// Why a supervisor did not start a command.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum StartFailure {
    NotFound,
    NotExecutable,
    Directory,
    SandboxRequired { level: Level },
    Sandbox { reason: String },
    Refused { reason: String },
}

/// Reads a report; none at the end of the socket. No byte after it is read, because a descriptor may follow.
///
/// # Errors
///
/// Fails if the socket cannot be read, and with `InvalidData` if it is not a report.
pub(crate) fn read_report(mut socket: &UnixStream) -> io::Result<Option<Report>> {
    let mut line = Vec::new();
    loop {
        let mut byte = [0];
        match socket.read(&mut byte) {
            Ok(0) => return Ok(None),
            Ok(_) if byte == *b"\n" => break,
            Ok(_) if line.len() < MAX_REPORT_BYTES => line.extend(byte),
            Ok(_) => return Err(io::ErrorKind::InvalidData.into()),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            // The supervisor was killed before it had read everything.
            Err(error) if error.kind() == io::ErrorKind::ConnectionReset => return Ok(None),
            Err(error) => return Err(error),
        }
    }
    Ok(Some(serde_json::from_slice(&line)?))
}

/// The form of a path in a message.
pub(crate) mod path {
    use std::ffi::OsString;
    use std::path::{Path, PathBuf};

    use serde::{Deserialize as _, Deserializer, Serialize as _, Serializer};

    pub(crate) fn serialize<S: Serializer>(path: &Path, serializer: S) -> Result<S::Ok, S::Error> {
        path.as_os_str().serialize(serializer)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<PathBuf, D::Error> {
        OsString::deserialize(deserializer).map(PathBuf::from)
    }
}
