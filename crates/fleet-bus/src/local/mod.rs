//! The fleet of one user on one machine: files, locks and sockets, and no server.
//!
//! An agent has the folder `fleet/<fleet id>/<project>/<agent>` in the runtime folder of the user, with the mode 0700:
//!
//! | file | content |
//! |---|---|
//! | `lock` | locked for the life of the agent |
//! | `agent.json` | its registry entry |
//! | `sock` | its socket, with the mode 0600 |
//! | `ended.json` | when a reader noticed that the process was gone without having left |
//! | `key` | 64 random digits, with the mode 0600: a client that cannot read them calls `status` and `tail` only |
//!
//! Its frames and the numbers that never decrease are in its state folder, [`AgentInfo::state_dir`].

mod agent;
mod client;
mod connection;
mod end_record;
mod frame_waiter;
mod peers;
mod segments;
mod tail_reader;
mod tail_writer;
mod wire;

use std::path::{Path, PathBuf};

use minds_fleet_protocol::{
    AgentId, AgentInfo, AgentState, BootstrapLifetime, Caller, ErrorCode, Failure, Now, Presence,
};
use minds_fs::{Kind, Root, peer_user, session_folder};
use minds_process::SystemError;
use minds_vfs::{MountId, WorkspacePath};

use crate::state_record::{path, storage};
use crate::{Announced, BootstrapToken, Bus, ClientPort, Follower, Listed, Start};
use client::LocalClient;
use connection::Connection;
use tail_reader::TailReader;

/// The names in the runtime folder of an agent.
const LOCK: &str = "lock";
const ENTRY: &str = "agent.json";
const SOCKET: &str = "sock";
const KEY: &str = "key";

/// The folder of all fleets in the runtime folder of the user.
const FLEETS: &str = "fleet";
/// The size above which a segment of the tail is closed, 8 MiB.
const SEGMENT_BYTES: u64 = 8 << 20;
/// The most bytes of a registry entry and of a key.
const MAX_ENTRY_BYTES: u64 = 1 << 20;
/// The most folders of a fleet that are listed.
const MAX_AGENTS: usize = 100_000;

/// A fleet on this machine. Agents of one fleet id and one user see each other.
#[derive(Clone, Debug)]
pub struct LocalBus {
    runtime: PathBuf,
    fleet: String,
    segment_bytes: u64,
}

impl LocalBus {
    /// Uses a fleet in the runtime folder of this user: `$XDG_RUNTIME_DIR/minds`, or `run` in the data folder of the program.
    ///
    /// # Errors
    ///
    /// Returns `args.invalid` if `fleet` is not 1 to 64 characters of `A-Za-z0-9_-`, and `config.invalid` if the environment
    /// names no folder.
    pub fn new(fleet: &str) -> Result<Self, Failure> {
        let folder =
            session_folder().map_err(|error| Failure::new(ErrorCode::ConfigInvalid, error.to_string()))?;
        Self::at(folder, fleet)
    }

    /// Uses a fleet in another runtime folder, which only this user can access. It is created when an agent starts.
    ///
    /// # Errors
    ///
    /// Returns `args.invalid` if `fleet` is not 1 to 64 characters of `A-Za-z0-9_-`.
    pub fn at(runtime: PathBuf, fleet: &str) -> Result<Self, Failure> {
        let is_name = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
        if !(1..=64).contains(&fleet.len()) || !fleet.bytes().all(is_name) {
            let message = "invalid fleet id: expected 1 to 64 characters of `A-Za-z0-9_-`";
            return Err(Failure::new(ErrorCode::ArgsInvalid, message));
        }
        Ok(Self { runtime, fleet: fleet.to_owned(), segment_bytes: SEGMENT_BYTES })
    }

    /// Closes segments of tails at another size than 8 MiB, in bytes.
    #[must_use]
    pub fn with_segment_bytes(self, segment_bytes: u64) -> Self {
        Self { segment_bytes, ..self }
    }

    /// Returns the runtime folder of an agent, for its log and for temporary files of its tools.
    pub fn agent_folder(&self, agent: &AgentId) -> PathBuf {
        self.folder().join(agent.project()).join(agent.name())
    }

    fn folder(&self) -> PathBuf {
        self.runtime.join(FLEETS).join(&self.fleet)
    }
}

