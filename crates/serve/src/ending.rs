//! One thread, from the start to the end.

use std::future::Future;

use crate::ServeError;

/// Runs `work` on this thread until it ends; what touches files may run on `most` others. Those that are still running then
/// are waited for, so nothing is cut off.
///
/// # Errors
///
/// Fails as `work` does, or if the system does not give what is needed.
pub fn run<T>(most: usize, work: impl Future<Output = Result<T, ServeError>>) -> Result<T, ServeError> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .max_blocking_threads(most)
        .build()
        .map_err(ServeError::system("start the server"))?;
    runtime.block_on(work)
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
