//! The tail: offsets, retained frames, followers.

use minds_fleet_protocol::{
    Event, EventKind, Follower, Frame, FrameRing, Gap, Offsets, Timestamp, Token, Warning,
};
use proptest::prelude::*;

fn event(text: &str) -> Event {
    Event::new(Warning { msg: text.to_owned() })
}

fn ts() -> Timestamp {
    Timestamp::from_seconds(1.0).unwrap()
}

#[test]
fn a_ring_returns_pages_and_reports_lost_frames() {
    let mut ring = FrameRing::with_capacity(4, 10);
    assert_eq!(ring.read(None, None, 1_000).next_offset, 10);
    for n in 0..6 {
        assert_eq!(ring.push(event(&n.to_string()), 1, ts()).offset, 10 + n);
    }
    // from, limit: offsets, next, more, gap
    for (from, limit, first, count, next, more, gap) in [
        (None, None, 12, 4, 16, false, false),
        (Some(12), Some(2), 12, 2, 14, true, false),
        (Some(14), Some(2), 14, 2, 16, false, false),
        (Some(11), None, 12, 4, 16, false, true),
        (Some(16), None, 0, 0, 16, false, false),
        (Some(99), None, 0, 0, 16, false, false),
    ] {
        let value = ring.read(from, limit, 100_000);
        assert_eq!(value.events.len(), count, "{from:?}");
        assert_eq!(value.events.first().map_or(0, |frame| frame.offset), first, "{from:?}");
        assert_eq!((value.next_offset, value.more, value.gap), (next, more, gap), "{from:?}");
    }
    assert_eq!(ring.read(None, None, 0).events.len(), 1, "a page has at least one frame");
}

#[test]
fn a_page_fits_into_a_message() {
    let mut ring = FrameRing::new(0);
    for _ in 0..600 {
        let text = "\u{1}".repeat(8_192);
        let token = Token { text, model: "m".to_owned(), stream: None };
        ring.push(Event::new(token), 1, ts());
    }
    let (mut from, mut frames) = (Some(0), 0);
    loop {
        let value = ring.read(from, None, 250_000);
        assert!(serde_json::to_string(&value).unwrap().len() <= 250_100);
        frames += value.events.len();
        from = Some(value.next_offset);
        if !value.more {
            break;
        }
    }
    assert_eq!(frames, 600);
}

#[test]
fn a_follower_reports_gaps_and_skips_old_processes_and_later_events() {
    let frame = |offset, epoch| Frame { offset, epoch, ts: ts(), event: event("w") };
    let mut follower = Follower::new(Some(5));
    assert_eq!(follower.push(frame(4, 1)), []);
    assert_eq!(follower.push(frame(5, 2)), [frame(5, 2)]);
    assert_eq!(follower.push(frame(6, 1)), [], "an older process");
    let frames = follower.push(frame(9, 2));
    assert_eq!(frames[0].event.kind, EventKind::Gap(Gap { from: 6, to: 8 }));
    assert_eq!(frames[1], frame(9, 2));
    let later = Frame { event: Event { kind: EventKind::Unknown, ..event("") }, ..frame(10, 2) };
    assert_eq!(follower.push(later), []);
    assert_eq!(follower.next_offset(), Some(11));
    assert_eq!(Follower::new(None).push(frame(7, 1)), [frame(7, 1)]);
}

proptest! {
    /// Offsets never repeat over crashes at any time, with and without a tail.
    #[test]
    fn offsets_never_repeat(runs in proptest::collection::vec((0_usize..2_500, any::<bool>(), any::<bool>()), 1..8)) {
        let (mut written, mut last) = (0, None);
        for (frames, has_tail, loses_last_frames) in runs {
            let kept = last.filter(|_| has_tail && !loses_last_frames);
            let mut offsets = Offsets::new(kept, written);
            for _ in 0..frames {
                if offsets.take().is_none() {
                    written = offsets.reserve().unwrap();
                    continue;
                }
                let offset = offsets.next() - 1;
                prop_assert!(last.is_none_or(|last| offset > last), "{} after {:?}", offset, last);
                prop_assert!(offset < written);
                last = Some(offset);
            }
        }
    }

    /// Reading page by page gives each retained frame once, and a follower reports no gap in them.
    #[test]
    fn pages_give_each_frame_once(frames in 0_usize..60, capacity in 1_usize..40, limit in 1_usize..9, bytes in 0_usize..600) {
        let mut ring = FrameRing::with_capacity(capacity, 3);
        let all: Vec<Frame> = (0..frames).map(|n| ring.push(event(&"x".repeat(n)), 1, ts())).collect();
        let retained = &all[frames.saturating_sub(capacity)..];
        let (mut from, mut read, mut follower) = (None, Vec::new(), Follower::new(None));
        loop {
            let value = ring.read(from, Some(limit), bytes);
            prop_assert!(!value.gap && value.events.len() <= limit);
            read.extend(value.events.into_iter().flat_map(|frame| follower.push(frame)));
            from = Some(value.next_offset);
            if !value.more {
                break;
            }
        }
        prop_assert_eq!(read.as_slice(), retained);
    }
}
