//! That the package is another one on disk.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;
use tokio::time::MissedTickBehavior;

use crate::view::View;

/// How often it is looked whether somebody else changed the package, while a page is open.
const INTERVAL: Duration = Duration::from_millis(400);

/// What pages are told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Told {
    /// The package is this one.
    Revision(String),
    /// There will be no more.
    End,
}

/// One package for all pages, and what was last seen of it.
#[derive(Debug)]
pub(super) struct News {
    view: Arc<View>,
    told: watch::Sender<Told>,
}

impl News {
    pub(super) fn new(view: View) -> Self {
        Self { view: Arc::new(view), told: watch::Sender::new(Told::Revision(String::new())) }
    }

    /// Does something with the package on a thread that may wait for files; none if that thread died.
    pub(super) async fn with<T: Send + 'static>(
        &self,
        work: impl FnOnce(&View) -> T + Send + 'static,
    ) -> Option<T> {
        let view = Arc::clone(&self.view);
        tokio::task::spawn_blocking(move || work(&view)).await.ok()
    }

    /// Looks at the package, and tells every page if it is another one.
    pub(super) async fn look(&self) {
        let Some(revision) = self.with(View::revision).await else { return };
        let now = Told::Revision(revision);
        self.told.send_if_modified(|told| {
            let is_new = *told != now && *told != Told::End;
            if is_new {
                *told = now;
            }
            is_new
        });
    }

    /// Returns what is told from now on, beginning with what the package is now.
    pub(super) async fn listen(&self) -> watch::Receiver<Told> {
        let mut told = self.told.subscribe();
        self.look().await;
        told.mark_changed();
        told
    }

    /// Tells every page that there will be no more.
    pub(super) fn end(&self) {
        self.told.send_replace(Told::End);
    }
}

/// Looks from time to time, as long as somebody listens.
pub(super) async fn watch(news: Arc<News>) {
    let mut ticks = tokio::time::interval(INTERVAL);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        ticks.tick().await;
        if news.told.receiver_count() > 0 {
            news.look().await;
        }
    }
}
