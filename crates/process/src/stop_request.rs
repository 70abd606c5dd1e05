//! Requests to end this process.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag::{register, register_conditional_shutdown};

/// Notes Ctrl-C and `SIGTERM` instead of ending at once, for a command that has to finish its output first. The second signal
/// ends this process.
#[derive(Clone, Debug)]
pub struct StopRequest(Arc<AtomicBool>);

impl StopRequest {
    /// Notes the signals from now on.
    ///
    /// # Errors
    ///
    /// Fails if a handler cannot be installed.
    pub fn watch() -> io::Result<Self> {
        let flag = Arc::new(AtomicBool::new(false));
        for signal in [SIGINT, SIGTERM] {
            // In this order, only the second signal finds the flag set.
            register_conditional_shutdown(signal, 128 + signal, Arc::clone(&flag))?;
            register(signal, Arc::clone(&flag))?;
        }
        Ok(Self(flag))
    }

    /// Returns whether a signal has arrived.
    pub fn is_pending(&self) -> bool {
        self.0.load(Ordering::SeqCst)
    }
}
