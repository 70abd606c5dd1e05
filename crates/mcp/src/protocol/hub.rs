//! One server for all sessions, and the news for each of them.

use std::sync::{Arc, Weak};
use std::time::Duration;

use tokio::sync::broadcast;

use crate::ServeError;
use crate::changes::Changes;
use crate::server::Server;

/// How often it is looked whether somebody else changed the files.
const INTERVAL: Duration = Duration::from_secs(1);
/// How many news a session may be late; one that is later is told that everything may be another.
const NEWS: usize = 64;

/// What all sessions share.
#[derive(Debug)]
pub(super) struct Hub {
    pub(super) server: Server,
    news: broadcast::Sender<Arc<Changes>>,
}

impl Hub {
    /// Shares a server, and looks at its files from time to time until nobody has it any more.
    ///
    /// Whoever passes messages on has the first look taken before any but a greeting, which does not wait for it.
    pub(super) fn new(server: Server) -> Result<Arc<Self>, ServeError> {
        let hub = Arc::new(Self { server, news: broadcast::Sender::new(NEWS) });
        let weak = Arc::downgrade(&hub);
        let watcher = std::thread::Builder::new().name("watch".to_owned()).spawn(move || watch(&weak));
        watcher.map_err(ServeError::system("start a thread"))?;
        Ok(hub)
    }

    /// Looks at the files, and tells every session what changed.
    pub(super) fn look(&self) {
        let changes = self.server.look();
        if !changes.is_empty() {
            // Nobody listens if there is no session.
            let _ = self.news.send(Arc::new(changes));
        }
    }

    /// Returns the news from now on.
    pub(super) fn news(&self) -> broadcast::Receiver<Arc<Changes>> {
        self.news.subscribe()
    }
}

fn watch(hub: &Weak<Hub>) {
    loop {
        minds_system::pause(INTERVAL);
        match hub.upgrade() {
            Some(hub) => hub.look(),
            None => return,
        }
    }
}

/// Returns the next news; nothing if there will be none. Whoever missed some learns that everything may be another.
pub(super) async fn next(news: &mut broadcast::Receiver<Arc<Changes>>) -> Option<Arc<Changes>> {
    match news.recv().await {
        Ok(changes) => Some(changes),
        Err(broadcast::error::RecvError::Lagged(_)) => {
            Some(Arc::new(Changes { tools: true, prompts: true, resources: true, updated: Vec::new() }))
        }
        Err(broadcast::error::RecvError::Closed) => None,
    }
}
