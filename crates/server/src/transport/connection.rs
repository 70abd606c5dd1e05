//! Open connections, and which of them are closed if there are too many.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};

use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore};

/// An open connection.
#[derive(Debug)]
pub struct Connection {
    is_trusted: AtomicBool,
    /// The permit of a trusted connection.
    permit: Mutex<Option<OwnedSemaphorePermit>>,
    permits: Arc<Semaphore>,
    close: Notify,
}

impl Connection {
    /// Marks the connection as trusted after a request on it was authenticated. It is no longer closed in favor of other
    /// connections, unless there are too many trusted ones.
    pub fn trust(&self) {
        if self.is_trusted.load(Ordering::Relaxed) {
            return;
        }
        if let Ok(permit) = Arc::clone(&self.permits).try_acquire_owned() {
            *self.permit.lock().unwrap_or_else(PoisonError::into_inner) = Some(permit);
            self.is_trusted.store(true, Ordering::Relaxed);
        }
    }

    /// Waits until the connection must be closed in favor of another one.
    pub(crate) async fn wait_for_close(&self) {
        self.close.notified().await;
    }
}

/// All untrusted connections, the oldest first.
#[derive(Debug)]
pub(crate) struct Connections {
    untrusted: VecDeque<Weak<Connection>>,
    max_untrusted: usize,
    permits: Arc<Semaphore>,
}

impl Connections {
    pub(crate) fn new(max_untrusted: usize, max_trusted: usize) -> Self {
        let permits = Arc::new(Semaphore::new(max_trusted));
        Self { untrusted: VecDeque::new(), max_untrusted: max_untrusted.max(1), permits }
    }

    /// Adds a connection. The oldest untrusted connection is closed if there are too many.
    pub(crate) fn add(&mut self) -> Arc<Connection> {
        self.untrusted
            .retain(|known| known.upgrade().is_some_and(|known| !known.is_trusted.load(Ordering::Relaxed)));
        while self.untrusted.len() >= self.max_untrusted {
            if let Some(oldest) = self.untrusted.pop_front().and_then(|oldest| oldest.upgrade()) {
                oldest.close.notify_one();
            }
        }
        let connection = Arc::new(Connection {
            is_trusted: AtomicBool::new(false),
            permit: Mutex::new(None),
            permits: Arc::clone(&self.permits),
            close: Notify::new(),
        });
        self.untrusted.push_back(Arc::downgrade(&connection));
        connection
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn is_closed(connection: &Connection) -> bool {
        tokio::select! {
            biased;
            () = connection.wait_for_close() => true,
            () = std::future::ready(()) => false,
        }
    }

    #[tokio::test]
    async fn the_oldest_untrusted_connection_is_closed_and_trusted_ones_stay() {
        let mut connections = Connections::new(2, 1);
        let (one, two) = (connections.add(), connections.add());
        one.trust();
        let three = connections.add();
        assert!(!is_closed(&one).await && !is_closed(&two).await && !is_closed(&three).await);
        let four = connections.add();
        assert!(is_closed(&two).await && !is_closed(&three).await && !is_closed(&one).await);
        // Only one connection can be trusted.
        three.trust();
        let _five = connections.add();
        assert!(is_closed(&three).await && !is_closed(&four).await);
        // Another connection can be trusted once that one has ended.
        drop(one);
        four.trust();
        let _six = connections.add();
        let _seven = connections.add();
        assert!(!is_closed(&four).await);
        // A connection that has ended does not count.
        let mut connections = Connections::new(1, 1);
        drop(connections.add());
        let stays = connections.add();
        assert!(!is_closed(&stays).await);
    }
}
