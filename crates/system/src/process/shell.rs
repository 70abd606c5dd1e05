//! Commands that a user agreed to.

use std::ops::ControlFlow;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use super::group::{End, Listener, run};
use crate::SystemError;

/// The variables that a command has of the environment of the user.
pub const SHELL_VARIABLES: &[&str] = &[
    "PATH",
    "HOME",
    "USER",
    "LOGNAME",
    "SHELL",
    "TMPDIR",
    "TERM",
    "LANG",
    "LC_ALL",
    "LC_CTYPE",
    "LC_MESSAGES",
    "TZ",
];

/// How much a command may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ShellLimits {
    /// How long it may run.
    pub time: Duration,
    /// How many bytes are kept of standard output, and as many of standard error. What is more is read and forgotten.
    pub most_output: usize,
}

impl Default for ShellLimits {
    /// Ten minutes and 64 KiB.
    fn default() -> Self {
        Self { time: Duration::from_mins(10), most_output: 1 << 16 }
    }
}

/// How a command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShellOutcome {
    /// With this number; 0 is success.
    Exited(i32),
    /// A signal ended it.
    Killed,
    /// Its time was up, and it was killed with all that it started.
    TimedOut,
}

/// What came of a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShellEnd {
    /// How it ended.
    pub outcome: ShellOutcome,
    /// The beginning of what it printed on standard output. It is untrusted: escape it before a terminal sees it.
    pub stdout: Vec<u8>,
    /// The beginning of what it printed on standard error, as untrusted.
    pub stderr: Vec<u8>,
    /// Whether it printed more than was kept.
    pub is_cut: bool,
}

impl ShellEnd {
    /// Returns whether the command succeeded.
    pub fn is_success(&self) -> bool {
        self.outcome == ShellOutcome::Exited(0)
    }
}

/// Runs `command` by `sh -c` in `directory`, with closed standard input, in a process group of its own. Of the
/// environment of the user it has [`SHELL_VARIABLES`], and those that `variables` names. It ends when the shell ends: what
/// the shell left running is killed then.
///
/// It is the caller who has the user's consent to exactly this text.
///
/// # Errors
///
/// Fails if there is no shell, or no such directory.
pub fn run_shell(
    command: &str,
    directory: &Path,
    variables: &[String],
    limits: ShellLimits,
) -> Result<ShellEnd, SystemError> {
    let mut shell = Command::new("/bin/sh");
    shell.arg("-c").arg(command).current_dir(directory).env_clear();
    let known = SHELL_VARIABLES.iter().copied().chain(variables.iter().map(String::as_str));
    shell.envs(known.filter_map(|name| Some((name, std::env::var_os(name)?))));
    let mut kept = Kept { most: limits.most_output, ..Kept::default() };
    let end = run(shell, &[], limits.time, &mut kept)
        .map_err(|error| SystemError::new("run a command in", directory, error))?;
    let outcome = match end {
        End::Exited(status) => status.code().map_or(ShellOutcome::Killed, ShellOutcome::Exited),
        End::TimedOut | End::Stopped => ShellOutcome::TimedOut,
    };
    Ok(ShellEnd { outcome, stdout: kept.stdout, stderr: kept.stderr, is_cut: kept.is_cut })
}

#[derive(Default)]
struct Kept {
    most: usize,
    stdout: Vec<u8>,
    stderr: Vec<u8>,
    is_cut: bool,
}

/// Keeps as much as there is room for; returns whether that was all.
fn keep(kept: &mut Vec<u8>, bytes: &[u8], most: usize) -> bool {
    let room = most.saturating_sub(kept.len());
    kept.extend_from_slice(bytes.get(..room).unwrap_or(bytes));
    bytes.len() <= room
}

impl Listener for Kept {
    fn output(&mut self, bytes: &[u8]) -> ControlFlow<()> {
        self.is_cut |= !keep(&mut self.stdout, bytes, self.most);
        ControlFlow::Continue(())
    }

    fn errors(&mut self, bytes: &[u8]) -> ControlFlow<()> {
        self.is_cut |= !keep(&mut self.stderr, bytes, self.most);
        ControlFlow::Continue(())
    }
}
