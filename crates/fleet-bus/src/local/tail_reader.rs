//! Follows the tail of an agent by reading its files.

use std::path::PathBuf;
use std::time::Duration;

use minds_fleet_protocol::limits::MAX_TAIL_FRAMES;
use minds_fleet_protocol::{Failure, Frame};
use minds_fs::Root;

use super::frame_waiter::FrameWaiter;
use super::segments::{SegmentReader, Segments};
use crate::{Follower, Start, TailCursor};

/// A follower, which needs no running agent and costs it nothing.
#[derive(Debug)]
pub(super) struct TailReader {
    folder: Root,
    cursor: TailCursor,
    /// The first offset of the segment that is read, and its reader.
    current: Option<(u64, SegmentReader)>,
    /// The first offset of the segment to read next.
    following: Option<u64>,
    waiter: FrameWaiter,
    /// A frame that did not fit into the last result.
    pending: Vec<Frame>,
}

impl TailReader {
    /// Follows the tail in a state folder. `runtime` is the runtime folder of the agent, which reports new frames.
    pub(super) fn new(folder: Root, runtime: PathBuf, start: Start) -> Result<Self, Failure> {
        let end = if start == Start::End { Segments(&folder).end()?.next } else { 0 };
        let cursor = TailCursor::new(start, end);
        let waiter = FrameWaiter::new(runtime);
        Ok(Self { folder, cursor, current: None, following: None, waiter, pending: Vec::new() })
    }

    fn read_files(&mut self) -> Result<Vec<Frame>, Failure> {
        let mut frames = std::mem::take(&mut self.pending);
        while frames.len() < MAX_TAIL_FRAMES {
            if let Some((_, reader)) = &mut self.current
                && let Some(line) = reader.next_line()?
            {
                // A line that is not a frame is reported as a gap.
                if let Ok(frame) = serde_json::from_slice(line) {
                    self.cursor.accept(frame, &mut frames);
                }
                continue;
            }
            if let Some(first) = self.following.take() {
                // It may have been removed; then another one follows.
                if let Some(reader) = Segments(&self.folder).open(first)? {
                    self.current = Some((first, reader));
                }
                continue;
            }
            // The writer completes a segment before it creates the next one, so the current one is read to its end again.
            self.following = self.find_following()?;
            if self.following.is_none() {
                break;
            }
        }
        self.pending = frames.split_off(frames.len().min(MAX_TAIL_FRAMES));
        Ok(frames)
    }

    /// Returns the first offset of the segment after the current one, if it exists.
    fn find_following(&self) -> Result<Option<u64>, Failure> {
        let firsts = Segments(&self.folder).list()?;
        Ok(match &self.current {
            // The last segment that can contain the position, or the oldest one.
            None => {
                let position = self.cursor.position();
                firsts.iter().rev().find(|first| **first <= position).or(firsts.first()).copied()
            }
            Some((current, _)) => firsts.into_iter().find(|first| first > current),
        })
    }
}

impl Follower for TailReader {
    fn read(&mut self, wait: Duration) -> Result<Vec<Frame>, Failure> {
        let frames = self.read_files()?;
        if !frames.is_empty() || wait.is_zero() {
            return Ok(frames);
        }
        self.waiter.wait(wait)?;
        self.read_files()
    }

    fn position(&self) -> u64 {
        self.pending.first().map_or(self.cursor.position(), |frame| frame.offset)
    }
}
