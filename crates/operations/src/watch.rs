//! Checking repeatedly when files change.

use std::time::Duration;

use minds_vfs::Snapshot;

use crate::check::{outcome_of, read_request};
use crate::{CheckOutcome, CheckRequest, OperationError};

/// The minimum time between two reads. Polling works on every file system, and detects files that editors replace.
const INTERVAL: Duration = Duration::from_millis(200);

/// The time between two reads as a multiple of that of a read: mostly less than a millisecond, but a large repository has
/// many directories.
const MULTIPLE: u32 = 10;

/// Checks what a request selects each time its files change.
#[derive(Debug)]
pub struct Watch<'r> {
    request: CheckRequest<'r>,
    /// The snapshots of the last check, of each workspace; `None` if there was no workspace.
    seen: Option<Vec<Option<Snapshot>>>,
}

impl<'r> Watch<'r> {
    /// Watches what a request selects; see [`check`](crate::check()).
    pub fn new(request: CheckRequest<'r>) -> Self {
        Self { request, seen: None }
    }

    /// Waits until the files differ from the last check, and checks them. The first call returns immediately.
    ///
    /// # Errors
    ///
    /// Fails if [`check`](crate::check()) would fail, or if the workspace is not trusted.
    pub fn wait(&mut self) -> Result<CheckOutcome, OperationError> {
        loop {
            let begin = minds_process::now();
            let (workspaces, read) = read_request(&self.request)?;
            let taken = Duration::from_millis(minds_process::now().saturating_sub(begin));
            let snapshots: Vec<Option<&Snapshot>> =
                read.iter().map(|(_, loaded)| loaded.as_ref().map(|loaded| &loaded.snapshot)).collect();
            let seen = self.seen.as_ref().map(|seen| seen.iter().map(Option::as_ref).collect::<Vec<_>>());
            if seen.as_ref() != Some(&snapshots) {
                self.seen = Some(snapshots.into_iter().map(Option::<&Snapshot>::cloned).collect());
                let outcomes = read.into_iter().map(|(located, loaded)| {
                    let prefix = workspaces.prefix(located.directory.as_deref());
                    (prefix, outcome_of(self.request.host, &located, loaded))
                });
                return Ok(workspaces.join(outcomes.collect()));
            }
            minds_process::pause(INTERVAL.max(taken * MULTIPLE));
        }
    }
}
