//! What makes requests: connections, and the runtime that they need.

use std::io;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use http_body_util::Full;
use hyper::body::Bytes;
use hyper_util::client::legacy::Client;
use hyper_util::rt::{TokioExecutor, TokioTimer};
use tokio::runtime::{Builder, Runtime};

use super::connector::Connector;

/// The body of a request.
pub(super) type Body = Full<Bytes>;

/// The time after which an idle connection is not used again.
const MAX_IDLE: Duration = Duration::from_secs(30);

/// What makes requests. To drop it closes its connections at once.
pub(super) struct Engine {
    /// Always present until the value is dropped.
    runtime: Option<Runtime>,
    pub(super) client: Client<Connector, Body>,
}

impl Engine {
    pub(super) fn new(connector: Connector) -> io::Result<Self> {
        let runtime = Builder::new_current_thread().enable_all().build()?;
        let client = Client::builder(TokioExecutor::new())
            .pool_timer(TokioTimer::new())
            .pool_idle_timeout(MAX_IDLE)
            .build(connector);
        Ok(Self { runtime: Some(runtime), client })
    }

    /// Works until a future is ready; none if the engine has ended.
    pub(super) fn run<F: Future>(&self, future: F) -> Option<F::Output> {
        self.runtime.as_ref().map(|runtime| runtime.block_on(future))
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        // The search for an address cannot be stopped, and is not waited for.
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

/// Locks a value that no panic can leave inconsistent.
pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
