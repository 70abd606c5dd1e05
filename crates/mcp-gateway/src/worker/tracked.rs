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
    direct_use: watch::Sender<DirectUse>,
}

/// Whether the user of the gateway calls a server itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum DirectUse {
    /// It must not.
    None,
    Open,
    /// It begins no further call, and those that run are waited for.
    Closing,
    Closed,
}

impl Tracked {
    pub(super) fn new(connection: Connection) -> Arc<Self> {
        let (in_flight, direct_use) = (watch::Sender::new(0), watch::Sender::new(DirectUse::None));
        Arc::new(Self { connection, in_flight, direct_use })
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

    /// Returns whether the user of the gateway calls the server itself.
    pub(super) fn direct_use(&self) -> DirectUse {
        *self.direct_use.borrow()
    }

    /// Begins the direct use; returns whether it begins.
    pub(super) fn begin_direct_use(&self) -> bool {
        self.change_direct_use(DirectUse::None, DirectUse::Open)
    }

    /// Allows no further direct calls; returns whether calls that run have to be waited for.
    pub(super) fn close_direct_use(&self) -> bool {
        !self.change_direct_use(DirectUse::None, DirectUse::Closed)
            && self.change_direct_use(DirectUse::Open, DirectUse::Closing)
    }

    /// Records that no direct call runs, and none will.
    pub(super) fn end_direct_use(&self) {
        self.direct_use.send_replace(DirectUse::Closed);
    }

    fn change_direct_use(&self, before: DirectUse, after: DirectUse) -> bool {
        self.direct_use.send_if_modified(|current| {
            let changes = *current == before;
            if changes {
                *current = after;
            }
            changes
        })
    }

    /// Waits for the calls, but at most this time, and closes the connection.
    pub(super) async fn drain(&self, time: Duration) {
        let (mut count, mut direct_use) = (self.in_flight.subscribe(), self.direct_use.subscribe());
        let calls = async {
            // The senders live as long as `self`.
            let _ = direct_use.wait_for(|state| !matches!(state, DirectUse::Open | DirectUse::Closing)).await;
            let _ = count.wait_for(|count| *count == 0).await;
        };
        let _ = timeout(time, calls).await;
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
