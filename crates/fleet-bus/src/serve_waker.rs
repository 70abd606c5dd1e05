//! Ends the waiting of the thread that serves an agent.

use std::io::{self, Read as _, Write as _};
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use minds_fs::Watched;

/// Ends the waiting of the thread that serves an agent.
#[derive(Debug)]
pub(crate) struct ServeWaker {
    socket: UnixStream,
    state: Arc<WakeState>,
}

/// The end of a [`ServeWaker`] at the thread that serves.
#[derive(Debug)]
pub(crate) struct WakeReceiver {
    socket: UnixStream,
    /// Without it, the socket would be ready for ever when the other end is dropped.
    _sender: UnixStream,
    state: Arc<WakeState>,
}

#[derive(Debug, Default)]
struct WakeState {
    /// Whether a byte is on its way.
    is_pending: AtomicBool,
    /// The offset after the last frame.
    next_offset: AtomicU64,
}

/// Returns both ends.
pub(crate) fn pair() -> io::Result<(ServeWaker, WakeReceiver)> {
    let (one, other) = UnixStream::pair()?;
    one.set_nonblocking(true)?;
    other.set_nonblocking(true)?;
    let state = Arc::<WakeState>::default();
    let receiver = WakeReceiver { socket: other, _sender: one.try_clone()?, state: Arc::clone(&state) };
    Ok((ServeWaker { socket: one, state }, receiver))
}

impl ServeWaker {
    /// Notes the offset after the last frame, and wakes the thread.
    pub(crate) fn publish(&self, next_offset: u64) {
        self.state.next_offset.store(next_offset, Ordering::SeqCst);
        self.wake();
    }

    /// Wakes the thread.
    pub(crate) fn wake(&self) {
        if !self.state.is_pending.swap(true, Ordering::SeqCst) {
            // A full socket wakes the thread as well.
            let _ = (&self.socket).write(&[0]);
        }
    }
}

impl WakeReceiver {
    pub(crate) fn watch(&self) -> Watched<'_> {
        Watched::new(&self.socket)
    }

    /// Notes that the thread is awake, and returns the offset after the last frame.
    pub(crate) fn take(&self) -> u64 {
        // A byte that is sent after this belongs to a frame that the next line knows.
        self.state.is_pending.store(false, Ordering::SeqCst);
        let mut bytes = [0; 64];
        while matches!((&self.socket).read(&mut bytes), Ok(count) if count > 0) {}
        self.state.next_offset.load(Ordering::SeqCst)
    }
}
