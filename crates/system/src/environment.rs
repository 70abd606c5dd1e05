//! Where the program runs.

use std::io::IsTerminal as _;
use std::path::{Path, PathBuf};

use crate::SystemError;

/// Returns the directory in which the program runs.
///
/// # Errors
///
/// Fails if the directory was removed, or cannot be reached any more.
pub fn current_directory() -> Result<PathBuf, SystemError> {
    std::env::current_dir().map_err(|error| SystemError::new("find", Path::new("."), error))
}

/// Returns the width of the terminal behind standard output in columns; none if there is no terminal.
pub fn terminal_width() -> Option<usize> {
    let stdout = std::io::stdout();
    if !stdout.is_terminal() {
        return None;
    }
    width_of(&stdout)
}

#[cfg(unix)]
fn width_of(stdout: &std::io::Stdout) -> Option<usize> {
    let size = rustix::termios::tcgetwinsize(stdout).ok()?;
    Some(usize::from(size.ws_col)).filter(|columns| *columns > 0)
}

#[cfg(not(unix))]
fn width_of(_: &std::io::Stdout) -> Option<usize> {
    None
}
