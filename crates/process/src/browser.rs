//! The user's web browser.

use std::io;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::SystemError;

/// Opens a file in the user's browser. Blocks if the system's opener waits for the browser.
///
/// The page is passed as a file rather than a URL because program arguments are visible to every user of the
/// machine.
///
/// # Errors
///
/// Fails if no display is available, or the system has no program that opens pages.
pub fn open_in_browser(page: &Path) -> Result<(), SystemError> {
    let opener = if cfg!(target_os = "macos") { "open" } else { "xdg-open" };
    let failed = |error| SystemError::new("open a browser with", Path::new(opener), error);
    let is_set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    // Without a display, an opener would fall back to a terminal browser and take over this terminal.
    if opener == "xdg-open" && !["DISPLAY", "WAYLAND_DISPLAY", "BROWSER"].into_iter().any(is_set) {
        return Err(failed(io::Error::other("no display is available")));
    }
    let mut command = Command::new(opener);
    command.arg(page).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    // The browser must not be terminated by the Ctrl-C that terminates this process.
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    let status = command.status().map_err(failed)?;
    if status.success() { Ok(()) } else { Err(failed(io::Error::other(status.to_string()))) }
}
