//! One answer with frames that exist already.

use std::time::Duration;

use minds_fleet_protocol::limits::MAX_MESSAGE_BYTES;
use minds_fleet_protocol::methods::TailValue;
use minds_fleet_protocol::{EventKind, Failure};

use crate::Follower;

/// Reads the frames of a new follower that exist, without waiting: at most `limit`, and at most as many as fit into half a
/// message, but at least one if `limit` is not 0. Frames of a kind that this version does not know are left out.
///
/// `from` is the offset that was asked for, if one was; what is missing after it is a gap.
///
/// # Errors
///
/// Fails if frames cannot be read.
pub fn read_page(follower: &mut dyn Follower, from: Option<u64>, limit: usize) -> Result<TailValue, Failure> {
    let (mut events, mut gap, mut size) = (Vec::new(), false, 0);
    loop {
        let frames = follower.read(Duration::ZERO)?;
        if frames.is_empty() {
            let next_offset = from.unwrap_or_default().max(follower.position());
            return Ok(TailValue { events, next_offset, more: false, gap });
        }
        for frame in frames {
            match frame.event.kind {
                EventKind::Gap(_) => gap = from.is_some(),
                EventKind::Unknown => {}
                _ => {
                    size += serde_json::to_vec(&frame).map_or(0, |text| text.len() + 1);
                    // One that is too long for a page of its own would never be read.
                    let is_full = size > MAX_MESSAGE_BYTES / 2 && !events.is_empty();
                    if events.len() >= limit || is_full {
                        return Ok(TailValue { events, next_offset: frame.offset, more: true, gap });
                    }
                    events.push(frame);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use minds_fleet_protocol::{Event, Frame, Gap, Timestamp, Warning};

    use super::*;

    struct Frames(Vec<Frame>);

    impl Follower for Frames {
        fn read(&mut self, _: Duration) -> Result<Vec<Frame>, Failure> {
            Ok(std::mem::take(&mut self.0))
        }

        fn position(&self) -> u64 {
            9
        }
    }

    fn frame(offset: u64, kind: impl Into<EventKind>) -> Frame {
        let time = Timestamp::from_milliseconds(0);
        Frame { offset, epoch: 1, ts: time, event: Event { kind: kind.into(), qid: None, trace_id: None } }
    }

    fn text(length: usize) -> Warning {
        Warning { msg: "x".repeat(length) }
    }

    #[test]
    fn a_page_has_a_limit_and_makes_progress() {
        let long = MAX_MESSAGE_BYTES / 2;
        // The lengths of frames, the limit, and the offsets of the page, the next one, and whether there is more.
        for (lengths, limit, expected) in [
            (&[1, 1, 1][..], 9, (vec![5, 6, 7], 9, false)),
            (&[1, 1, 1], 2, (vec![5, 6], 7, true)),
            (&[1], 0, (vec![], 5, true)),
            (&[long, 1], 9, (vec![5], 6, true)),
            (&[1, long, 1], 9, (vec![5], 6, true)),
            (&[], 9, (vec![], 9, false)),
        ] {
            let frames = (5..).zip(lengths).map(|(offset, length)| frame(offset, text(*length)));
            let page = read_page(&mut Frames(frames.collect()), Some(5), limit).unwrap();
            let offsets: Vec<u64> = page.events.iter().map(|frame| frame.offset).collect();
            assert_eq!((offsets, page.next_offset, page.more), expected, "{lengths:?} {limit}");
        }
    }

    #[test]
    fn a_gap_is_reported_to_those_who_asked_for_an_offset() {
        let frames = || Frames(vec![frame(4, Gap { from: 0, to: 4 }), frame(5, EventKind::Unknown)]);
        for (from, expected) in [(None, false), (Some(0), true)] {
            let page = read_page(&mut frames(), from, 9).unwrap();
            assert_eq!((page.events.len(), page.next_offset, page.gap), (0, 9, expected));
        }
        // The first frame of a client that is ahead of the agent.
        assert_eq!(read_page(&mut Frames(Vec::new()), Some(12), 9).unwrap().next_offset, 12);
    }
}
