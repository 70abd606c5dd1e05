//! Finding and running the git program.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use minds_process::{End, Listener, run_program};

use crate::command::{Environment, build_environment};
use crate::error::{GitError, GitErrorKind};

/// The minimum version, which supports every option and variable that is used.
pub(crate) const MIN_VERSION: &str = "2.32";
/// The same as numbers.
const MIN_VERSION_NUMBERS: (u32, u32) = (2, 32);
/// The maximum number of bytes kept of git's standard error.
const MAX_ERRORS: usize = 1 << 14;
/// The timeout for reading a local repository.
pub(crate) const LOCAL_TIME: Duration = Duration::from_mins(2);

/// A sufficiently recent git program, with a controlled environment.
#[derive(Clone, Debug)]
pub struct Git {
    program: PathBuf,
    environment: Environment,
}

impl Git {
    /// Searches the directories with absolute paths in `PATH`: the creator of the current directory cannot
    /// choose any of them.
    ///
    /// With `user_config`, the configuration of the user and the system applies, which may name programs such
    /// as credential helpers; otherwise it is not read.
    ///
    /// # Errors
    ///
    /// Fails if git is not found, or is older than version 2.32.
    pub fn find(user_config: bool) -> Result<Self, GitError> {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let folders = std::env::split_paths(&path).filter(|folder| folder.is_absolute());
        let mut programs = folders.map(|folder| folder.join("git"));
        match programs.find(|program| program.is_file()) {
            Some(program) => Self::at(&program, user_config),
            None => Err(GitError::new(GitErrorKind::Missing)),
        }
    }

    /// Uses the program at an absolute path.
    ///
    /// # Errors
    ///
    /// Fails like [`Git::find`].
    pub fn at(program: &Path, user_config: bool) -> Result<Self, GitError> {
        if !program.is_absolute() {
            return Err(GitError::new(GitErrorKind::Missing));
        }
        let git = Self { program: program.to_owned(), environment: build_environment(user_config) };
        let mut command = git.command(None);
        command.arg("--version");
        let output = read_output(command, &[], 1 << 10, Duration::from_secs(30))?;
        let text = String::from_utf8_lossy(&output);
        let version = text.trim().strip_prefix("git version ").unwrap_or_default();
        match parse_version(version) {
            Some(found) if found >= MIN_VERSION_NUMBERS => Ok(git),
            Some(_) => {
                let found = super::error::sanitize(version);
                Err(GitError::new(GitErrorKind::TooOld { found }))
            }
            None => Err(GitError::new(GitErrorKind::Unexpected)),
        }
    }

    pub(crate) fn program(&self) -> &Path {
        &self.program
    }

    pub(crate) fn environment(&self) -> &Environment {
        &self.environment
    }
}

/// Runs a command to its end, and returns its output of at most `most` bytes.
pub(crate) fn read_output(
    command: Command,
    input: &[u8],
    most: usize,
    time: Duration,
) -> Result<Vec<u8>, GitError> {
    let mut output = Vec::new();
    let mut listener = OutputCollector { output: &mut output, most, errors: Vec::new() };
    let end = run_program(command, input, time, &mut listener)?;
    let errors = listener.errors;
    finish(end, time, &errors, || GitErrorKind::TooLarge(format!("{most} bytes of names")))?;
    Ok(output)
}

/// Converts the end of a program to a result.
pub(crate) fn finish(
    end: End,
    time: Duration,
    errors: &[u8],
    stopped: impl FnOnce() -> GitErrorKind,
) -> Result<(), GitError> {
    match end {
        End::Exited(status) if status.success() => Ok(()),
        End::Exited(_) => Err(GitError::of_output(errors)),
        End::TimedOut => Err(GitError::new(GitErrorKind::TimedOut(time))),
        End::Stopped => Err(GitError::new(stopped())),
    }
}

/// Appends to the kept beginning of standard error, up to a limit.
pub(crate) fn append_errors(errors: &mut Vec<u8>, bytes: &[u8]) {
    let available = MAX_ERRORS.saturating_sub(errors.len());
    errors.extend_from_slice(bytes.get(..available).unwrap_or(bytes));
}

struct OutputCollector<'a> {
    output: &'a mut Vec<u8>,
    most: usize,
    errors: Vec<u8>,
}

impl Listener for OutputCollector<'_> {
    fn output(&mut self, bytes: &[u8]) -> ControlFlow<()> {
        self.output.extend_from_slice(bytes);
        if self.output.len() > self.most { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    fn errors(&mut self, bytes: &[u8]) -> ControlFlow<()> {
        append_errors(&mut self.errors, bytes);
        ControlFlow::Continue(())
    }
}

fn parse_version(version: &str) -> Option<(u32, u32)> {
    let mut parts = version.split(['.', ' ', '-']);
    Some((parts.next()?.parse().ok()?, parts.next()?.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_parsed() {
        assert_eq!(parse_version("2.47.3"), Some((2, 47)));
        assert_eq!(parse_version("2.39.5 (Apple Git-154)"), Some((2, 39)));
        assert_eq!(parse_version("2.53-rc1"), Some((2, 53)));
        assert_eq!(parse_version(""), None);
        assert!(
            parse_version("2.9.1").unwrap() < MIN_VERSION_NUMBERS
                && parse_version("10.0").unwrap() > MIN_VERSION_NUMBERS
        );
    }
}
