//! Messages on their way.

use std::time::Duration;

use super::faults::{Faults, Random};

/// The positions in the order of arrival that one message is apart from the next.
const STEP: u64 = 16;

/// When a message arrives, and its place in the order of those that have arrived.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arrival {
    due: Duration,
    /// The place, which no other arrival has.
    pub order: u64,
}

/// Messages on their way.
#[derive(Debug)]
pub struct Transit<T>(Vec<(Arrival, T)>);

impl<T> Default for Transit<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T> Transit<T> {
    /// Adds a message.
    pub fn push(&mut self, arrival: Arrival, message: T) {
        self.0.push((arrival, message));
    }

    /// Takes the next message that has arrived by a time.
    pub fn pop(&mut self, clock: Duration) -> Option<T> {
        let arrived = self.0.iter().enumerate().filter(|(_, (arrival, _))| arrival.due <= clock);
        let (at, _) = arrived.min_by_key(|(_, (arrival, _))| arrival.order)?;
        Some(self.0.swap_remove(at).1)
    }

    /// Loses all messages.
    pub fn clear(&mut self) {
        self.0.clear();
    }
}

/// Which faults a message can meet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Care {
    /// It arrives once and in order, as a call of a store does.
    Reliable,
    /// It may be lost, and arrives at most once.
    Notice,
    /// Everything can happen to it.
    Message,
}

/// Decides what happens to messages.
#[derive(Debug)]
pub struct Schedule {
    /// The rates of faults.
    pub faults: Faults,
    /// The random numbers that decide.
    pub random: Random,
    order: u64,
}

impl Schedule {
    /// Begins with the seed of the faults.
    pub fn new(faults: Faults) -> Self {
        Self { faults, random: Random::new(faults.seed), order: STEP * STEP }
    }

    /// Decides when and how often a message arrives that is sent at a time.
    pub fn arrivals(&mut self, care: Care, clock: Duration) -> Vec<Arrival> {
        let (faults, random) = (self.faults, &mut self.random);
        let mut arrivals = Vec::new();
        if care != Care::Reliable && random.is_hit(faults.drop) {
            return arrivals;
        }
        let copies = if care == Care::Message && random.is_hit(faults.duplicate) { 2 } else { 1 };
        for _ in 0..copies {
            self.order += STEP;
            let mut order = self.order;
            if care == Care::Message && random.is_hit(faults.reorder) {
                // Multiples of the step are the places of messages that keep their order.
                order = order - STEP * 4 + random.number_below(STEP * 8);
            }
            let mut due = clock;
            if care != Care::Reliable && random.is_hit(faults.delay) {
                let longest = u64::try_from(Faults::MAX_DELAY.as_millis()).unwrap_or_default();
                due += Duration::from_millis(random.number_below(longest));
            }
            arrivals.push(Arrival { due, order });
        }
        arrivals
    }
}
