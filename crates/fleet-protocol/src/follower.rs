//! What a follower of a tail reports from the frames that arrive.

use crate::{Event, EventKind, Frame, Gap};

/// Reads the frames of one agent in order: each one once, with a `gap` for missing ones.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Follower {
    next: Option<u64>,
    epoch: u64,
}

impl Follower {
    /// Begins with an offset, or with the first frame that arrives.
    pub fn new(next: Option<u64>) -> Self {
        Self { next, epoch: 0 }
    }

    /// Returns what to report for a frame.
    ///
    /// Nothing is reported for a frame that was reported, for one of an older process, or for an event of a later
    /// version. A gap is reported in front of the frame that follows it.
    pub fn push(&mut self, frame: Frame) -> Vec<Frame> {
        if frame.epoch < self.epoch || self.next.is_some_and(|next| frame.offset < next) {
            return Vec::new();
        }
        self.epoch = frame.epoch;
        let mut frames = Vec::new();
        if let Some(next) = self.next.filter(|next| *next < frame.offset) {
            let gap = Event::new(Gap { from: next, to: frame.offset - 1 });
            frames.push(Frame { offset: next, epoch: frame.epoch, ts: frame.ts, event: gap });
        }
        self.next = Some(frame.offset.saturating_add(1));
        if frame.event.kind != EventKind::Unknown {
            frames.push(frame);
        }
        frames
    }

    /// Returns the offset of the next frame to read.
    pub fn next_offset(&self) -> Option<u64> {
        self.next
    }
}
