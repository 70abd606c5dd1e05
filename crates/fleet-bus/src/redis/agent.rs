//! The agent's side.

mod owner;

use std::collections::{BTreeMap, VecDeque};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use minds_fleet_protocol::limits::{HEARTBEAT_INTERVAL, HEARTBEAT_LIFETIME};
use minds_fleet_protocol::methods::Owner;
use minds_fleet_protocol::{
    AgentId, AgentInfo, Caller, ErrorCode, Failure, Now, RegistryChange, RegistryEvent, Request, Response,
};
use minds_fs::{Watched, wait_for};
use redis::{Value, cmd};

use super::Core;
use super::link::{Batch, Link, Message};
use super::lock::Lock;
use super::publisher::{RedisPublisher, Shared, State};
use super::reconnect::Reconnect;
use super::routing::{self, Routed};
use super::scripts::Call;
use crate::in_flight::encode_response;
use crate::serve_waker::{self, WakeReceiver};
use crate::state_folder::StateFolder;
use crate::state_record::{StateRecord, storage};
use crate::{AgentPort, Announced, Served, Ticket};

/// The most messages that wait for an answer; the oldest ones get none.
const MAX_TICKETS: usize = 65_536;

/// Starts an agent.
pub(super) fn announce(core: &Arc<Core>, mut info: AgentInfo, now: Now) -> Result<Announced, Failure> {
    let id = info.id.clone();
    // Entries of the local bus only have the folder: another machine has other ones.
    let folder = info.state_dir.take();
    let mut state = folder.as_deref().map(|folder| open_state(Path::new(folder), &id)).transpose()?;
    let mut link = core.open("minds-agent")?;
    let last = state.as_ref().map_or(0, |state| state.record.epoch);
    let lock = Lock::take(core, &mut link, &info, last)?;
    info.epoch = lock.epoch;
    if let Some(State { folder, record }) = &mut state {
        record.epoch = lock.epoch;
        record.write(&folder.root)?;
    }
    let (waker, wake) = serve_waker::pair().map_err(|error| storage(&error))?;
    let epoch = AtomicU64::new(lock.epoch);
    let shared = Arc::new(Shared { epoch, has_ended: AtomicBool::new(false) });
    let publisher = RedisPublisher::new(core, &id, (Arc::clone(&shared), waker), state)?;
    let mut agent = RedisAgent {
        core: Arc::clone(core),
        info,
        lock,
        link: Some(link),
        reconnect: Reconnect::default(),
        wake,
        shared,
        served: VecDeque::new(),
        tickets: BTreeMap::new(),
        number: 0,
        next_beat: now.clock.saturating_add(HEARTBEAT_INTERVAL),
        last_beat: now.clock,
        owner: None,
    };
    agent.begin(now)?;
    Ok(Announced { agent: Box::new(agent), publisher: Box::new(publisher) })
}

fn open_state(folder: &Path, id: &AgentId) -> Result<State, Failure> {
    let folder = StateFolder::lock(folder, id)?;
    let record = StateRecord::read(&folder.root)?;
    Ok(State { folder, record })
}

struct RedisAgent {
    core: Arc<Core>,
    info: AgentInfo,
    lock: Lock,
    /// None after the connection was lost.
    link: Option<Link>,
    reconnect: Reconnect,
    wake: WakeReceiver,
    shared: Arc<Shared>,
    served: VecDeque<Served>,
    /// Where the answers to messages go.
    tickets: BTreeMap<u64, Sender>,
    number: u64,
    /// When the next heartbeat is due.
    next_beat: Duration,
    /// When the lock was refreshed last, before the server was asked.
    last_beat: Duration,
    /// The owner that was reported last.
    owner: Option<Caller>,
}

/// Who sent a message.
struct Sender {
    /// The connection; empty for a program that names none.
    connection: String,
    /// What it sent, of which only the decision about an owner needs the caller.
    message: Vec<u8>,
}

impl RedisAgent {
    /// Subscribes and publishes the entry. No process had the agent before, so the agent has no owner.
    fn begin(&mut self, now: Now) -> Result<(), Failure> {
        let mut batch = self.subscriptions();
        let [owner, session, takeover, wait, _] = self.core.keys.ownership(&self.info.id);
        batch.add_ignored(cmd("DEL").arg(owner).arg(session).arg(takeover).arg(wait));
        self.add_entry(&mut batch, RegistryEvent::Join, now);
        self.with_link(|link, _| link.call(&batch).map(drop))
    }

    fn subscriptions(&self) -> Batch {
        let mut batch = Batch::default();
        batch.subscribe(&self.core.keys.requests(&self.info.id));
        batch.subscribe(&self.core.keys.owner_changes(&self.info.id));
        batch
    }

