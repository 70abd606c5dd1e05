//! Fetching several repositories concurrently.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use crate::error::GitError;
use crate::fetch::{FetchLimits, FetchRequest, FetchResult};
use crate::program::Git;
use crate::progress::Progress;

/// An event of one of several fetches.
#[derive(Clone, Copy, Debug)]
pub enum FetchEvent<'e> {
    /// The fetch started.
    Started,
    /// The fetch made progress.
    Progress(Progress),
    /// The fetch ended.
    Ended(&'e Result<FetchResult, GitError>),
}

impl Git {
    /// Fetches several repositories, at most `max_concurrent` at a time, and reports the events of each fetch
    /// with its index, from several threads. A failed fetch does not stop the other ones. The results are in
    /// the order of the requests.
    pub fn fetch_all(
        &self,
        requests: &[FetchRequest],
        max_concurrent: usize,
        limits: FetchLimits,
        report: &(dyn Fn(usize, FetchEvent<'_>) + Sync),
    ) -> Vec<Result<FetchResult, GitError>> {
        let next = AtomicUsize::new(0);
        let done: Mutex<Vec<(usize, Result<FetchResult, GitError>)>> = Mutex::default();
        let work = || {
            loop {
                let at = next.fetch_add(1, Ordering::Relaxed);
                let Some(request) = requests.get(at) else { break };
                report(at, FetchEvent::Started);
                let fetched =
                    self.fetch(request, limits, &mut |progress| report(at, FetchEvent::Progress(progress)));
                report(at, FetchEvent::Ended(&fetched));
                done.lock().unwrap_or_else(PoisonError::into_inner).push((at, fetched));
            }
        };
        std::thread::scope(|scope| {
            for _ in 1..max_concurrent.min(requests.len()) {
                // If no further thread can be started, the existing ones do all the work.
                let _ = std::thread::Builder::new().spawn_scoped(scope, work);
            }
            work();
        });
        let mut done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
        done.sort_by_key(|(at, _)| *at);
        done.into_iter().map(|(_, fetched)| fetched).collect()
    }
}
