//! Publishes frames.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use minds_fleet_protocol::limits::RING_FRAMES;
use minds_fleet_protocol::{AgentId, Event, Failure, Frame, Now};
use redis::cmd;

use super::Core;
use super::follower::{last_entry, read_entries};
use super::link::{Batch, Link};
use super::reconnect::Reconnect;
use crate::Publisher;
use crate::serve_waker::ServeWaker;
use crate::state_folder::StateFolder;
use crate::state_record::{StateRecord, storage};

/// The number of offsets that are reserved together in the state record.
const BLOCK: u64 = 1_000;
/// The most frames that are sent together.
const CHUNK: usize = 1_000;

/// What the two sides of an agent share.
pub(super) struct Shared {
    /// The epoch of the process, which changes if the server loses it.
    pub(super) epoch: AtomicU64,
    /// Whether the other side was dropped.
    pub(super) has_ended: AtomicBool,
}

/// What an agent keeps on its machine.
pub(super) struct State {
    pub(super) folder: StateFolder,
    pub(super) record: StateRecord,
}

pub(super) struct RedisPublisher {
    core: Arc<Core>,
    id: AgentId,
    shared: Arc<Shared>,
    waker: ServeWaker,
    /// None after the connection was lost.
    link: Option<Link>,
    reconnect: Reconnect,
    state: Option<State>,
    /// The offset of the next frame. No frame with it or a higher one was published.
    next: u64,
}

impl RedisPublisher {
    /// Continues the tail, or, if the server has lost it, the numbers of the state record.
    pub(super) fn new(
        core: &Arc<Core>,
        id: &AgentId,
        (shared, waker): (Arc<Shared>, ServeWaker),
        state: Option<State>,
    ) -> Result<Self, Failure> {
        let mut link = core.open("minds-publisher")?;
        let bound = state.as_ref().map_or(0, |state| state.record.next_offset);
        let after = find_end(core, &mut link, id)?;
        let is_lost = after.saturating_add(BLOCK) < bound;
        let next = if is_lost { bound } else { after };
        let (core, id, reconnect) = (Arc::clone(core), id.clone(), Reconnect::default());
        Ok(Self { core, id, shared, waker, link: Some(link), reconnect, state, next })
    }

    /// Reserves offsets up to a bound, before one of them is used.
    fn reserve(&mut self, after: u64) -> Result<(), Failure> {
        if let Some(State { folder, record }) = &mut self.state
            && after > record.next_offset
        {
            let reserved = StateRecord { next_offset: after.saturating_add(BLOCK), ..record.clone() };
            reserved.write(&folder.root)?;
            *record = reserved;
        }
        Ok(())
    }

    fn link(&mut self, now: Now) -> Result<&mut Link, Failure> {
        let link = match self.link.take() {
            Some(link) => link,
            None => self.reconnect.note(self.core.open("minds-publisher"), now)?,
        };
        Ok(self.link.insert(link))
    }

    /// Stores frames in their order.
    fn store(&mut self, frames: &[Vec<u8>], after: u64, now: Now) -> Result<(), Failure> {
        let key = self.core.keys.tail(&self.id);
        let wake = serde_json::json!({ "wake": { "offset": after } }).to_string();
        let link = self.link(now)?;
        let mut chunks = frames.chunks(CHUNK).peekable();
        while let Some(chunk) = chunks.next() {
            let mut batch = Batch::default();
            for frame in chunk {
                let mut add = cmd("XADD");
                add.arg(&key).arg("MAXLEN").arg("~").arg(RING_FRAMES).arg("*").arg("f").arg(frame);
                batch.add_ignored(&add);
            }
            if chunks.peek().is_none() {
                batch.add_ignored(cmd("PUBLISH").arg(&key).arg(&wake));
            }
            link.call(&batch)?;
        }
        Ok(())
    }

    /// Returns the number of frames from `first` that are stored, over another connection.
    fn count_stored(&mut self, first: u64, now: Now) -> Result<usize, Failure> {
        self.link = None;
        let (core, id) = (Arc::clone(&self.core), self.id.clone());
        let end = find_end(&core, self.link(now)?, &id)?;
        Ok(usize::try_from(end.saturating_sub(first)).unwrap_or(usize::MAX))
    }
}

/// Returns the offset after the last frame on the server.
fn find_end(core: &Core, link: &mut Link, id: &AgentId) -> Result<u64, Failure> {
    let entries = link.call(Batch::default().add(&last_entry(&core.keys.tail(id))))?.pop();
    let last = read_entries(&entries.unwrap_or_default()).pop().and_then(|(_, frame)| frame);
    Ok(last.map_or(0, |frame| frame.offset.saturating_add(1)))
}

impl Publisher for RedisPublisher {
    fn publish(&mut self, events: Vec<Event>, now: Now) -> Result<u64, Failure> {
        if self.shared.has_ended.load(Ordering::SeqCst) {
            return Err(super::not_found(&self.id));
        }
        let first = self.next;
        if events.is_empty() {
            return Ok(first);
        }
        let after = first.saturating_add(events.len() as u64);
        self.reserve(after)?;
        let epoch = self.shared.epoch.load(Ordering::SeqCst);
        let mut frames = Vec::with_capacity(events.len());
        for (offset, event) in (first..).zip(events) {
            let frame = Frame { offset, epoch, ts: now.time, event };
            frames.push(serde_json::to_vec(&frame).map_err(|error| storage(&error))?);
        }
        // Also if this fails: some of the frames may be stored.
        self.next = after;
        if let Err(failure) = self.store(&frames, after, now) {
            // The connection may have ended after the server has stored frames.
            let stored = self.count_stored(first, now).map_err(|_| failure)?;
            let rest = frames.get(stored..).unwrap_or_default();
            if let Err(failure) = self.store(rest, after, now) {
                self.link = None;
                return Err(failure);
            }
        }
        Ok(first)
    }

    fn wake(&self) {
        self.waker.wake();
    }
}
