//! The server that all sessions share, and their notifications.

use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Arc, Weak};
use std::time::Duration;

use tokio::sync::broadcast;

use super::suspended::SuspendedCalls;
use super::tool_list::ToolList;
use crate::ServeError;
use crate::mcp::changes::Changes;
use crate::mcp::conversation::Conversation;
use crate::mcp::server::Server;

/// The interval for detecting changes by other processes.
const INTERVAL: Duration = Duration::from_secs(1);
/// The maximum number of pending notifications of a session; beyond it, everything is reported as changed.
const MAX_PENDING_CHANGES: usize = 64;

/// What all sessions share.
#[derive(Debug)]
pub(super) struct Hub {
    pub(super) server: Server,
    pub(super) tool_list: ToolList,
    changes: broadcast::Sender<Arc<Changes>>,
    /// The conversation of requests without a session.
    pub(super) shared: Conversation,
    /// The calls that wait for the answer to a question.
    pub(super) suspended: SuspendedCalls,
    /// Wakes the thread that checks for changes; kept so that the thread can wait.
    _wake: SyncSender<()>,
}

impl Hub {
    /// Shares a server, and checks its files periodically until the last session ends.
    ///
    /// The first check must be done before any message but the handshake is processed.
    pub(super) fn new(server: Server) -> Result<Arc<Self>, ServeError> {
        let (wake, woken) = sync_channel(1);
        let shared = Conversation::new(&server).map_err(ServeError::system("get random bytes"))?;
        if let Some(source) = server.source() {
            let wake = wake.clone();
            source.subscribe(Box::new(move || {
                // If the channel is full, the thread is about to look anyway.
                let _ = wake.try_send(());
            }));
        }
        let changes = broadcast::Sender::new(MAX_PENDING_CHANGES);
        let hub = Arc::new(Self {
            server,
            tool_list: ToolList::default(),
            changes,
            shared,
            suspended: SuspendedCalls::default(),
            _wake: wake,
        });
        let weak = Arc::downgrade(&hub);
        let watcher =
            std::thread::Builder::new().name("watch".to_owned()).spawn(move || watch(&weak, &woken));
        watcher.map_err(ServeError::system("start a thread"))?;
        Ok(hub)
    }

    /// Checks the files, and notifies every session of changes.
    pub(super) fn check_files(&self) {
        let changes = self.server.check_files();
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

/// Checks for changes periodically, and when the tools of servers change, until the last session ends.
fn watch(hub: &Weak<Hub>, woken: &Receiver<()>) {
    loop {
        let woken = woken.recv_timeout(INTERVAL);
        match hub.upgrade() {
            Some(hub) if woken != Err(RecvTimeoutError::Disconnected) => hub.check_files(),
            _ => return,
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