    /// Adds the commands that store the entry and report it.
    fn add_entry(&self, batch: &mut Batch, event: RegistryEvent, now: Now) {
        let seconds = self.core.seconds(HEARTBEAT_LIFETIME);
        let key = self.core.keys.entry(&self.info.id);
        batch.add_ignored(cmd("SET").arg(key).arg(self.entry()).arg("EX").arg(seconds));
        self.add_report(batch, event, now);
    }

    fn entry(&self) -> String {
        serde_json::to_string(&self.info).unwrap_or_default()
    }

    fn add_report(&self, batch: &mut Batch, event: RegistryEvent, now: Now) {
        let change = RegistryChange { event, id: self.info.id.clone(), ts: now.time };
        let text = serde_json::to_string(&change).unwrap_or_default();
        batch.add_ignored(cmd("PUBLISH").arg(self.core.keys.registry()).arg(text));
    }

    /// Uses the connection. A failure of the server ends it.
    fn with_link<T>(
        &mut self,
        act: impl FnOnce(&mut Link, &Core) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        let Some(link) = &mut self.link else {
            return Err(Failure::new(ErrorCode::RedisUnavailable, "the connection to Redis is lost"));
        };
        let result = act(link, &self.core);
        if result.as_ref().is_err_and(is_lost) {
            self.link = None;
        }
        result
    }

    /// Connects again, if it is time to; returns whether there is a connection.
    fn restore(&mut self, now: Now) -> Result<bool, Failure> {
        if self.link.is_none() {
            if !self.reconnect.remaining(now).is_zero() {
                return Ok(false);
            }
            let Ok(link) = self.reconnect.note(self.core.open("minds-agent"), now) else { return Ok(false) };
            self.link = Some(link);
            let subscriptions = self.subscriptions();
            let mut report = Batch::default();
            self.add_report(&mut report, RegistryEvent::Join, now);
            let kept = self
                .keep_lock(subscriptions, now)
                .and_then(|()| self.with_link(|link, _| link.call(&report).map(drop)));
            match kept {
                Err(failure) if is_lost(&failure) => {
                    self.reconnect.fail(now);
                    return Ok(false);
                }
                kept => kept?,
            }
        }
        Ok(true)
    }

    /// Refreshes the entry and the lock, reads the owner, and takes the lock again if the server has lost it.
    ///
    /// Returns `duplicate.instance` if another process has it.
    fn keep_lock(&mut self, batch: Batch, now: Now) -> Result<(), Failure> {
        let mut lock = self.lock.clone();
        let (script, entry) = (self.owner_script(), self.entry());
        let (is_kept, owner) = self.with_link(|link, core| {
            let [refreshed, owner] = Call::run_both(link, batch, &lock.refresh(core, entry), &script)?;
            let is_kept = refreshed == Value::Int(1);
            if !is_kept {
                lock.take_again(core, link)?;
            }
            Ok((is_kept, owner))
        })?;
        self.note_owner(&owner);
        self.next_beat = now.clock.saturating_add(HEARTBEAT_INTERVAL);
        self.last_beat = now.clock;
        if !is_kept {
            self.info.epoch = lock.epoch;
            self.shared.epoch.store(lock.epoch, Ordering::SeqCst);
            self.lock = lock;
            let mut batch = Batch::default();
            self.add_entry(&mut batch, RegistryEvent::Update, now);
            self.with_link(|link, _| link.call(&batch).map(drop))?;
        }
        Ok(())
    }

    /// Takes what has arrived, until there is something to return.
    fn drain(&mut self) -> Result<(), Failure> {
        let requests = self.core.keys.requests(&self.info.id);
        let mut has_changed = false;
        while self.served.is_empty()
            && let Some(Message { channel, payload }) = self.with_link(|link, _| link.take_message())?
        {
            if channel != requests {
                has_changed = true;
                continue;
            }
            let Routed { connection, process, message } = routing::unmark(payload);
            if !process.is_empty() && process != self.lock.process_name() {
                continue;
            }
            self.number += 1;
            self.tickets.insert(self.number, Sender { connection, message: message.clone() });
            if self.tickets.len() > MAX_TICKETS {
                self.tickets.pop_first();
            }
            let ticket = Ticket { connection: 0, number: self.number };
            self.served.push_back(Served::Message { ticket, message });
        }
        if has_changed {
            self.read_owner()?;
        }
        Ok(())
    }

