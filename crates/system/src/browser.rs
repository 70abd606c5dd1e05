//! The browser of whoever sits at the machine.

use std::io;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::SystemError;

/// Opens a file in the browser of the user. Where the system's opener waits for the browser, so does this.
///
/// It takes a file and no address: arguments of programs can be read by every user of the machine.
///
/// # Errors
///
/// Fails if there is no screen, or the system has nothing that opens pages.
pub fn open_in_browser(page: &Path) -> Result<(), SystemError> {
    let opener = if cfg!(target_os = "macos") { "open" } else { "xdg-open" };
    let failed = |error| SystemError::new("open a browser with", Path::new(opener), error);
    let is_set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    // Without a screen an opener falls back to browsers for terminals, and this one is taken.
    if opener == "xdg-open" && !["DISPLAY", "WAYLAND_DISPLAY", "BROWSER"].into_iter().any(is_set) {
        return Err(failed(io::Error::other("there is no screen")));
    }
    let mut command = Command::new(opener);
    command.arg(page).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    // A browser that is started must not end by the Ctrl-C that ends us.
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    let status = command.status().map_err(failed)?;
    if status.success() { Ok(()) } else { Err(failed(io::Error::other(status.to_string()))) }
}
