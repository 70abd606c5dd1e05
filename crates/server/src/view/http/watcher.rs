//! Detects changes of the package on disk.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;
use tokio::time::MissedTickBehavior;

use crate::view::View;

/// The interval at which the package is checked for changes while a page is open.
const INTERVAL: Duration = Duration::from_millis(400);

/// An event for all pages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum PackageEvent {
    /// The package has this revision.
    Revision(String),
    /// The server stops.
    End,
}

/// One package for all pages, and its last known revision.
#[derive(Debug)]
pub(super) struct PackageWatcher {
    view: Arc<View>,
    events: watch::Sender<PackageEvent>,
}

impl PackageWatcher {
    pub(super) fn new(view: View) -> Self {
        Self { view: Arc::new(view), events: watch::Sender::new(PackageEvent::Revision(String::new())) }
    }

    /// Runs `work` on a thread that may block. Returns `None` if the thread panicked.
    pub(super) async fn run_blocking<T: Send + 'static>(
        &self,
        work: impl FnOnce(&View) -> T + Send + 'static,
    ) -> Option<T> {
        let view = Arc::clone(&self.view);
        tokio::task::spawn_blocking(move || work(&view)).await.ok()
    }

    /// Checks the package, and notifies all pages if it has changed.
    pub(super) async fn check(&self) {
        let Some(revision) = self.run_blocking(View::revision).await else { return };
        let current = PackageEvent::Revision(revision);
        self.events.send_if_modified(|event| {
            let is_new = *event != current && *event != PackageEvent::End;
            if is_new {
                *event = current;
            }
            is_new
        });
    }

    /// Subscribes to events, beginning with the current revision.
    pub(super) async fn subscribe(&self) -> watch::Receiver<PackageEvent> {
        let mut events = self.events.subscribe();
        self.check().await;
        events.mark_changed();
        events
    }

    /// Notifies all pages that the server stops.
    pub(super) fn end(&self) {
        self.events.send_replace(PackageEvent::End);
    }
}

/// Checks the package periodically while a page is open.
pub(super) async fn poll(watcher: Arc<PackageWatcher>) {
    let mut ticks = tokio::time::interval(INTERVAL);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        ticks.tick().await;
        if watcher.events.receiver_count() > 0 {
            watcher.check().await;
        }
    }
}
