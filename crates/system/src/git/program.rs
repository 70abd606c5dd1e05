//! The git program.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use super::command::{Environment, environment};
use super::error::{GitError, GitErrorKind};
use crate::process::{End, Listener, run};

/// The oldest version that knows each option it is given, and each variable that shuts something out.
pub(super) const OLDEST: &str = "2.32";
/// The same, as numbers.
const OLDEST_NUMBERS: (u32, u32) = (2, 32);
/// How much is kept of what it prints to standard error.
const MAX_ERRORS: usize = 1 << 14;
/// How long reading a repository of this machine may take.
pub(super) const LOCAL_TIME: Duration = Duration::from_mins(2);

/// The git program of this machine, new enough, and with an environment in which it does only what it is told.
#[derive(Clone, Debug)]
pub struct Git {
    program: PathBuf,
    environment: Environment,
}

impl Git {
    /// Looks for the program in the directories that `PATH` names absolutely: none of them is one that whoever made the
    /// current directory could have chosen.
    ///
    /// With `user_config` the configuration of the user and the system is in effect, which may name programs to be run, as
    /// helpers for credentials; else it is not read.
    ///
    /// # Errors
    ///
    /// Fails if there is none, or it is older than 2.32.
    pub fn find(user_config: bool) -> Result<Self, GitError> {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let folders = std::env::split_paths(&path).filter(|folder| folder.is_absolute());
        let mut programs = folders.map(|folder| folder.join("git"));
        match programs.find(|program| program.is_file()) {
            Some(program) => Self::at(&program, user_config),
            None => Err(GitError::new(GitErrorKind::Missing)),
        }
    }

    /// Takes the program at an absolute path.
    ///
    /// # Errors
    ///
    /// Fails as [`Git::find`] does.
    pub fn at(program: &Path, user_config: bool) -> Result<Self, GitError> {
        if !program.is_absolute() {
            return Err(GitError::new(GitErrorKind::Missing));
        }
        let git = Self { program: program.to_owned(), environment: environment(user_config) };
        let mut command = git.command(None);
        command.arg("--version");
        let answer = answer(command, &[], 1 << 10, Duration::from_secs(30))?;
        let text = String::from_utf8_lossy(&answer);
        let version = text.trim().strip_prefix("git version ").unwrap_or_default();
        match numbers(version) {
            Some(found) if found >= OLDEST_NUMBERS => Ok(git),
            Some(_) => {
                let found = super::error::harmless(version);
                Err(GitError::new(GitErrorKind::TooOld { found }))
            }
            None => Err(GitError::new(GitErrorKind::Unexpected)),
        }
    }

    pub(super) fn program(&self) -> &Path {
        &self.program
    }

    pub(super) fn environment(&self) -> &Environment {
        &self.environment
    }
}

/// Runs a command to its end, and returns what it prints: at most so many bytes.
pub(super) fn answer(
    command: Command,
    input: &[u8],
    most: usize,
    time: Duration,
) -> Result<Vec<u8>, GitError> {
    let mut answer = Vec::new();
    let mut listener = Collect { answer: &mut answer, most, errors: Vec::new() };
    let end = run(command, input, time, &mut listener)?;
    let errors = listener.errors;
    finish(end, time, &errors, || GitErrorKind::TooLarge(format!("{most} bytes of names")))?;
    Ok(answer)
}

/// Returns whether a program ended well.
pub(super) fn finish(
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

/// Keeps the beginning of what is printed to standard error.
pub(super) fn keep_errors(kept: &mut Vec<u8>, bytes: &[u8]) {
    let room = MAX_ERRORS.saturating_sub(kept.len());
    kept.extend_from_slice(bytes.get(..room).unwrap_or(bytes));
}

struct Collect<'a> {
    answer: &'a mut Vec<u8>,
    most: usize,
    errors: Vec<u8>,
}

impl Listener for Collect<'_> {
    fn output(&mut self, bytes: &[u8]) -> ControlFlow<()> {
        self.answer.extend_from_slice(bytes);
        if self.answer.len() > self.most { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    fn errors(&mut self, bytes: &[u8]) -> ControlFlow<()> {
        keep_errors(&mut self.errors, bytes);
        ControlFlow::Continue(())
    }
}

fn numbers(version: &str) -> Option<(u32, u32)> {
    let mut parts = version.split(['.', ' ', '-']);
    Some((parts.next()?.parse().ok()?, parts.next()?.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_numbers() {
        assert_eq!(numbers("2.47.3"), Some((2, 47)));
        assert_eq!(numbers("2.39.5 (Apple Git-154)"), Some((2, 39)));
        assert_eq!(numbers("2.53-rc1"), Some((2, 53)));
        assert_eq!(numbers(""), None);
        assert!(numbers("2.9.1").unwrap() < OLDEST_NUMBERS && numbers("10.0").unwrap() > OLDEST_NUMBERS);
    }
}
