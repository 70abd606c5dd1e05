//! Terminals for commands. Only this module knows the library for them.

use std::io;
use std::os::fd::OwnedFd;
use std::process::{Child, Command};

use pty_process::Size;
use pty_process::blocking::{Pts, open};

/// The size of the terminal, which programs expect where they know nothing else.
const ROWS: u16 = 24;
const COLUMNS: u16 = 80;

/// The side of a new terminal for a command.
pub(crate) struct CommandSide(Pts);

/// Opens a terminal. The descriptor is the side that reads what the command writes.
///
/// # Errors
///
/// Fails if the system has no further terminals.
pub(crate) fn open_terminal() -> io::Result<(OwnedFd, CommandSide)> {
    let (reader, command) = open().map_err(into_io)?;
    reader.resize(Size::new(ROWS, COLUMNS)).map_err(into_io)?;
    Ok((reader.into(), CommandSide(command)))
}

impl CommandSide {
    /// Starts a command in a session of its own, with this terminal as its standard streams.
    ///
    /// # Errors
    ///
    /// Fails if the command cannot be started.
    pub(crate) fn spawn(self, command: Command) -> io::Result<Child> {
        pty_process::blocking::Command::from(command).spawn(self.0).map_err(into_io)
    }
}

fn into_io(error: pty_process::Error) -> io::Error {
    match error {
        pty_process::Error::Io(error) => error,
        pty_process::Error::Rustix(error) => error.into(),
    }
}
