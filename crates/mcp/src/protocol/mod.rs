//! The only module that knows the library of the protocol, and the one that runs things at the same time.

mod convert;
mod handler;
mod http;
mod hub;
mod quick;
mod stdio;

use std::future::Future;

use crate::ServeError;

pub use http::{HttpOptions, Listening, serve_http};
pub use stdio::serve_stdio;

/// How many calls of tools run at once; others wait for them.
const CALLS_AT_ONCE: usize = 16;

/// Runs `work` until it ends. Calls that are still running are waited for, so none is cut off.
fn run<T>(work: impl Future<Output = Result<T, ServeError>>) -> Result<T, ServeError> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .max_blocking_threads(CALLS_AT_ONCE)
        .build()
        .map_err(ServeError::system("start the server"))?;
    runtime.block_on(work)
}

/// Waits until somebody asks the process to end.
async fn asked_to_end() -> std::io::Result<()> {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        let (mut interrupt, mut terminate) =
            (signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?);
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
        }
        Ok(())
    }
    #[cfg(not(unix))]
    tokio::signal::ctrl_c().await
}
