//! The folder with the files of an agent.

use std::path::Path;

use minds_fleet_protocol::{AgentId, ErrorCode, Failure};
use minds_fs::{ProcessLock, Root};
use minds_vfs::{FileMode, MountId};

use crate::state_record::{path, storage};

/// The name of the lock.
const LOCK: &str = "lock";

/// The folder with the files of an agent, which this process has locked: agents of several buses may have the same files.
#[derive(Debug)]
pub(crate) struct StateFolder {
    pub(crate) root: Root,
    _lock: ProcessLock,
}

impl StateFolder {
    /// Opens and locks the folder, which is created if it does not exist.
    pub(crate) fn lock(folder: &Path, id: &AgentId) -> Result<Self, Failure> {
        let invalid = |error: String| Failure::new(ErrorCode::ConfigInvalid, error);
        if !folder.is_absolute() {
            return Err(invalid(format!("`state_dir` of `{id}` is not an absolute path")));
        }
        let root = Root::open_own(folder, MountId::WORKSPACE).map_err(|error| invalid(error.to_string()))?;
        let running = || Failure::new(ErrorCode::DuplicateInstance, format!("the agent `{id}` runs already"));
        let lock = root.lock_process(LOCK).map_err(|error| storage(&error))?.ok_or_else(running)?;
        // The state of an agent is not a part of the repository that contains it.
        let ignore = path(".gitignore")?;
        if root.no_follow().metadata(&ignore).is_err() {
            root.no_follow().create(&ignore, b"*\n", FileMode::Private).map_err(|error| storage(&error))?;
        }
        Ok(Self { root, _lock: lock })
    }
}
