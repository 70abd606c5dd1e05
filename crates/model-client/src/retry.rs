//! When a request that failed is sent again.
//!
//! Only a request whose answer has not begun is sent again, so no tool call of an answer can run twice.

use std::time::Duration;

/// The maximum number of requests for one answer.
const MAX_REQUESTS: u32 = 4;
/// The pause after the first failure; it doubles.
const FIRST_PAUSE: Duration = Duration::from_millis(500);
const LONGEST_PAUSE: Duration = Duration::from_secs(30);
/// The part by which a pause is longer or shorter at most, in percent.
const JITTER_PERCENT: u32 = 25;

/// A random number, which makes a pause longer or shorter, so that clients that failed together do not return together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Jitter(u8);

impl Jitter {
    /// Changes no pause.
    pub const NONE: Self = Self(128);

    /// Makes a jitter of a random byte: 0 shortens a pause by 25 percent, 255 makes it almost 25 percent longer.
    pub fn new(random: u8) -> Self {
        Self(random)
    }

    fn apply(self, pause: Duration) -> Duration {
        let shortest = pause * (100 - JITTER_PERCENT) / 100;
        shortest + pause * JITTER_PERCENT / 100 * 2 * u32::from(self.0) / 256
    }
}

/// Returns the pause before the next request; none if there is none, because `requests` requests have failed already.
///
/// `retry_after` is the time that the provider named; it counts as it is.
pub fn next_pause(requests: u32, retry_after: Option<Duration>, jitter: Jitter) -> Option<Duration> {
    if requests >= MAX_REQUESTS {
        return None;
    }
    let doubled = FIRST_PAUSE.saturating_mul(2_u32.saturating_pow(requests.saturating_sub(1)));
    Some(retry_after.unwrap_or_else(|| jitter.apply(doubled.min(LONGEST_PAUSE))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_double_and_end() {
        let pauses = |jitter| -> Vec<Option<u128>> {
            (1..=4).map(|requests| next_pause(requests, None, jitter).map(|one| one.as_millis())).collect()
        };
        assert_eq!(pauses(Jitter::NONE), [Some(500), Some(1000), Some(2000), None]);
        assert_eq!(pauses(Jitter::new(0)), [Some(375), Some(750), Some(1500), None]);
        assert_eq!(pauses(Jitter::new(255)), [Some(624), Some(1248), Some(2496), None]);
    }

    #[test]
    fn the_time_of_the_provider_counts_as_it_is() {
        let seven = Some(Duration::from_secs(7));
        assert_eq!(next_pause(1, seven, Jitter::new(0)), seven);
        assert_eq!(next_pause(3, seven, Jitter::new(255)), seven);
        assert_eq!(next_pause(4, seven, Jitter::NONE), None);
    }
}
