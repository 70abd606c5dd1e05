//! The server that all sessions share, and their notifications.

use std::sync::{Arc, Weak};
use std::time::Duration;

use tokio::sync::broadcast;

use crate::ServeError;
use crate::mcp::changes::Changes;
use crate::mcp::server::Server;

/// The interval for detecting changes by other processes.
const INTERVAL: Duration = Duration::from_secs(1);
/// The maximum number of pending notifications of a session; beyond it, everything is reported as changed.
const MAX_PENDING_CHANGES: usize = 64;

/// What all sessions share.
#[derive(Debug)]
pub(super) struct Hub {
    pub(super) server: Server,
    changes: broadcast::Sender<Arc<Changes>>,
}

impl Hub {
    /// Shares a server, and checks its files periodically until the last session ends.
    ///
    /// The first check must be done before any message but the handshake is processed.
    pub(super) fn new(server: Server) -> Result<Arc<Self>, ServeError> {
        let hub = Arc::new(Self { server, changes: broadcast::Sender::new(MAX_PENDING_CHANGES) });
        let weak = Arc::downgrade(&hub);
        let watcher = std::thread::Builder::new().name("watch".to_owned()).spawn(move || watch(&weak));
        watcher.map_err(ServeError::system("start a thread"))?;
        Ok(hub)
    }

    /// Checks the files, and notifies every session of changes.
    pub(super) fn look(&self) {
        let changes = self.server.look();
        if !changes.is_empty() {
            // Without sessions there is no receiver.
            let _ = self.changes.send(Arc::new(changes));
        }
    }

    /// Subscribes to changes.
    pub(super) fn changes(&self) -> broadcast::Receiver<Arc<Changes>> {
        self.changes.subscribe()
    }
}

fn watch(hub: &Weak<Hub>) {
    loop {
        minds_process::pause(INTERVAL);
        match hub.upgrade() {
            Some(hub) => hub.look(),
            None => return,
        }
    }
}

/// Returns the next changes; `None` at the end. After missed changes, everything is reported as changed.
pub(super) async fn next(changes: &mut broadcast::Receiver<Arc<Changes>>) -> Option<Arc<Changes>> {
    match changes.recv().await {
        Ok(changes) => Some(changes),
        Err(broadcast::error::RecvError::Lagged(_)) => {
            Some(Arc::new(Changes { tools: true, prompts: true, resources: true, updated: Vec::new() }))
        }
        Err(broadcast::error::RecvError::Closed) => None,
    }
}
