//! The only module that uses the library of the protocol and asynchronous code.

mod handler;
mod stdio;
mod work;

use std::io;
use std::sync::Arc;
use std::time::Duration;

use rmcp::service::ServiceExt as _;

use crate::access::FleetAccess;
use handler::{Handler, MAX_CALLS};

/// The number of file descriptors that the server needs.
const DESCRIPTORS: usize = 16;
/// The time limit for the last replies, and for threads that wait for a fleet.
const FAREWELL: Duration = Duration::from_millis(1_500);

/// Serves the tools over stdin and stdout until stdin ends. Only messages of the protocol are written to stdout.
///
/// Work that a client has sent goes on after the end of the server.
///
/// # Errors
///
/// Fails if the system lacks threads or file descriptors.
pub fn serve(fleet: Arc<dyn FleetAccess>) -> io::Result<()> {
    // The runtime panics if it does not get the file descriptors that it needs.
    minds_process::expect_descriptors(DESCRIPTORS).map_err(io::Error::other)?;
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_all().max_blocking_threads(MAX_CALLS).build()?;
    let handler = Handler::new(fleet);
    let closing = handler.closing();
    let done = runtime.block_on(async {
        let (transport, written) = stdio::open(closing)?;
        // An error here means that stdin ended before the first request.
        if let Ok(running) = handler.serve(transport).await {
            let _ = running.waiting().await;
        }
        let _ = tokio::time::timeout(FAREWELL, written).await;
        Ok(())
    });
    runtime.shutdown_timeout(FAREWELL);
    done
}
