//! What Ctrl-C and Ctrl-\ do.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use signal_hook::consts::{SIGINT, SIGQUIT};
use signal_hook::flag::register_conditional_default;

/// Whether they do what they do by default: end the process. Nothing is here before they were to do something else.
static BY_DEFAULT: OnceLock<Arc<AtomicBool>> = OnceLock::new();

/// That this process does not end by Ctrl-C and Ctrl-\ until this is dropped. There is one such value at a time.
///
/// A terminal sends them to all that run on it, and who has the screen decides what they mean. Programs that are started
/// meanwhile end by them, unless they say otherwise themselves: the system forgets handlers where another program begins.
#[derive(Debug)]
pub(crate) struct Uninterrupted(Arc<AtomicBool>);

impl Uninterrupted {
    /// Begins to ignore them.
    ///
    /// # Errors
    ///
    /// Fails if the system takes no handler.
    pub(crate) fn begin() -> io::Result<Self> {
        if let Some(by_default) = BY_DEFAULT.get() {
            by_default.store(false, Ordering::SeqCst);
            return Ok(Self(Arc::clone(by_default)));
        }
        let by_default = Arc::new(AtomicBool::new(false));
        for signal in [SIGINT, SIGQUIT] {
            register_conditional_default(signal, Arc::clone(&by_default))?;
        }
        // Whoever was quicker has handlers too, which do what is said by theirs.
        Ok(Self(Arc::clone(BY_DEFAULT.get_or_init(|| by_default))))
    }
}

impl Drop for Uninterrupted {
    fn drop(&mut self) {
        self.0.store(true, Ordering::SeqCst);
    }
}
