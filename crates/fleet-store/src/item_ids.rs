//! New ids of items.

use minds_fleet_protocol::{ItemId, Timestamp};

/// The maximum counter of a millisecond.
const MAX_COUNTER: u16 = 0xfff;
/// The milliseconds from which ids do not sort by time. An id with more was not made here.
const MAX_MILLISECONDS: u64 = 10_000_000_000_000;

/// Makes ids that grow: also within a millisecond, and after a clock that was set back.
#[derive(Debug, Default)]
pub(crate) struct ItemIds {
    /// The last id, as milliseconds and counter.
    last: Option<(u64, u16)>,
}

impl ItemIds {
    /// Notes an id of a file, after which the next one is made.
    pub(crate) fn note(&mut self, id: &ItemId) {
        self.last = self.last.max(parse(id));
    }

    /// Returns a new id.
    pub(crate) fn next(&mut self, now: Timestamp) -> ItemId {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "the value is in the range, and a fraction of a millisecond has no meaning"
        )]
        let now = (now.as_seconds() * 1e3).clamp(0.0, 9_999_999_999_999.0) as u64;
        let (milliseconds, counter) = match self.last {
            Some((last, counter)) if now <= last && counter < MAX_COUNTER => (last, counter + 1),
            Some((last, _)) if now <= last => (last + 1, 0),
            _ => (now, 0),
        };
        self.last = Some((milliseconds, counter));
        ItemId::new(milliseconds, counter)
    }
}

/// Returns the milliseconds and the counter of an id that was made here.
fn parse(id: &ItemId) -> Option<(u64, u16)> {
    let (milliseconds, counter) = id.as_str().strip_prefix("q-")?.split_once('-')?;
    let parsed = (milliseconds.parse().ok()?, u16::from_str_radix(counter, 16).ok()?);
    (parsed.0 < MAX_MILLISECONDS && parsed.1 <= MAX_COUNTER).then_some(parsed)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn ids_are_unique_and_grow_within_a_millisecond_and_after_a_clock_that_goes_back() {
        let mut ids = ItemIds::default();
        ids.note(&ItemId::parse("q-99999999999999999-000").unwrap());
        ids.note(&ItemId::parse("custom").unwrap());
        let mut made = BTreeSet::new();
        let mut last = None;
        for seconds in [1_790_000_000.25, 1_790_000_000.26, 1_700_000_000.0, -1.0, 1_790_000_001.0] {
            for _ in 0..5_000 {
                let id = ids.next(Timestamp::from_seconds(seconds).unwrap());
                assert!(Some(&id) > last.as_ref(), "{id}");
                assert!(made.insert(id.clone()));
                last = Some(id);
            }
        }
        let mut restarted = ItemIds::default();
        restarted.note(&last.clone().unwrap());
        assert!(restarted.next(Timestamp::from_seconds(0.0).unwrap()) > last.unwrap());
    }
}
