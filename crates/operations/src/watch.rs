//! Checking repeatedly when files change.

use std::time::Duration;

use minds_vfs::Snapshot;

use crate::check::{outcome_of, read_request};
use crate::{CheckOutcome, CheckRequest, OperationError};

/// The polling interval. Reading a few small files takes less than a millisecond, works on every file system,
/// and detects files that editors replace.
const INTERVAL: Duration = Duration::from_millis(200);

/// Checks what a request selects each time its files change.
#[derive(Debug)]
pub struct Watch<'r> {
    request: CheckRequest<'r>,
    /// The snapshot of the last check; `None` if there was no workspace.
    seen: Option<Snapshot>,
    is_first: bool,
}

impl<'r> Watch<'r> {
    /// Watches what a request selects; see [`check`](crate::check()).
    pub fn new(request: CheckRequest<'r>) -> Self {
        Self { request, seen: None, is_first: true }
    }

    /// Waits until the files differ from the last check, and checks them. The first call returns immediately.
    ///
    /// # Errors
    ///
    /// Fails if [`check`](crate::check()) would fail, or if the workspace is not trusted.
    pub fn wait(&mut self) -> Result<CheckOutcome, OperationError> {
        loop {
            let (located, loaded) = read_request(&self.request)?;
            let snapshot = loaded.as_ref().map(|loaded| &loaded.snapshot);
            if self.is_first || self.seen.as_ref() != snapshot {
                self.is_first = false;
                self.seen = snapshot.cloned();
                return Ok(outcome_of(self.request.host, &located, loaded));
            }
            minds_process::pause(INTERVAL);
        }
    }
}
