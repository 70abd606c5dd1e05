//! Connections with the calls that use them.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;
use tokio::time::timeout;

use crate::client::Connection;

/// A connection, and the number of calls that use it.
pub(super) struct Tracked {
    pub(super) connection: Connection,
    in_flight: watch::Sender<usize>,
}

impl Tracked {
    pub(super) fn new(connection: Connection) -> Arc<Self> {
        Arc::new(Self { connection, in_flight: watch::Sender::new(0) })
    }

    /// Counts a call until the result is dropped.
    pub(super) fn begin_call(self: &Arc<Self>) -> InFlight {
        self.in_flight.send_modify(|count| *count += 1);
        InFlight(Arc::clone(self))
    }

    /// Returns the number of calls.
    pub(super) fn in_flight(&self) -> usize {
        *self.in_flight.borrow()
    }

    /// Waits for the calls, but at most this time, and closes the connection.
    pub(super) async fn drain(&self, time: Duration) {
        let mut count = self.in_flight.subscribe();
        // The sender lives as long as `self`.
        let _ = timeout(time, count.wait_for(|count| *count == 0)).await;
        self.connection.close(false).await;
    }
}

/// A call that uses a connection.
pub(super) struct InFlight(Arc<Tracked>);

impl InFlight {
    pub(super) fn connection(&self) -> &Arc<Tracked> {
        &self.0
    }
}

impl Drop for InFlight {
    fn drop(&mut self) {
        self.0.in_flight.send_modify(|count| *count -= 1);
    }
}
