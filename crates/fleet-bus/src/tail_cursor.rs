//! The position of a follower.

use minds_fleet_protocol::{Event, Frame, Gap, Timestamp};

use crate::Start;

/// Makes a sequence without repetition from the frames that a transport finds, and fills its holes with gaps.
#[derive(Clone, Debug)]
pub struct TailCursor {
    next: u64,
    since: Option<Timestamp>,
    epoch: u64,
}

impl TailCursor {
    /// Begins at a start. `end` is the offset after the last frame that exists.
    pub fn new(start: Start, end: u64) -> Self {
        let (next, since) = match start {
            Start::Offset(offset) => (offset, None),
            Start::Since(time) => (0, Some(time)),
            Start::End => (end, None),
        };
        Self { next, since, epoch: 0 }
    }

    /// Returns the offset of the next frame.
    pub fn position(&self) -> u64 {
        self.next
    }

    /// Adds a frame to `frames`, and a gap in front of it if frames are missing.
    ///
    /// A frame that was returned, is too early, or has a lower epoch than an earlier one is left out.
    pub fn accept(&mut self, frame: Frame, frames: &mut Vec<Frame>) {
        if frame.offset < self.next {
            return;
        }
        let after = frame.offset.saturating_add(1);
        if frame.epoch < self.epoch {
            return;
        }
        self.epoch = frame.epoch;
        if let Some(time) = self.since {
            if frame.ts < time {
                return;
            }
            self.since = None;
            self.next = frame.offset;
        }
        if frame.offset > self.next {
            let gap = Gap { from: self.next, to: frame.offset - 1 };
            frames.push(Frame { offset: gap.to, event: Event::new(gap), ..frame.clone() });
        }
        self.next = after;
        frames.push(frame);
    }
}

#[cfg(test)]
mod tests {
    use minds_fleet_protocol::{EventKind, Warning};

    use super::*;

    fn frame(offset: u64, epoch: u64) -> Frame {
        let ts = Timestamp::from_seconds(100.0 + f64::from(u32::try_from(offset).unwrap())).unwrap();
        Frame { offset, epoch, ts, event: Event::new(Warning { msg: offset.to_string() }) }
    }

    fn read(start: Start, frames: &[(u64, u64)]) -> Vec<String> {
        let mut cursor = TailCursor::new(start, 7);
        let mut accepted = Vec::new();
        for (offset, epoch) in frames {
            cursor.accept(frame(*offset, *epoch), &mut accepted);
        }
        let show = |frame: &Frame| match &frame.event.kind {
            EventKind::Gap(gap) => format!("{}-{}", gap.from, gap.to),
            _ => frame.offset.to_string(),
        };
        accepted.iter().map(show).collect()
    }

    #[test]
    fn a_cursor_returns_each_frame_once_and_names_what_is_missing() {
        assert_eq!(
            read(Start::Offset(2), &[(1, 1), (2, 1), (2, 1), (3, 1), (6, 1), (5, 1)]),
            ["2", "3", "4-5", "6"]
        );
        assert_eq!(read(Start::Offset(0), &[(4, 1)]), ["0-3", "4"]);
        assert_eq!(read(Start::End, &[(6, 1), (7, 1), (9, 1)]), ["7", "8-8", "9"]);
    }

    #[test]
    fn a_cursor_starts_at_a_time_without_a_gap() {
        let time = Timestamp::from_seconds(103.0).unwrap();
        assert_eq!(read(Start::Since(time), &[(2, 1), (3, 1), (4, 1), (6, 1)]), ["3", "4", "5-5", "6"]);
    }

    #[test]
    fn frames_of_an_earlier_process_are_left_out() {
        assert_eq!(read(Start::Offset(1), &[(1, 2), (2, 1), (2, 2)]), ["1", "2"]);
    }
}
