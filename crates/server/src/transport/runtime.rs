//! The runtime of a server, and the signals that stop it.

use std::future::Future;
use std::time::Duration;

use crate::transport::ServeError;

/// The number of file descriptors that a server needs, with some for its requests.
const DESCRIPTORS: usize = 16;
/// The time to wait for other threads at the end.
const THREADS_TIMEOUT: Duration = Duration::from_millis(1_500);

/// Runs `work` on this thread until it ends. Blocking work, such as access to files, runs on up to `max_blocking_threads`
/// other threads. At the end these are given a short time: waits for locks end at once, and a call that hangs in the system
/// is abandoned. A change that is interrupted in this way is completed or undone by the next change.
///
/// # Errors
///
/// Returns the error of `work`, or an error if the system lacks resources.
pub fn run<T>(
    max_blocking_threads: usize,
    work: impl Future<Output = Result<T, ServeError>>,
) -> Result<T, ServeError> {
    // The runtime panics if it does not get the file descriptors that it needs.
    minds_process::expect_descriptors(DESCRIPTORS).map_err(ServeError::system("start the server"))?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .max_blocking_threads(max_blocking_threads)
        .build()
        .map_err(ServeError::system("start the server"))?;
    let done = runtime.block_on(work);
    minds_fs::end_lock_waits(Duration::ZERO);
    runtime.shutdown_timeout(THREADS_TIMEOUT);
    done
}

/// The signals that ask the process to stop: Ctrl-C, or the signal that stops services.
#[derive(Debug)]
pub struct ShutdownSignal {
    #[cfg(unix)]
    interrupt: tokio::signal::unix::Signal,
    #[cfg(unix)]
    terminate: tokio::signal::unix::Signal,
}

impl ShutdownSignal {
    /// Registers the signals, which no longer kill the process from now on.
    ///
    /// # Errors
    ///
    /// Fails if the signals cannot be registered.
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

    /// Waits for a signal.
    pub async fn wait(mut self) {
        #[cfg(unix)]
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.terminate.recv() => {}
        }
        #[cfg(not(unix))]
        let _ = tokio::signal::ctrl_c().await;
    }
}
