//! Appends frames to the tail of an agent.

use std::time::Duration;

use minds_fleet_protocol::limits::{OFFSET_BLOCK, RING_FRAMES};
use minds_fleet_protocol::{Event, Failure, Frame, Now};
use minds_fs::{LogFile, Root};

use super::segments::Segments;
use crate::state_record::{StateRecord, storage};

/// The maximum number of offsets that are reserved together in the state record. Blocks grow from [`OFFSET_BLOCK`] while they
/// are used up quickly, because a reservation waits for the disk.
const MAX_BLOCK: u64 = 64 * OFFSET_BLOCK;
/// The time within which a block is used up quickly.
const QUICK: Duration = Duration::from_secs(1);
/// The number of newest segments that are always kept.
const KEPT_SEGMENTS: usize = 2;

/// The tail of an agent, of which this process is the only writer.
#[derive(Debug)]
pub(super) struct TailWriter {
    record: StateRecord,
    log: LogFile,
    /// The first offsets of all segments, in their order.
    segments: Vec<u64>,
    /// The size above which a segment is closed, in bytes.
    segment_bytes: u64,
    next: u64,
    /// When offsets were reserved last.
    reserved: Option<Duration>,
}

impl TailWriter {
    /// Repairs the tail and continues it. A last line that is not complete is cut off.
    ///
    /// The next offset follows the last frame. If frames were lost, it is the bound of the record, which no offset has reached.
    pub(super) fn open(folder: &Root, record: StateRecord, segment_bytes: u64) -> Result<Self, Failure> {
        let files = Segments(folder);
        files.create_folder()?;
        let end = files.end()?;
        let is_lost = end.is_damaged || end.next.saturating_add(record.block) < record.next_offset;
        let next = if is_lost { record.next_offset.max(end.next) } else { end.next };
        let mut segments = files.list()?;
        let first = end.segment.unwrap_or(next);
        let mut log = open_log(folder, first)?;
        if log.size() > end.complete_bytes {
            log.truncate(end.complete_bytes).map_err(|error| storage(&error))?;
        }
        if segments.is_empty() {
            segments.push(first);
        }
        Ok(Self { record, log, segments, segment_bytes, next, reserved: None })
    }

    /// Returns the offset of the next frame.
    pub(super) fn next_offset(&self) -> u64 {
        self.next
    }

    /// Appends frames: all of them, or none if this fails. Returns the offset of the first one.
    pub(super) fn append(&mut self, folder: &Root, events: Vec<Event>, now: Now) -> Result<u64, Failure> {
        let first = self.next;
        if events.is_empty() {
            return Ok(first);
        }
        let after = first.saturating_add(events.len() as u64);
        self.reserve(folder, after, now)?;
        if self.log.size() >= self.segment_bytes {
            self.rotate(folder)?;
        }
        let mut lines = Vec::new();
        for (offset, event) in (first..).zip(events) {
            let frame = Frame { offset, epoch: self.record.epoch, ts: now.time, event };
            serde_json::to_writer(&mut lines, &frame).map_err(|error| storage(&error))?;
            lines.push(b'\n');
        }
        self.log.append(&lines).map_err(|error| storage(&error))?;
        self.next = after;
        Ok(first)
    }

    /// Reserves offsets up to a bound, before one of them is used.
    fn reserve(&mut self, folder: &Root, after: u64, now: Now) -> Result<(), Failure> {
        if after > self.record.next_offset {
            let is_quick = self.reserved.is_some_and(|last| now.clock.saturating_sub(last) < QUICK);
            let block = if is_quick { MAX_BLOCK.min(self.record.block * 2) } else { OFFSET_BLOCK };
            let next_offset = after.saturating_add(block);
            let record = StateRecord { next_offset, block, ..self.record.clone() };
            record.write(folder)?;
            self.record = record;
            self.reserved = Some(now.clock);
        }
        Ok(())
    }

    /// Begins another segment, and removes those that hold no frame that has to be kept.
    fn rotate(&mut self, folder: &Root) -> Result<(), Failure> {
        self.log = open_log(folder, self.next)?;
        self.segments.push(self.next);
        let oldest_kept = self.next.saturating_sub(RING_FRAMES as u64);
        while let [first, second, rest @ ..] = self.segments.as_slice() {
            if rest.len() + 2 <= KEPT_SEGMENTS || *second > oldest_kept {
                break;
            }
            // A segment that remains costs space only; the next start tries again.
            let _ = Segments(folder).remove(*first);
            self.segments.remove(0);
        }
        Ok(())
    }
}

fn open_log(folder: &Root, first: u64) -> Result<LogFile, Failure> {
    folder.no_follow().open_log(&Segments::path(first)?).map_err(|error| storage(&error))
}
