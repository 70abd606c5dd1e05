//! Several repositories at once.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use super::error::GitError;
use super::fetch::{FetchLimits, FetchRequest, Fetched};
use super::program::Git;
use super::progress::Progress;

/// What happens to one of several fetches.
#[derive(Clone, Copy, Debug)]
pub enum FetchEvent<'e> {
    /// It begins.
    Started,
    /// It is so far.
    Progress(Progress),
    /// It ended.
    Ended(&'e Result<Fetched, GitError>),
}

impl Git {
    /// Fetches several repositories, at most `most_at_once` at a time, and tells what happens to which of them, from several
    /// threads. One that fails does not stop the others. The results are in the order of the requests.
    pub fn fetch_all(
        &self,
        requests: &[FetchRequest],
        most_at_once: usize,
        limits: FetchLimits,
        hear: &(dyn Fn(usize, FetchEvent<'_>) + Sync),
    ) -> Vec<Result<Fetched, GitError>> {
        let next = AtomicUsize::new(0);
        let done: Mutex<Vec<(usize, Result<Fetched, GitError>)>> = Mutex::default();
        let work = || {
            loop {
                let at = next.fetch_add(1, Ordering::Relaxed);
                let Some(request) = requests.get(at) else { break };
                hear(at, FetchEvent::Started);
                let fetched = self.fetch(request, limits, &mut |far| hear(at, FetchEvent::Progress(far)));
                hear(at, FetchEvent::Ended(&fetched));
                done.lock().unwrap_or_else(PoisonError::into_inner).push((at, fetched));
            }
        };
        std::thread::scope(|scope| {
            for _ in 1..most_at_once.min(requests.len()) {
                // Where no thread is to be had, those that are there do it all.
                let _ = std::thread::Builder::new().spawn_scoped(scope, work);
            }
            work();
        });
        let mut done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
        done.sort_by_key(|(at, _)| *at);
        done.into_iter().map(|(_, fetched)| fetched).collect()
    }
}
