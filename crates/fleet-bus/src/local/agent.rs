//! The agent's side: its folders, its registry entry and its tail.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use minds_fleet_protocol::methods::Owner;
use minds_fleet_protocol::{AgentId, AgentInfo, AgentState, ErrorCode, Event, Failure, Now, Response};
use minds_fs::{ProcessLock, Root};
use minds_vfs::MountId;

use super::peers::Peers;
use super::tail_writer::TailWriter;
use super::{ENTRY, KEY, LOCK, SOCKET};
use crate::serve_waker::{self, ServeWaker};
use crate::state_folder::StateFolder;
use crate::state_record::{StateRecord, replace, storage};
use crate::tokens::random;
use crate::{AgentPort, Announced, BootstrapToken, Publisher, Served, Ticket};

/// The folders of a running agent, which it has locked.
#[derive(Debug)]
struct Folders {
    runtime: Root,
    state: StateFolder,
    _lock: ProcessLock,
}

/// Starts an agent with a runtime folder.
pub(super) fn announce(
    runtime: &Path,
    mut info: AgentInfo,
    segment_bytes: u64,
) -> Result<Announced, Failure> {
    let state = info.state_dir.as_deref().map(Path::new);
    let state =
        state.ok_or_else(|| invalid("an agent of the local bus needs `state_dir`, an absolute path"))?;
    let folders = lock(runtime, state, &info.id)?;
    let mut record = StateRecord::read(&folders.state.root)?;
    record.epoch = record.epoch.saturating_add(1);
    info.epoch = record.epoch;
    record.write(&folders.state.root)?;
    let tail = TailWriter::open(&folders.state.root, record, segment_bytes)?;
    let key = BootstrapToken::new(random()?);
    replace(&folders.runtime, KEY, key.as_str().as_bytes())?;
    let failed = |error: std::io::Error| storage(&error);
    let listener = folders.runtime.listen(SOCKET).map_err(failed)?;
    let (waker, wake) = serve_waker::pair().map_err(failed)?;
    waker.publish(tail.next_offset());
    let peers = Peers::new(info.id.clone(), info.epoch, key.as_str().to_owned(), listener, wake);
    let folders = Arc::new(folders);
    let agent = LocalAgent { folders: Arc::clone(&folders), info, peers };
    agent.write_entry()?;
    let publisher = LocalPublisher { folders, tail, waker };
    Ok(Announced { agent: Box::new(agent), publisher: Box::new(publisher) })
}

/// Opens and locks both folders.
fn lock(runtime: &Path, state: &Path, id: &AgentId) -> Result<Folders, Failure> {
    let runtime = Root::open_own(runtime, MountId::WORKSPACE).map_err(|error| invalid(&error))?;
    let running = || Failure::new(ErrorCode::DuplicateInstance, format!("the agent `{id}` runs already"));
    let lock = runtime.lock_process(LOCK).map_err(|error| storage(&error))?.ok_or_else(running)?;
    Ok(Folders { runtime, state: StateFolder::lock(state, id)?, _lock: lock })
}

fn invalid(error: &(impl std::fmt::Display + ?Sized)) -> Failure {
    Failure::new(ErrorCode::ConfigInvalid, error.to_string())
}

#[derive(Debug)]
struct LocalAgent {
    folders: Arc<Folders>,
    info: AgentInfo,
    peers: Peers,
}

impl LocalAgent {
    fn write_entry(&self) -> Result<(), Failure> {
        let mut text = serde_json::to_vec(&self.info).map_err(|error| storage(&error))?;
        text.push(b'\n');
        replace(&self.folders.runtime, ENTRY, &text)
    }
}

impl AgentPort for LocalAgent {
    fn epoch(&self) -> u64 {
        self.info.epoch
    }

    fn has_place(&self, _: Now) -> bool {
        // The kernel keeps the lock as long as this process lives.
        true
    }

    fn update(&mut self, info: AgentInfo, _: Now) -> Result<(), Failure> {
        let previous = &self.info;
        let (id, state_dir) = (previous.id.clone(), previous.state_dir.clone());
        self.info = AgentInfo { id, epoch: previous.epoch, state_dir, ..info };
        self.write_entry()
    }

    fn serve(&mut self, now: Now, wait: Duration) -> Result<Option<Served>, Failure> {
        self.peers.serve(now, wait)
    }

    fn answer(&mut self, ticket: Ticket, response: Response, _: Now) -> Result<(), Failure> {
        self.peers.answer(&ticket, &response);
        Ok(())
    }

    fn owner(&mut self, ticket: &Ticket, now: Now) -> Result<Option<Owner>, Failure> {
        Ok(self.peers.owner(ticket, now))
    }

    fn leave(mut self: Box<Self>, _: Now) -> Result<(), Failure> {
        self.info.state = AgentState::Shutdown;
        self.write_entry()
    }
}

#[derive(Debug)]
struct LocalPublisher {
    folders: Arc<Folders>,
    tail: TailWriter,
    waker: ServeWaker,
}

impl Publisher for LocalPublisher {
    fn publish(&mut self, events: Vec<Event>, now: Now) -> Result<u64, Failure> {
        let first = self.tail.append(&self.folders.state.root, events, now)?;
        self.waker.publish(self.tail.next_offset());
        Ok(first)
    }

    fn wake(&self) {
        self.waker.wake();
    }
}
