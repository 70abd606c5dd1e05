//! What goes wrong in the model, decided by a seed.

use std::time::Duration;

/// The rates of faults, each in messages per thousand. The same seed gives the same faults.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Faults {
    /// The start of the sequence of random numbers.
    pub seed: u64,
    /// Requests, responses and notices that are lost.
    pub drop: u32,
    /// Messages that arrive up to 3 seconds later.
    pub delay: u32,
    /// Requests and responses that arrive twice.
    pub duplicate: u32,
    /// Requests and responses that change places with later ones.
    pub reorder: u32,
    /// Requests that end the connection of their client instead of arriving.
    pub disconnect: u32,
    /// Requests that end the process of the agent instead of arriving.
    pub restart: u32,
}

impl Faults {
    /// The longest delay of a message.
    pub const MAX_DELAY: Duration = Duration::from_secs(3);

    /// Returns no faults. The seed decides about random numbers only.
    pub fn none(seed: u64) -> Self {
        Self { seed, ..Self::default() }
    }

    /// Returns rates of faults at which most messages still arrive.
    pub fn usual(seed: u64) -> Self {
        Self { seed, drop: 60, delay: 150, duplicate: 100, reorder: 150, disconnect: 15, restart: 8 }
    }

    /// Returns whether any fault can happen.
    pub fn is_any(&self) -> bool {
        *self != Self::none(self.seed)
    }
}

/// A sequence of random numbers, which is not for secrets.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// Begins a sequence. The same seed gives the same sequence.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// Returns the next number (the generator `SplitMix64`).
    pub fn number(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// Returns a number below a limit; 0 if the limit is 0.
    pub fn number_below(&mut self, limit: u64) -> u64 {
        self.number().checked_rem(limit).unwrap_or_default()
    }

    /// Returns true for a number of cases in a thousand.
    pub fn is_hit(&mut self, rate: u32) -> bool {
        self.number_below(1_000) < u64::from(rate)
    }

    /// Returns random bytes.
    pub fn bytes<const N: usize>(&mut self) -> [u8; N] {
        std::array::from_fn(|_| self.number().to_le_bytes()[0])
    }
}
