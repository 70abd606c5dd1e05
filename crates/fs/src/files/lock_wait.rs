//! Waiting for a lock held by another process, with a timeout.
//!
//! Locks are polled because a blocking system call has no timeout, and a thread blocked in it cannot be
//! stopped when the process has to exit.

use std::fmt;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::error::{FileErrorKind, Refusal};
use crate::notice::{self, Notice};
use crate::syscalls::{self, Handle, Sharing, clock};

/// The time after which a wait is reported.
const NOTICE_AFTER: Duration = Duration::from_secs(1);
/// The first pause; each following pause is twice as long, up to the maximum.
const MIN_PAUSE: Duration = Duration::from_micros(50);
const MAX_PAUSE: Duration = Duration::from_millis(10);

/// When every wait ends because the process exits.
static END: Mutex<Option<Instant>> = Mutex::new(None);

/// The holder of a lock, as far as it is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LockHolder {
    /// The process with this id.
    Process(u32),
    /// A process of another user, whose lock file cannot be opened.
    AnotherUser,
    /// A process that the system does not identify.
    Unknown,
}

impl fmt::Display for LockHolder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Process(id) => write!(f, "process {id}"),
            Self::AnotherUser => f.write_str("a process of another user"),
            Self::Unknown => f.write_str("another process"),
        }
    }
}

/// Ends every wait for a lock after `grace`, including waits that start later, because the process is about
/// to exit.
pub fn end_lock_waits(grace: Duration) {
    let end = Instant::now().checked_add(grace);
    let mut current = END.lock().unwrap_or_else(PoisonError::into_inner);
    *current = match (*current, end) {
        (Some(current), Some(end)) => Some(current.min(end)),
        (current, end) => current.or(end),
    };
}

/// One wait, which may take several attempts.
pub(crate) struct LockWait<'t> {
    target: &'t str,
    started: Option<Duration>,
    pause: Duration,
    is_reported: bool,
}

impl<'t> LockWait<'t> {
    /// Starts a wait for a lock that is needed to change `target`.
    pub(crate) fn new(target: &'t str) -> Self {
        Self { target, started: None, pause: MIN_PAUSE, is_reported: false }
    }

    /// Waits until the lock on an open file is free, and acquires it.
    pub(crate) fn lock(&mut self, handle: &Handle, sharing: Sharing) -> Result<(), Refusal> {
        while !syscalls::try_lock(handle, sharing)? {
            self.pause(|| syscalls::lock_owner(handle).map_or(LockHolder::Unknown, LockHolder::Process))?;
        }
        Ok(())
    }

    /// Pauses before the next attempt.
    ///
    /// # Errors
    ///
    /// Fails if the timeout has been reached.
    pub(crate) fn pause(&mut self, holder: impl Fn() -> LockHolder) -> Result<(), Refusal> {
        let timeout = notice::lock_timeout();
        let now = clock::now();
        let waited = now.saturating_sub(*self.started.get_or_insert(now));
        let is_ending =
            END.lock().unwrap_or_else(PoisonError::into_inner).is_some_and(|end| end <= Instant::now());
        if waited >= timeout || is_ending {
            return Err(FileErrorKind::Locked(holder()).into());
        }
        if waited >= NOTICE_AFTER && !self.is_reported {
            self.is_reported = true;
            notice::notify(&Notice::Waiting { target: self.target, holder: holder(), timeout });
        }
        clock::pause(self.pause.min(timeout.saturating_sub(waited)));
        self.pause = self.pause.saturating_mul(2).min(MAX_PAUSE);
        Ok(())
    }
}
