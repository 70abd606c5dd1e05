//! Follows the tail of an agent.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use minds_fleet_protocol::limits::MAX_TAIL_FRAMES;
use minds_fleet_protocol::{AgentId, Backoff, Failure, Frame, Timestamp};
use redis::{Cmd, Value, cmd};

use super::Core;
use super::link::{Batch, Link, bytes, text};
use crate::tokens::random;
use crate::{Follower, Start, TailCursor};

/// The longest wait of one command.
const BLOCK: Duration = Duration::from_secs(1);

/// A follower. It reads at its own pace, and the server forgets what is too old for it.
pub(super) struct RedisFollower {
    core: Arc<Core>,
    key: String,
    /// None after the connection was lost.
    link: Option<Link>,
    backoff: Backoff,
    /// The last entry of the stream that was read.
    last: String,
    cursor: TailCursor,
    /// Frames that did not fit into the last result.
    pending: VecDeque<Frame>,
}

impl RedisFollower {
    pub(super) fn new(core: &Arc<Core>, id: &AgentId, start: Start) -> Result<Self, Failure> {
        let key = core.keys.tail(id);
        let mut link = core.open("minds-follower")?;
        let mut batch = Batch::default();
        batch.add(&last_entry(&key)).add(cmd("GET").arg(core.keys.epoch(id)));
        let replies = link.call(&batch)?;
        let [entries, epoch] = replies.as_slice() else { return Err(super::not_found(id)) };
        let last = read_entries(entries).pop();
        if last.is_none() && *epoch == Value::Nil {
            return Err(super::not_found(id));
        }
        let mut follower = Self {
            core: Arc::clone(core),
            key,
            link: Some(link),
            backoff: Backoff::default(),
            last: "0".to_owned(),
            cursor: TailCursor::new(start, 0),
            pending: VecDeque::new(),
        };
        if start == Start::End {
            // Without frames, the first one decides where the sequence begins.
            let any = Timestamp::from_seconds(f64::MIN).map_or(Start::Offset(0), Start::Since);
            follower.cursor = TailCursor::new(any, 0);
            if let Some((entry, frame)) = last {
                follower.last = entry;
                let after = frame.map_or(0, |frame| frame.offset.saturating_add(1));
                follower.cursor = TailCursor::new(Start::Offset(after), 0);
            }
        }
        Ok(follower)
    }

    /// Returns a connection, after a pause if it is made again.
    fn link(&mut self, wait: Duration) -> Result<&mut Link, Failure> {
        let link = match self.link.take() {
            Some(link) => link,
            None => match self.core.open("minds-follower") {
                Ok(link) => {
                    self.backoff.reset();
                    link
                }
                Err(failure) => {
                    let pause = self.backoff.fail(u32::from_le_bytes(random().unwrap_or_default()));
                    minds_process::pause(pause.min(wait));
                    return Err(failure);
                }
            },
        };
        Ok(self.link.insert(link))
    }

    /// Reads entries that exist or arrive within `wait`.
    fn read_stream(&mut self, wait: Duration) -> Result<(), Failure> {
        let mut read = cmd("XREAD");
        read.arg("COUNT").arg(MAX_TAIL_FRAMES);
        if !wait.is_zero() {
            read.arg("BLOCK").arg(u64::try_from(wait.as_millis()).unwrap_or(u64::MAX).max(1));
        }
        read.arg("STREAMS").arg(&self.key).arg(&self.last);
        let link = self.link(wait)?;
        let reply = match link.call_for(&read, wait) {
            Ok(reply) => reply,
            Err(failure) => {
                self.link = None;
                return Err(failure);
            }
        };
        let mut frames = Vec::new();
        for (entry, frame) in entries_of_stream(&reply) {
            self.last = entry;
            // An entry that is not a frame is reported as a gap.
            if let Some(frame) = frame {
                self.cursor.accept(frame, &mut frames);
            }
        }
        self.pending.extend(frames);
        Ok(())
    }

    /// Reads until there are frames for one result, or no more entries.
    fn fill(&mut self) -> Result<(), Failure> {
        while self.pending.len() < MAX_TAIL_FRAMES {
            let last = self.last.clone();
            self.read_stream(Duration::ZERO)?;
            if self.last == last {
                break;
            }
        }
        Ok(())
    }

    fn take(&mut self) -> Vec<Frame> {
        let count = self.pending.len().min(MAX_TAIL_FRAMES);
        self.pending.drain(..count).collect()
    }
}

impl Follower for RedisFollower {
    fn read(&mut self, wait: Duration) -> Result<Vec<Frame>, Failure> {
        if self.pending.is_empty() {
            self.fill()?;
        }
        let mut wait = wait;
        while self.pending.is_empty() && !wait.is_zero() {
            let block = wait.min(BLOCK);
            self.read_stream(block)?;
            wait = wait.saturating_sub(block);
        }
        Ok(self.take())
    }

    fn position(&self) -> u64 {
        // The frame of a gap has its last offset.
        self.pending.front().map_or(self.cursor.position(), |frame| match &frame.event.kind {
            minds_fleet_protocol::EventKind::Gap(gap) => gap.from,
            _ => frame.offset,
        })
    }
}

/// Returns the command that reads the last entry of a tail.
pub(super) fn last_entry(key: &str) -> Cmd {
    let mut command = cmd("XREVRANGE");
    command.arg(key).arg("+").arg("-").arg("COUNT").arg(1);
    command
}

/// Returns the names of entries and their frames; none for what is not a frame.
pub(super) fn read_entries(entries: &Value) -> Vec<(String, Option<Frame>)> {
    let Value::Array(entries) = entries else { return Vec::new() };
    let read = |entry: &Value| {
        let Value::Array(entry) = entry else { return None };
        let [name, Value::Array(fields)] = entry.as_slice() else { return None };
        let field = |pair: &[Value]| match pair {
            [name, frame] if text(name) == Some("f") => serde_json::from_slice(bytes(frame)?).ok(),
            _ => None,
        };
        Some((text(name)?.to_owned(), fields.chunks(2).find_map(field)))
    };
    entries.iter().filter_map(read).collect()
}

/// Returns the entries of the only stream in a reply.
fn entries_of_stream(reply: &Value) -> Vec<(String, Option<Frame>)> {
    match reply {
        Value::Map(streams) => streams.first().map(|(_, entries)| read_entries(entries)).unwrap_or_default(),
        _ => Vec::new(),
    }
}
