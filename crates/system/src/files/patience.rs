//! Waiting for a lock that another process has, for a limited time.
//!
//! A lock is polled and not waited for by the system: a wait in the system has no limit, and a thread in it cannot be called
//! back when the process is asked to end.

use std::fmt;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::error::{FileErrorKind, Refusal};
use crate::notice::{self, Notice};
use crate::syscalls::{self, Handle, Sharing, clock};

/// After how long a wait is reported.
const NOTICE_AFTER: Duration = Duration::from_secs(1);
/// The first pause; each further one is twice as long, up to the longest.
const FIRST_PAUSE: Duration = Duration::from_micros(50);
const LONGEST_PAUSE: Duration = Duration::from_millis(10);

/// When every wait ends, because the process ends.
static END: Mutex<Option<Instant>> = Mutex::new(None);

/// Who has a lock, as far as it can be found out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Holder {
    /// The process with this number.
    Process(u32),
    /// A process of another user: the lock file cannot be opened.
    AnotherUser,
    /// A process that the system does not name.
    Unknown,
}

impl fmt::Display for Holder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Process(id) => write!(f, "process {id}"),
            Self::AnotherUser => f.write_str("a process of another user"),
            Self::Unknown => f.write_str("another process"),
        }
    }
}

/// Ends every wait for a lock, those that begin later too, once `grace` has passed: the process is about to end.
pub fn end_lock_waits(grace: Duration) {
    let end = Instant::now().checked_add(grace);
    let mut known = END.lock().unwrap_or_else(PoisonError::into_inner);
    *known = match (*known, end) {
        (Some(known), Some(end)) => Some(known.min(end)),
        (known, end) => known.or(end),
    };
}

/// One wait, however many attempts it takes.
pub(crate) struct Patience<'t> {
    target: &'t str,
    started: Option<Duration>,
    pause: Duration,
    is_reported: bool,
}

impl<'t> Patience<'t> {
    /// Begins a wait for what is needed to change `target`.
    pub(crate) fn new(target: &'t str) -> Self {
        Self { target, started: None, pause: FIRST_PAUSE, is_reported: false }
    }

    /// Waits until the lock on an open file is free, and takes it.
    pub(crate) fn lock(&mut self, handle: &Handle, sharing: Sharing) -> Result<(), Refusal> {
        while !syscalls::try_lock(handle, sharing)? {
            self.pause(|| syscalls::lock_owner(handle).map_or(Holder::Unknown, Holder::Process))?;
        }
        Ok(())
    }

    /// Waits for a moment.
    ///
    /// # Errors
    ///
    /// Fails if the time is over.
    pub(crate) fn pause(&mut self, holder: impl Fn() -> Holder) -> Result<(), Refusal> {
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
        self.pause = self.pause.saturating_mul(2).min(LONGEST_PAUSE);
        Ok(())
    }
}
