//! Waiting for frames without looking at files again and again.

use std::io::{self, Read as _, Write as _};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use minds_fleet_protocol::{Caller, Failure};
use minds_fs::{Root, Watched, wait_for};
use minds_vfs::MountId;

use super::connection::Connection;
use super::state_record::storage;
use super::wire::{ClientHello, ClientLine, PROTOCOL, encode};

/// Ends the waiting of the thread that serves an agent.
#[derive(Debug)]
pub(super) struct ServeWaker {
    socket: UnixStream,
    state: Arc<WakeState>,
}

/// The end of a [`ServeWaker`] at the thread that serves.
#[derive(Debug)]
pub(super) struct WakeReceiver {
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
pub(super) fn pair() -> io::Result<(ServeWaker, WakeReceiver)> {
    let (one, other) = UnixStream::pair()?;
    one.set_nonblocking(true)?;
    other.set_nonblocking(true)?;
    let state = Arc::<WakeState>::default();
    let receiver = WakeReceiver { socket: other, _sender: one.try_clone()?, state: Arc::clone(&state) };
    Ok((ServeWaker { socket: one, state }, receiver))
}

impl ServeWaker {
    /// Notes the offset after the last frame, and wakes the thread.
    pub(super) fn publish(&self, next_offset: u64) {
        self.state.next_offset.store(next_offset, Ordering::SeqCst);
        self.wake();
    }

    /// Wakes the thread.
    pub(super) fn wake(&self) {
        if !self.state.is_pending.swap(true, Ordering::SeqCst) {
            // A full socket wakes the thread as well.
            let _ = (&self.socket).write(&[0]);
        }
    }
}

impl WakeReceiver {
    pub(super) fn watch(&self) -> Watched<'_> {
        Watched::new(&self.socket)
    }

    /// Notes that the thread is awake, and returns the offset after the last frame.
    pub(super) fn take(&self) -> u64 {
        // A byte that is sent after this belongs to a frame that the next line knows.
        self.state.is_pending.store(false, Ordering::SeqCst);
        let mut bytes = [0; 64];
        while matches!((&self.socket).read(&mut bytes), Ok(count) if count > 0) {}
        self.state.next_offset.load(Ordering::SeqCst)
    }
}

/// Waits until an agent reports frames.
#[derive(Debug)]
pub(super) struct FrameWaiter {
    runtime: PathBuf,
    connection: Option<Connection>,
}

impl FrameWaiter {
    pub(super) fn new(runtime: PathBuf) -> Self {
        Self { runtime, connection: None }
    }

    /// Waits for frames, until the agent starts to report them, or for the whole time if it does not run.
    pub(super) fn wait(&mut self, wait: Duration) -> Result<(), Failure> {
        if self.connection.is_none() {
            self.connection = self.connect();
        }
        let watched: Vec<Watched<'_>> = self.connection.iter().map(Connection::watch).collect();
        wait_for(&watched, wait).map_err(|error| storage(&error))?;
        if let Some(connection) = &mut self.connection {
            connection.flush();
            connection.fill();
            while connection.take_line().is_some() {}
        }
        self.connection.take_if(|connection| connection.has_ended());
        Ok(())
    }

    fn connect(&self) -> Option<Connection> {
        let folder = Root::open(&self.runtime, MountId::WORKSPACE).ok()?;
        let mut connection = Connection::new(folder.connect(super::SOCKET).ok()?);
        let caller = Caller::parse("local:follower").ok()?;
        let hello = ClientLine::Hello(ClientHello { protocol: PROTOCOL, caller, key: None });
        connection.send(&encode(&hello));
        Some(connection)
    }
}
