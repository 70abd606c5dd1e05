//! Notices sent to the front end during an operation, and the lock timeout.

use std::fmt;
use std::sync::OnceLock;
use std::time::Duration;

use crate::files::LockHolder;

/// How long to wait for a lock unless configured otherwise.
pub const DEFAULT_LOCK_TIMEOUT: Duration = Duration::from_secs(30);
/// The maximum number of files that a notice names.
const MAX_NAMES: usize = 8;

static SETTINGS: OnceLock<Settings> = OnceLock::new();

struct Settings {
    lock_timeout: Duration,
    notify: fn(&Notice<'_>),
}

/// An event that the user should know about although the operation continues.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Notice<'a> {
    /// A lock is held by another process, and the operation waits for it.
    Waiting {
        /// The file to be changed, as a path below its root.
        target: &'a str,
        /// The process that holds the lock.
        holder: LockHolder,
        /// The maximum duration of the wait.
        timeout: Duration,
    },
    /// A file was read.
    Read {
        /// The file, as a path below its root or as named by the user.
        file: &'a str,
        /// The number of bytes read.
        bytes: usize,
    },
    /// The workspace of a command was determined.
    Workspace {
        /// The directory, relative to the current one; none if nothing was found at or above `start`.
        directory: Option<&'a str>,
        /// Where the search started, relative to the current directory.
        start: &'a str,
    },
    /// A change that an earlier process left unfinished was completed.
    Finished {
        /// The changed files, as paths below the root.
        files: &'a [String],
    },
    /// A change that an earlier process left unfinished was undone.
    Undone {
        /// The files that it would have changed, as paths below the root.
        files: &'a [String],
    },
}

impl Notice<'_> {
    /// Returns whether the notice only explains how a result came about.
    pub fn is_detail(&self) -> bool {
        matches!(self, Self::Read { .. } | Self::Workspace { .. })
    }
}

impl fmt::Display for Notice<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Waiting { target, holder, timeout } => {
                write!(
                    f,
                    "waiting for `{target}`, which {holder} has locked, for at most {} s",
                    timeout.as_secs()
                )
            }
            Self::Read { file, bytes } => write!(f, "read `{file}` ({bytes} bytes)"),
            Self::Workspace { directory: Some(directory), start } => {
                write!(f, "the workspace is `{directory}`, found by searching upwards from `{start}`")
            }
            Self::Workspace { directory: None, start } => {
                write!(f, "there is no workspace at or above `{start}`")
            }
            Self::Finished { files } => {
                f.write_str("finished a change that was interrupted earlier: ")?;
                write_names(files, f)
            }
            Self::Undone { files } => {
                f.write_str("undid a change that was interrupted earlier: ")?;
                write_names(files, f)
            }
        }
    }
}

fn write_names(files: &[String], f: &mut fmt::Formatter<'_>) -> fmt::Result {
    for (at, file) in files.iter().take(MAX_NAMES).enumerate() {
        write!(f, "{}`{file}`", if at == 0 { "" } else { ", " })?;
    }
    match files.len().saturating_sub(MAX_NAMES) {
        0 => Ok(()),
        more => write!(f, " and {more} more"),
    }
}

/// Sets the lock timeout and the receiver of notices. Only the first call has an effect.
pub fn configure(lock_timeout: Duration, notify: fn(&Notice<'_>)) {
    let _ = SETTINGS.set(Settings { lock_timeout, notify });
}

pub(crate) fn lock_timeout() -> Duration {
    SETTINGS.get().map_or(DEFAULT_LOCK_TIMEOUT, |settings| settings.lock_timeout)
}

/// Sends a notice to the front end; for operations that complete or undo the work of an earlier process.
pub fn notify(notice: &Notice<'_>) {
    if let Some(settings) = SETTINGS.get() {
        (settings.notify)(notice);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(notice: Notice<'_>, expected: &str) {
        assert_eq!(notice.to_string(), expected);
    }

    #[test]
    fn notices_name_the_lock_holder_and_the_recovered_files() {
        let timeout = Duration::from_secs(30);
        check(
            Notice::Waiting { target: "a/b.md", holder: LockHolder::Process(42), timeout },
            "waiting for `a/b.md`, which process 42 has locked, for at most 30 s",
        );
        let files: Vec<String> = ["a", "b"].map(ToOwned::to_owned).into();
        check(Notice::Finished { files: &files }, "finished a change that was interrupted earlier: `a`, `b`");
        let many: Vec<String> = (0..10).map(|number| number.to_string()).collect();
        check(
            Notice::Undone { files: &many },
            "undid a change that was interrupted earlier: `0`, `1`, `2`, `3`, `4`, `5`, `6`, `7` and 2 more",
        );
    }
}
