//! Signals that ask a process for something.

use std::io;

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

/// A signal that a process handles itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Signal {
    /// `SIGTERM`: end.
    Terminate,
    /// `SIGINT`: interrupt the work.
    Interrupt,
    /// `SIGHUP`: read files again.
    Reload,
}

/// Calls `handle` on a thread of its own for each signal, from now on, in place of what the system does.
///
/// # Errors
///
/// Fails if the signals cannot be handled or the thread cannot be started.
pub fn watch_signals(mut handle: impl FnMut(Signal) + Send + 'static) -> io::Result<()> {
    let mut signals = Signals::new([SIGTERM, SIGINT, SIGHUP])?;
    let watch = move || {
        for signal in signals.forever() {
            handle(match signal {
                SIGTERM => Signal::Terminate,
                SIGINT => Signal::Interrupt,
                _ => Signal::Reload,
            });
        }
    };
    std::thread::Builder::new().name("signals".to_owned()).spawn(watch)?;
    Ok(())
}
