//! The environment in which the program runs.

use std::ffi::OsString;
use std::io::{IsTerminal as _, Read as _};
use std::path::{Path, PathBuf};

use nix::unistd::{Uid, User};

use crate::SystemError;

/// The maximum number of bytes read from stdin: 16 MiB, plus one byte to detect a larger input.
pub const MAX_INPUT_BYTES: u64 = (16 << 20) + 1;

/// Returns the current directory.
///
/// # Errors
///
/// Fails if the directory was removed or is not accessible.
pub fn current_directory() -> Result<PathBuf, SystemError> {
    std::env::current_dir().map_err(|error| SystemError::new("find", Path::new("."), error))
}

/// Returns the environment variables that are set: each name, and whether its value is empty. Values are not
/// returned. Names that are not valid UTF-8 are left out, because a configuration file cannot refer to them.
pub fn variables() -> Vec<(String, bool)> {
    let variables =
        std::env::vars_os().filter_map(|(name, value)| Some((name.into_string().ok()?, value.is_empty())));
    variables.collect()
}

/// Returns the value of an environment variable; none if it is not set.
///
/// # Errors
///
/// Fails if the value is not valid UTF-8: such a variable was set deliberately and must not count as unset.
pub fn variable(name: &str) -> Result<Option<String>, SystemError> {
    match std::env::var(name) {
        Ok(value) => Ok(Some(value)),
        Err(std::env::VarError::NotPresent) => Ok(None),
        Err(std::env::VarError::NotUnicode(_)) => {
            let source = std::io::Error::other("its value is not valid UTF-8");
            Err(SystemError::new("use the variable", Path::new(name), source))
        }
    }
}

/// Returns the name of the machine; empty if it has none.
pub fn host_name() -> String {
    nix::unistd::gethostname().ok().and_then(|name| name.into_string().ok()).unwrap_or_default()
}

/// Returns the name of the user who runs the program: from `USER` or `LOGNAME`, else from the user database
/// for the effective user id, else the id itself as in `uid-1000`.
pub fn user_name() -> String {
    let names = ["USER", "LOGNAME"].into_iter().filter_map(|variable| std::env::var(variable).ok());
    let id = Uid::effective();
    // Services and sandboxes may start programs without these variables.
    let by_id = || User::from_uid(id).ok().flatten().map(|user| user.name);
    names
        .map(|name| name.trim().to_owned())
        .find(|name| !name.is_empty())
        .or_else(by_id)
        .filter(|name| !name.is_empty())
        .unwrap_or_else(|| format!("uid-{id}"))
}

/// Returns the data folder of the program: `MINDS_HOME`, else a folder in the platform's location for
/// application data. It need not exist.
///
/// # Errors
///
/// Fails if the environment does not name a folder.
pub fn program_folder() -> Result<PathBuf, SystemError> {
    let given = |variable: &str| std::env::var_os(variable).filter(|value| !value.is_empty());
    let absolute = |value: OsString| Some(PathBuf::from(value)).filter(|path| path.is_absolute());
    if let Some(home) = given("MINDS_HOME") {
        let path = PathBuf::from(home);
        return if path.is_absolute() { Ok(path) } else { Ok(current_directory()?.join(path)) };
    }
    if let Some(data) = given("XDG_DATA_HOME").and_then(absolute) {
        return Ok(data.join("minds"));
    }
    let folder =
        if cfg!(target_os = "macos") { "Library/Application Support/minds" } else { ".local/share/minds" };
    given("HOME").and_then(absolute).map(|home| home.join(folder)).ok_or(SystemError::NoHome)
}

/// Returns the width in columns of the terminal that stdout is connected to; none if it is not a terminal.
pub fn terminal_width() -> Option<usize> {
    let stdout = std::io::stdout();
    if !stdout.is_terminal() {
        return None;
    }
    width_of(&stdout)
}

/// Reads stdin to its end, or up to [`MAX_INPUT_BYTES`].
///
/// # Errors
///
/// Fails if stdin cannot be read.
pub fn standard_input() -> Result<Vec<u8>, SystemError> {
    let mut bytes = Vec::new();
    let read = std::io::stdin().lock().take(MAX_INPUT_BYTES).read_to_end(&mut bytes);
    read.map_err(|error| SystemError::new("read", Path::new("stdin"), error))?;
    Ok(bytes)
}

/// Returns whether stdout takes at least 4096 bytes now, so that writing them does not wait for their reader.
pub fn is_standard_output_writable() -> bool {
    is_writable(&std::io::stdout())
}

#[cfg(unix)]
fn is_writable(stdout: &std::io::Stdout) -> bool {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};

    let mut polled = [PollFd::new(stdout, PollFlags::OUT)];
    let at_once = Timespec { tv_sec: 0, tv_nsec: 0 };
    // An error counts as not writable: the write that waits reports it.
    poll(&mut polled, Some(&at_once)).is_ok() && polled.iter().all(|one| one.revents() == PollFlags::OUT)
}

#[cfg(not(unix))]
fn is_writable(_: &std::io::Stdout) -> bool {
    false
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
