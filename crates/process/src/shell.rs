//! Running shell commands that a user has approved.

use std::ops::ControlFlow;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use crate::SystemError;
use crate::group::{End, Listener, run_program};

/// The environment variables of the user that are passed to a command.
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

/// The limits of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ShellLimits {
    /// The timeout.
    pub time: Duration,
    /// The maximum number of bytes kept of standard output, and of standard error. Further output is read and
    /// discarded.
    pub max_output_bytes: usize,
}

impl Default for ShellLimits {
    /// Ten minutes and 64 KiB.
    fn default() -> Self {
        Self { time: Duration::from_mins(10), max_output_bytes: 1 << 16 }
    }
}

/// How a command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShellOutcome {
    /// It exited with this code; 0 is success.
    Exited(i32),
    /// It was terminated by a signal.
    Killed,
    /// It reached the timeout, and was killed with all processes that it started.
    TimedOut,
}

/// The result of a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShellEnd {
    /// How it ended.
    pub outcome: ShellOutcome,
    /// The beginning of its standard output. It is untrusted: escape it before printing it to a terminal.
    pub stdout: Vec<u8>,
    /// The beginning of its standard error, equally untrusted.
    pub stderr: Vec<u8>,
    /// Whether output beyond the limit was discarded.
    pub is_cut: bool,
}

impl ShellEnd {
    /// Returns whether the command succeeded.
    pub fn is_success(&self) -> bool {
        self.outcome == ShellOutcome::Exited(0)
    }
}

/// Runs `command` with `sh -c` in `directory`, with closed standard input, in a process group of its own. It
/// receives [`SHELL_VARIABLES`] and the variables named in `variables` from the user's environment. When the
/// shell exits, processes that it left running are killed.
///
/// The caller must have the user's consent to exactly this command.
///
/// # Errors
///
/// Fails if there is no shell, or the directory does not exist.
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
    let mut captured = CapturedOutput { max_bytes: limits.max_output_bytes, ..CapturedOutput::default() };
    let end = run_program(shell, &[], limits.time, &mut captured)
        .map_err(|error| SystemError::new("run a command in", directory, error))?;
    let outcome = match end {
        End::Exited(status) => status.code().map_or(ShellOutcome::Killed, ShellOutcome::Exited),
        End::TimedOut | End::Stopped => ShellOutcome::TimedOut,
    };
    Ok(ShellEnd { outcome, stdout: captured.stdout, stderr: captured.stderr, is_cut: captured.is_cut })
}

#[derive(Default)]
struct CapturedOutput {
    max_bytes: usize,
    stdout: Vec<u8>,
    stderr: Vec<u8>,
    is_cut: bool,
}

/// Appends bytes up to the limit; returns whether all of them fit.
fn append_limited(captured: &mut Vec<u8>, bytes: &[u8], max_bytes: usize) -> bool {
    let room = max_bytes.saturating_sub(captured.len());
    captured.extend_from_slice(bytes.get(..room).unwrap_or(bytes));
    bytes.len() <= room
}

impl Listener for CapturedOutput {
    fn output(&mut self, bytes: &[u8]) -> ControlFlow<()> {
        self.is_cut |= !append_limited(&mut self.stdout, bytes, self.max_bytes);
        ControlFlow::Continue(())
    }

    fn errors(&mut self, bytes: &[u8]) -> ControlFlow<()> {
        self.is_cut |= !append_limited(&mut self.stderr, bytes, self.max_bytes);
        ControlFlow::Continue(())
    }
}
