//! The environment in which the program runs.

use std::io::{IsTerminal as _, Read as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use minds_document::{ContentHash, Expected};
use minds_paths::{MountId, WorkspacePath};

use crate::notice::{Notice, notify};
use crate::{MAX_FILE_BYTES, Root, SystemError};

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

/// Returns the width in columns of the terminal that stdout is connected to; none if it is not a terminal.
pub fn terminal_width() -> Option<usize> {
    let stdout = std::io::stdout();
    if !stdout.is_terminal() {
        return None;
    }
    width_of(&stdout)
}

/// Reads stdin to its end, or up to [`MAX_FILE_BYTES`].
///
/// # Errors
///
/// Fails if stdin cannot be read.
pub fn standard_input() -> Result<Vec<u8>, SystemError> {
    let mut bytes = Vec::new();
    let read = std::io::stdin().lock().take(MAX_FILE_BYTES).read_to_end(&mut bytes);
    read.map_err(|error| SystemError::new("read", Path::new("stdin"), error))?;
    Ok(bytes)
}

/// Reads a file named on the command line, relative to the current directory, of any type. At most
/// [`MAX_FILE_BYTES`] plus one byte are read; the extra byte reveals a longer file.
///
/// # Errors
///
/// Fails if the file does not exist or cannot be read.
pub fn read_named_file(path: &Path) -> Result<Vec<u8>, SystemError> {
    let read = |path: &Path| {
        let mut bytes = Vec::new();
        std::fs::File::open(path)?.take(MAX_FILE_BYTES + 1).read_to_end(&mut bytes)?;
        notify(&Notice::Read { file: &path.to_string_lossy(), bytes: bytes.len() });
        Ok(bytes)
    };
    read(path).map_err(|error| SystemError::new("read", path, error))
}

/// Removes a file named on the command line, relative to the current directory, if its content is still
/// `content`. A symbolic link is not followed.
///
/// # Errors
///
/// Fails if the file does not exist, its content differs, or it is not a regular file.
pub fn remove_named_file(path: &Path, content: &[u8]) -> Result<(), SystemError> {
    let failed = |reason: String| SystemError::new("remove", path, std::io::Error::other(reason));
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let name =
        path.file_name().and_then(|name| name.to_str()).and_then(|name| WorkspacePath::parse(name).ok());
    let name = name.ok_or_else(|| failed("its name is not valid".to_owned()))?;
    let root = Root::open(parent, MountId::WORKSPACE)?;
    let removed = root.scoped().remove_file(&name, Expected::Content(ContentHash::of(content)));
    removed.map_err(|error| failed(error.to_string()))
}

/// Sleeps for `time`.
pub fn pause(time: Duration) {
    std::thread::sleep(time);
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
