//! Handling of Ctrl-C and Ctrl-\.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use signal_hook::consts::{SIGINT, SIGQUIT};
use signal_hook::flag::register_conditional_default;

/// Whether the signals have their default effect of ending the process. Unset until the first guard is
/// installed.
static BY_DEFAULT: OnceLock<Arc<AtomicBool>> = OnceLock::new();

/// While a guard exists, Ctrl-C and Ctrl-\ do not end this process. At most one guard exists at a time.
///
/// A terminal sends these signals to all processes of its foreground group. Programs started while a guard
/// exists still end by them unless they handle the signals themselves, because `exec` resets handlers.
#[derive(Debug)]
pub(crate) struct InterruptGuard(Arc<AtomicBool>);

impl InterruptGuard {
    /// Starts to ignore the signals.
    ///
    /// # Errors
    ///
    /// Fails if a handler cannot be installed.
    pub(crate) fn install() -> io::Result<Self> {
        if let Some(by_default) = BY_DEFAULT.get() {
            by_default.store(false, Ordering::SeqCst);
            return Ok(Self(Arc::clone(by_default)));
        }
        let by_default = Arc::new(AtomicBool::new(false));
        for signal in [SIGINT, SIGQUIT] {
            register_conditional_default(signal, Arc::clone(&by_default))?;
        }
        // If another thread installed its handlers first, both sets of handlers read the same flag.
        Ok(Self(Arc::clone(BY_DEFAULT.get_or_init(|| by_default))))
    }
}

impl Drop for InterruptGuard {
    fn drop(&mut self) {
        self.0.store(true, Ordering::SeqCst);
    }
}
