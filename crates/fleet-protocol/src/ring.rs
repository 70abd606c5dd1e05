//! The retained frames of an agent, and the offsets of its frames.

use std::collections::VecDeque;

use crate::limits::{MAX_TAIL_FRAMES, OFFSET_BLOCK, RING_FRAMES};
use crate::methods::TailValue;
use crate::{Event, Frame, Timestamp};

/// Assigns offsets, which grow by 1 and never repeat, also after a crash.
///
/// The file of the agent has a bound that no assigned offset has reached. It is written once for [`OFFSET_BLOCK`]
/// offsets, before the first of them is used. A start without a tail continues at the bound.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Offsets {
    next: u64,
    bound: u64,
}

impl Offsets {
    /// Begins after a start: with the last offset of the tail if it is readable, else with the bound of the file, which
    /// is 0 for a new agent.
    pub fn new(last_of_tail: Option<u64>, bound: u64) -> Self {
        let next = last_of_tail.map_or(bound, |last| last.saturating_add(1));
        Self { next, bound: bound.max(next) }
    }

    /// Returns the bound to write, durably, before the next offset is taken; `None` if the written one is sufficient.
    pub fn reserve(&mut self) -> Option<u64> {
        if self.next < self.bound {
            return None;
        }
        self.bound = self.next.saturating_add(OFFSET_BLOCK);
        Some(self.bound)
    }

    /// Takes the next offset; `None` if [`Offsets::reserve`] has to be called first.
    pub fn take(&mut self) -> Option<u64> {
        let offset = (self.next < self.bound).then_some(self.next)?;
        self.next += 1;
        Some(offset)
    }

    /// Returns the offset of the next frame.
    pub fn next(&self) -> u64 {
        self.next
    }
}

/// The last frames of an agent, [`RING_FRAMES`] by default.
#[derive(Clone, Debug)]
pub struct FrameRing {
    capacity: usize,
    frames: VecDeque<(Frame, usize)>,
    next: u64,
}

impl FrameRing {
    /// Makes an empty ring whose first frame will have the offset `next`.
    pub fn new(next: u64) -> Self {
        Self::with_capacity(RING_FRAMES, next)
    }

    /// Makes an empty ring with another capacity, of at least one frame.
    pub fn with_capacity(capacity: usize, next: u64) -> Self {
        Self { capacity: capacity.max(1), frames: VecDeque::new(), next }
    }

    /// Adds an event as a frame with the next offset, and returns the frame.
    pub fn push(&mut self, event: Event, epoch: u64, ts: Timestamp) -> Frame {
        let frame = Frame { offset: self.next, epoch, ts, event };
        let size = serde_json::to_string(&frame).map_or(0, |text| text.len());
        self.next = self.next.saturating_add(1);
        self.frames.push_back((frame.clone(), size));
        if self.frames.len() > self.capacity {
            self.frames.pop_front();
        }
        frame
    }

    /// Returns the offset of the next frame.
    pub fn next_offset(&self) -> u64 {
        self.next
    }

    /// Returns frames for `tail`: at most `limit`, and at most `max_bytes` encoded, but at least one if one exists.
    ///
    /// Without an offset, the retained frames are returned from the first. An offset after the last frame gives none.
    pub fn read(&self, from: Option<u64>, limit: Option<usize>, max_bytes: usize) -> TailValue {
        let first = self.frames.front().map_or(self.next, |(frame, _)| frame.offset);
        let from = from.unwrap_or(first).min(self.next);
        let start = from.max(first);
        let skipped = usize::try_from(start - first).unwrap_or(usize::MAX);
        let limit = limit.unwrap_or(MAX_TAIL_FRAMES).min(MAX_TAIL_FRAMES);
        let mut size = 0_usize;
        let mut events = Vec::new();
        for (frame, bytes) in self.frames.iter().skip(skipped).take(limit) {
            size = size.saturating_add(bytes + 1);
            if size > max_bytes && !events.is_empty() {
                break;
            }
            events.push(frame.clone());
        }
        let next_offset = events.last().map_or(start, |frame| frame.offset + 1);
        TailValue { events, next_offset, more: next_offset < self.next, gap: from < first }
    }
}
