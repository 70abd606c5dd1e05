//! A fact that becomes true once.

use std::sync::Arc;

use tokio::sync::watch;

/// A fact that becomes true once, and that tasks can wait for.
#[derive(Clone, Debug)]
pub(crate) struct Flag(Arc<watch::Sender<bool>>);

impl Flag {
    pub(crate) fn new() -> Self {
        Self(Arc::new(watch::Sender::new(false)))
    }

    pub(crate) fn raise(&self) {
        self.0.send_replace(true);
    }

    pub(crate) fn is_raised(&self) -> bool {
        *self.0.borrow()
    }

    /// Waits until it is true.
    pub(crate) async fn wait(&self) {
        // The sender lives as long as `self`, so waiting cannot fail.
        let _ = self.0.subscribe().wait_for(|is_raised| *is_raised).await;
    }
}