impl Bus for LocalBus {
    fn kind(&self) -> &'static str {
        "local"
    }

    fn announce(&self, info: AgentInfo, _: Now) -> Result<Announced, Failure> {
        let invalid = |error: SystemError| Failure::new(ErrorCode::ConfigInvalid, error.to_string());
        Root::open_own(&self.runtime, MountId::WORKSPACE).map_err(invalid)?;
        agent::announce(&self.agent_folder(&info.id), info, self.segment_bytes)
    }

    fn list(&self, now: Now) -> Result<Vec<Listed>, Failure> {
        let fleet = match open(&self.folder()) {
            Ok(fleet) => fleet,
            Err(SystemError::NotFound { .. }) => return Ok(Vec::new()),
            Err(error) => return Err(storage(&error)),
        };
        let mut listed = Vec::new();
        for project in folders(&fleet, &WorkspacePath::root())? {
            for agent in folders(&fleet, &project)? {
                let id = AgentId::parse(agent.as_str());
                listed.extend(id.ok().and_then(|id| self.find_at(&id, now)));
            }
        }
        listed.sort_by(|one, other| one.info.id.cmp(&other.info.id));
        Ok(listed)
    }

    fn connect(&self, agent: &AgentId, caller: &Caller, _: Now) -> Result<Box<dyn ClientPort>, Failure> {
        let folder = open(&self.agent_folder(agent)).map_err(|_| not_found(agent))?;
        let socket = folder.connect(SOCKET).map_err(|error| match error.kind() {
            std::io::ErrorKind::WouldBlock => {
                Failure::new(ErrorCode::Busy, format!("`{agent}` has too many clients"))
            }
            _ => not_found(agent),
        })?;
        // The key is only passed to a process of this user.
        let user = peer_user(&socket).map_err(|error| storage(&error))?;
        if user != minds_fs::Caller::current().user {
            return Err(not_found(agent));
        }
        let key = folder.no_follow().read(&path(KEY)?, MAX_ENTRY_BYTES).ok();
        let key = key.and_then(|file| String::from_utf8(file.bytes).ok());
        Ok(Box::new(LocalClient::new(agent.clone(), caller.clone(), Connection::new(socket), key)))
    }

    fn follow(&self, agent: &AgentId, start: Start) -> Result<Box<dyn Follower>, Failure> {
        let listed = self.find(agent).ok_or_else(|| not_found(agent))?;
        let state = listed.info.state_dir.ok_or_else(|| not_found(agent))?;
        let folder = open(Path::new(&state)).map_err(|error| storage(&error))?;
        Ok(Box::new(TailReader::new(folder, self.agent_folder(agent), start)?))
    }

    fn issue(&self, _: &AgentId, _: BootstrapLifetime, _: Now) -> Result<Option<BootstrapToken>, Failure> {
        Ok(None)
    }

    fn revoke(&self, _: &AgentId, _: Now) -> Result<Option<usize>, Failure> {
        Ok(None)
    }

    fn redeem(&self, _: &AgentId, _: &BootstrapToken, _: Now) -> Result<(), Failure> {
        Ok(())
    }
}

impl LocalBus {
    /// Returns an agent with a readable entry. One that was killed is disconnected for some time and forgotten then.
    fn find_at(&self, agent: &AgentId, now: Now) -> Option<Listed> {
        let mut listed = self.find(agent)?;
        if listed.presence == Presence::Disconnected
            && let Ok(folder) = open(&self.agent_folder(agent))
        {
            listed.presence = end_record::note(&folder, listed.info.epoch, now.time);
        }
        Some(listed)
    }

    /// Returns an agent with a readable entry.
    fn find(&self, agent: &AgentId) -> Option<Listed> {
        let folder = open(&self.agent_folder(agent)).ok()?;
        let file = folder.no_follow().read(&path(ENTRY).ok()?, MAX_ENTRY_BYTES).ok()?;
        let info: AgentInfo = serde_json::from_slice(&file.bytes).ok()?;
        let presence = match folder.is_process_locked(LOCK).ok()? {
            true => Presence::Alive,
            false if info.state == AgentState::Shutdown => Presence::Left,
            false => Presence::Disconnected,
        };
        (info.id == *agent).then_some(Listed { info, presence })
    }
}

fn open(folder: &Path) -> Result<Root, SystemError> {
    Root::open(folder, MountId::WORKSPACE)
}

/// Returns the directories in a directory.
fn folders(root: &Root, path: &WorkspacePath) -> Result<Vec<WorkspacePath>, Failure> {
    let listing = root.no_follow().list(path, MAX_AGENTS).map_err(|error| storage(&error))?;
    let entries = listing.entries.into_iter().filter(|entry| entry.kind == Kind::Directory);
    Ok(entries.map(|entry| entry.real).collect())
}

fn not_found(agent: &AgentId) -> Failure {
    Failure::new(ErrorCode::AgentNotFound, format!("the agent `{agent}` does not run"))
}
