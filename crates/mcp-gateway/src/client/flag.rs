//! A fact that becomes true once.

use std::sync::Arc;

use tokio::sync::watch;

/// A fact that becomes true once, and that tasks can wait for.
#[derive(Clone, Debug)]
pub(super) struct Flag(Arc<watch::Sender<bool>>);

impl Flag {
    pub(super) fn new() -> Self {
        Self(Arc::new(watch::Sender::new(false)))
    }

    pub(super) fn raise(&self) {
        self.0.send_replace(true);
    }

    pub(super) fn is_raised(&self) -> bool {
        *self.0.borrow()
    }

    /// Waits until it is true.
    pub(super) async fn wait(&self) {
        // The sender lives as long as `self`, so waiting cannot fail.
        let _ = self.0.subscribe().wait_for(|is_raised| *is_raised).await;
    }
}
