//! One thread, from the start to the end.

use std::future::Future;
use std::time::Duration;

use crate::ServeError;

/// How many files a server has open beside those of its requests, and some for these.
const DESCRIPTORS: usize = 16;
/// For how long other threads are waited for at the end.
const LAST_GRACE: Duration = Duration::from_millis(1_500);

/// Runs `work` on this thread until it ends; what touches files may run on `most` others. Those that are still running then
/// are waited for, but not for ever: a wait for a lock ends at once, and what hangs in the system is left to the end of the
/// process. A change that is cut off by that is finished or undone by the next one.
///
/// # Errors
///
/// Fails as `work` does, or if the system does not give what is needed.
pub fn run<T>(most: usize, work: impl Future<Output = Result<T, ServeError>>) -> Result<T, ServeError> {
    // What runs everything below panics where it gets no descriptor for its own needs.
    minds_system::expect_descriptors(DESCRIPTORS).map_err(ServeError::system("start the server"))?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .max_blocking_threads(most)
        .build()
        .map_err(ServeError::system("start the server"))?;
    let done = runtime.block_on(work);
    minds_system::end_lock_waits(Duration::ZERO);
    runtime.shutdown_timeout(LAST_GRACE);
    done
}

/// That somebody asks the process to end, by Ctrl-C or as services are ended.
#[derive(Debug)]
pub struct Ending {
    #[cfg(unix)]
    interrupt: tokio::signal::unix::Signal,
    #[cfg(unix)]
    terminate: tokio::signal::unix::Signal,
}

impl Ending {
    /// Begins to listen: from now on the process does not die of being asked.
    ///
    /// # Errors
    ///
    /// Fails if the system does not tell.
    pub fn new() -> Result<Self, ServeError> {
        #[cfg(unix)]
        {
            use tokio::signal::unix::{SignalKind, signal};
            let signal = |kind| signal(kind).map_err(ServeError::system("wait for signals"));
            Ok(Self {
                interrupt: signal(SignalKind::interrupt())?,
                terminate: signal(SignalKind::terminate())?,
            })
        }
        #[cfg(not(unix))]
        Ok(Self {})
    }

    /// Waits until somebody asks.
    pub async fn asked(mut self) {
        #[cfg(unix)]
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.terminate.recv() => {}
        }
        #[cfg(not(unix))]
        let _ = tokio::signal::ctrl_c().await;
    }
}
