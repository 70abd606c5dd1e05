//! Which connections stay when there are more than there are places.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};

use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore};

/// A connection, as far as its place among others goes.
#[derive(Debug)]
pub struct Visit {
    is_trusted: AtomicBool,
    /// The place of a trusted connection.
    place: Mutex<Option<OwnedSemaphorePermit>>,
    places: Arc<Semaphore>,
    close: Notify,
}

impl Visit {
    /// Notes that a request on this connection has proved where it comes from: it is no longer closed for others, as long as
    /// there are places for trusted ones.
    pub fn trust(&self) {
        if self.is_trusted.load(Ordering::Relaxed) {
            return;
        }
        if let Ok(place) = Arc::clone(&self.places).try_acquire_owned() {
            *self.place.lock().unwrap_or_else(PoisonError::into_inner) = Some(place);
            self.is_trusted.store(true, Ordering::Relaxed);
        }
    }

    /// Waits until another connection needs the place.
    pub(crate) async fn closed(&self) {
        self.close.notified().await;
    }
}

/// All connections that are not trusted, the oldest first.
#[derive(Debug)]
pub(crate) struct Visits {
    strangers: VecDeque<Weak<Visit>>,
    most: usize,
    places: Arc<Semaphore>,
}

impl Visits {
    pub(crate) fn new(most_strangers: usize, most_trusted: usize) -> Self {
        let places = Arc::new(Semaphore::new(most_trusted));
        Self { strangers: VecDeque::new(), most: most_strangers.max(1), places }
    }

    /// Returns the place of a new connection; the oldest that is not trusted is closed if there are too many.
    pub(crate) fn begin(&mut self) -> Arc<Visit> {
        self.strangers
            .retain(|visit| visit.upgrade().is_some_and(|visit| !visit.is_trusted.load(Ordering::Relaxed)));
        while self.strangers.len() >= self.most {
            if let Some(oldest) = self.strangers.pop_front().and_then(|visit| visit.upgrade()) {
                oldest.close.notify_one();
            }
        }
        let visit = Arc::new(Visit {
            is_trusted: AtomicBool::new(false),
            place: Mutex::new(None),
            places: Arc::clone(&self.places),
            close: Notify::new(),
        });
        self.strangers.push_back(Arc::downgrade(&visit));
        visit
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn is_closed(visit: &Visit) -> bool {
        tokio::select! {
            biased;
            () = visit.closed() => true,
            () = std::future::ready(()) => false,
        }
    }

    #[tokio::test]
    async fn the_oldest_stranger_gives_way_and_trusted_connections_stay() {
        let mut visits = Visits::new(2, 1);
        let (one, two) = (visits.begin(), visits.begin());
        one.trust();
        let three = visits.begin();
        assert!(!is_closed(&one).await && !is_closed(&two).await && !is_closed(&three).await);
        let four = visits.begin();
        assert!(is_closed(&two).await && !is_closed(&three).await && !is_closed(&one).await);
        // There is one place for trusted connections.
        three.trust();
        let _five = visits.begin();
        assert!(is_closed(&three).await && !is_closed(&four).await);
        // It is free again once its connection has ended.
        drop(one);
        four.trust();
        let _six = visits.begin();
        let _seven = visits.begin();
        assert!(!is_closed(&four).await);
        // A stranger that has gone needs no place.
        let mut visits = Visits::new(1, 1);
        drop(visits.begin());
        let stays = visits.begin();
        assert!(!is_closed(&stays).await);
    }
}
