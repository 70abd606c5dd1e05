//! Where the program runs.

use std::io::{IsTerminal as _, Read as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use minds_document::{ContentHash, Expected};
use minds_paths::{MountId, WorkspacePath};

use crate::notice::{Notice, notify};
use crate::{MAX_FILE_BYTES, Root, SystemError};

/// Returns the directory in which the program runs.
///
/// # Errors
///
/// Fails if the directory was removed, or cannot be reached any more.
pub fn current_directory() -> Result<PathBuf, SystemError> {
    std::env::current_dir().map_err(|error| SystemError::new("find", Path::new("."), error))
}

/// Returns the environment variables that are set: each name, and whether the value is empty. The values stay where they
/// are. Names that are no text can be in no file, so they are left out.
pub fn variables() -> Vec<(String, bool)> {
    let named =
        std::env::vars_os().filter_map(|(name, value)| Some((name.into_string().ok()?, value.is_empty())));
    named.collect()
}

/// Returns the value of an environment variable that was set for this program; none if it is not set.
///
/// # Errors
///
/// Fails if the value is not UTF-8: whoever set it means something, so it does not count as not set.
pub fn variable(name: &str) -> Result<Option<String>, SystemError> {
    match std::env::var(name) {
        Ok(value) => Ok(Some(value)),
        Err(std::env::VarError::NotPresent) => Ok(None),
        Err(std::env::VarError::NotUnicode(_)) => {
            let source = std::io::Error::other("its value is not UTF-8");
            Err(SystemError::new("use the variable", Path::new(name), source))
        }
    }
}

/// Returns the width of the terminal behind standard output in columns; none if there is no terminal.
pub fn terminal_width() -> Option<usize> {
    let stdout = std::io::stdout();
    if !stdout.is_terminal() {
        return None;
    }
    width_of(&stdout)
}

/// Reads standard input to its end, or to [`MAX_FILE_BYTES`] if it is longer.
///
/// # Errors
///
/// Fails if it cannot be read.
pub fn standard_input() -> Result<Vec<u8>, SystemError> {
    let mut bytes = Vec::new();
    let read = std::io::stdin().lock().take(MAX_FILE_BYTES).read_to_end(&mut bytes);
    read.map_err(|error| SystemError::new("read", Path::new("standard input"), error))?;
    Ok(bytes)
}

/// Reads a file that the user names on the command line, relative to the current directory, whatever it is; at most
/// [`MAX_FILE_BYTES`] and one byte more, by which a longer one is known.
///
/// # Errors
///
/// Fails if there is none, or it cannot be read.
pub fn read_named_file(path: &Path) -> Result<Vec<u8>, SystemError> {
    let read = |path: &Path| {
        let mut bytes = Vec::new();
        std::fs::File::open(path)?.take(MAX_FILE_BYTES + 1).read_to_end(&mut bytes)?;
        notify(&Notice::Read { file: &path.to_string_lossy(), bytes: bytes.len() });
        Ok(bytes)
    };
    read(path).map_err(|error| SystemError::new("read", path, error))
}

/// Removes a file that the user names on the command line, relative to the current directory, if it still holds `content`; a
/// link is not followed.
///
/// # Errors
///
/// Fails if there is none, it holds something else, or it is no regular file.
pub fn remove_named_file(path: &Path, content: &[u8]) -> Result<(), SystemError> {
    let failed = |reason: String| SystemError::new("remove", path, std::io::Error::other(reason));
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let name =
        path.file_name().and_then(|name| name.to_str()).and_then(|name| WorkspacePath::parse(name).ok());
    let name = name.ok_or_else(|| failed("its name cannot be read".to_owned()))?;
    let root = Root::open(parent, MountId::WORKSPACE)?;
    let removed = root.scoped().remove_file(&name, Expected::Content(ContentHash::of(content)));
    removed.map_err(|error| failed(error.to_string()))
}

/// Lets time pass.
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