    /// Does what is due, waits, and takes what arrives.
    fn work(&mut self, now: Now, wait: Duration) -> Result<(), Failure> {
        if !self.restore(now)? {
            let wait = wait.min(self.reconnect.remaining(now));
            wait_for(&[self.wake.watch()], wait).map_err(|error| storage(&error))?;
            self.wake.take();
            return Ok(());
        }
        if self.next_beat <= now.clock {
            self.keep_lock(Batch::default(), now)?;
        }
        if wait.is_zero() {
            // What was published before this call has arrived when the server replies.
            self.read_owner()?;
            return self.drain();
        }
        self.drain()?;
        if !self.served.is_empty() {
            return Ok(());
        }
        let wait = wait.min(self.next_beat.saturating_sub(now.clock));
        if let Some(link) = &self.link {
            let watched = [Watched::new(link), self.wake.watch()];
            let is_ready = wait_for(&watched, wait).map_err(|error| storage(&error))?;
            if is_ready.last() == Some(&true) {
                self.wake.take();
            }
        }
        self.drain()
    }
}

/// Returns whether a failure means that the connection cannot be used any more.
fn is_lost(failure: &Failure) -> bool {
    failure.code() == Some(ErrorCode::RedisUnavailable)
}

impl AgentPort for RedisAgent {
    fn epoch(&self) -> u64 {
        self.lock.epoch
    }

    fn update(&mut self, info: AgentInfo, now: Now) -> Result<(), Failure> {
        let (id, epoch) = (self.info.id.clone(), self.lock.epoch);
        self.info = AgentInfo { id, epoch, state_dir: None, ..info };
        let mut batch = Batch::default();
        self.add_report(&mut batch, RegistryEvent::Update, now);
        let (entry, lock) = (self.entry(), self.lock.clone());
        // A process that has lost its place finds out with its next heartbeat.
        self.with_link(|link, core| {
            let is_kept = lock.refresh(core, entry).run(link)? == Value::Int(1);
            if is_kept { link.call(&batch).map(drop) } else { Ok(()) }
        })
    }

    fn has_place(&self, now: Now) -> bool {
        let lifetime = Duration::from_secs(self.core.seconds(HEARTBEAT_LIFETIME));
        now.clock < self.last_beat.saturating_add(lifetime)
    }

    fn serve(&mut self, now: Now, wait: Duration) -> Result<Option<Served>, Failure> {
        if self.served.is_empty() {
            match self.work(now, wait) {
                // It is made again by a later call; until then, nothing arrives.
                Err(failure) if is_lost(&failure) => {
                    self.reconnect.fail(now);
                }
                worked => worked?,
            }
        }
        Ok(self.served.pop_front())
    }

    fn answer(&mut self, ticket: Ticket, response: Response, _: Now) -> Result<(), Failure> {
        let Some(sender) = self.tickets.remove(&ticket.number) else { return Ok(()) };
        let (_, text) = encode_response(&response)?;
        let channel = self.core.keys.response(&self.info.id, &response.req_id);
        let message = match sender.connection.as_str() {
            "" => text.into_bytes(),
            connection => routing::mark(connection, None, &text),
        };
        let mut batch = Batch::default();
        batch.add_ignored(cmd("PUBLISH").arg(channel).arg(message));
        self.with_link(|link, _| link.send(&batch))
    }

    fn owner(&mut self, ticket: &Ticket, _: Now) -> Result<Option<Owner>, Failure> {
        let seen = self.read_owner()?;
        let sender = self.tickets.get(&ticket.number);
        let connection = sender.map(|sender| sender.connection.as_str()).unwrap_or_default();
        let request = sender.and_then(|sender| Request::decode(&sender.message).ok());
        let caller = request.as_ref().map(|request| &request.caller);
        // An owner that names no connection is known by its name.
        let is_other = !seen.connection.is_empty() && seen.connection != connection;
        Ok(seen.owner.filter(|owner| !(is_other && caller == Some(&owner.caller))))
    }

    fn leave(mut self: Box<Self>, now: Now) -> Result<(), Failure> {
        let mut batch = Batch::default();
        self.add_report(&mut batch, RegistryEvent::Leave, now);
        let entry = self.core.keys.entry(&self.info.id);
        self.end(batch, Some(entry))
    }
}

impl RedisAgent {
    /// Ends the agent, and sends the commands of a batch. A second call does nothing.
    fn end(&mut self, mut batch: Batch, entry: Option<String>) -> Result<(), Failure> {
        if self.shared.has_ended.swap(true, Ordering::SeqCst) {
            return Ok(());
        }
        let [owner, session, takeover, wait, _] = self.core.keys.ownership(&self.info.id);
        let others = [owner, session, takeover, wait].into_iter().chain(entry);
        let notice = serde_json::json!({ "end": { "epoch": self.lock.epoch } }).to_string();
        batch.add_ignored(cmd("PUBLISH").arg(self.core.keys.tail(&self.info.id)).arg(notice));
        let lock = self.lock.clone();
        self.with_link(|link, core| {
            lock.release(core, link, others)?;
            link.call(&batch).map(drop)
        })
    }
}

impl Drop for RedisAgent {
    fn drop(&mut self) {
        // Without a connection, the entry and the lock expire.
        let _ = self.end(Batch::default(), None);
    }
}
