//! The accepted policy of an agent, in a file that its sandbox cannot write.

use std::path::{Path, PathBuf};

use minds_fleet_protocol::{AgentId, ErrorCode, Failure};
use minds_fs::{FileErrorKind, Root, real_path, state_folder};
use minds_vfs::{Expected, FileMode, MountId, WorkspacePath};
use serde::{Deserialize, Serialize};

use crate::policy::Policy;

/// The version of the format.
const VERSION: u32 = 1;
/// The maximum size of the file, in bytes.
const MAX_BYTES: u64 = 1 << 20;
/// The folder of these files in the folder for the state of a workspace.
const FOLDER: &str = "fleet";

/// The file with the accepted policy of an agent: `<program folder>/state/<32 hexadecimal digits>/fleet/<project>-<agent>.policy.json`.
///
/// It is in the folder of the program, because a command of the agent can write into the workspace.
#[derive(Clone, Debug)]
pub struct PolicyFile {
    folder: PathBuf,
    name: String,
    agent: AgentId,
}

/// The content of the file.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Accepted {
    version: u32,
    /// Two agents can have one file name: `a-b/c` and `a/b-c`.
    agent: String,
    policy: Policy,
}

impl PolicyFile {
    /// Returns the file of an agent of the workspace at `workspace`.
    ///
    /// # Errors
    ///
    /// Returns `config.invalid` if the workspace does not exist, or the environment names no folder for the program.
    pub fn new(workspace: &Path, agent: &AgentId) -> Result<Self, Failure> {
        let folder = state_folder(workspace).map_err(|error| invalid(error.to_string()))?.join(FOLDER);
        let folder = real_path(&folder).map_err(|reason| {
            invalid(format!("the folder `{}` cannot be used: {reason}", folder.display()))
        })?;
        Ok(Self::at(folder, agent))
    }

    /// Returns the file of an agent in a folder, which need not exist; an absolute path without symbolic links.
    pub fn at(folder: PathBuf, agent: &AgentId) -> Self {
        let name = format!("{}-{}.policy.json", agent.project(), agent.name());
        Self { folder, name, agent: agent.clone() }
    }

    /// Returns the folder of the file, without symbolic links.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Returns the accepted policy; none if nothing was accepted yet.
    ///
    /// # Errors
    ///
    /// Returns `config.invalid` if the file cannot be read, or is that of another agent.
    pub fn read(&self) -> Result<Option<Policy>, Failure> {
        // The folder need not exist before something is accepted.
        if minds_fs::may_be_directory(&self.folder).is_none() {
            return Ok(None);
        }
        let root = Root::open(&self.folder, MountId::WORKSPACE).map_err(|error| self.failure(&error))?;
        let read = match root.no_follow().read(&self.path()?, MAX_BYTES) {
            Ok(read) => read,
            Err(error) if error.kind() == FileErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(self.failure(&error)),
        };
        let accepted: Accepted = serde_json::from_slice(&read.bytes).map_err(|error| self.failure(&error))?;
        if accepted.version != VERSION {
            return Err(self.failure(&"it has another version"));
        }
        if accepted.agent != self.agent.as_str() {
            return Err(self.failure(&format!("it is that of `{}`", accepted.agent.escape_debug())));
        }
        Ok(Some(accepted.policy))
    }

    /// Makes a policy the accepted one. The file is old or new, never half-written.
    ///
    /// # Errors
    ///
    /// Returns `config.invalid` if the file cannot be written.
    pub fn accept(&self, policy: &Policy) -> Result<(), Failure> {
        let accepted = Accepted { version: VERSION, agent: self.agent.to_string(), policy: policy.clone() };
        let bytes = serde_json::to_vec(&accepted).map_err(|error| self.failure(&error))?;
        let root =
            Root::open_private(&self.folder, MountId::WORKSPACE).map_err(|error| self.failure(&error))?;
        let replaced = root.no_follow().replace(&self.path()?, &bytes, FileMode::Private, Expected::Any);
        replaced.map_err(|error| self.failure(&error))
    }

    /// Removes the file, if it exists.
    ///
    /// # Errors
    ///
    /// Returns `config.invalid` if it cannot be removed.
    pub fn remove(&self) -> Result<(), Failure> {
        if minds_fs::may_be_directory(&self.folder).is_none() {
            return Ok(());
        }
        let root = Root::open(&self.folder, MountId::WORKSPACE).map_err(|error| self.failure(&error))?;
        match root.no_follow().remove_file(&self.path()?, Expected::Any) {
            Err(error) if error.kind() != FileErrorKind::NotFound => Err(self.failure(&error)),
            _ => Ok(()),
        }
    }

    fn path(&self) -> Result<WorkspacePath, Failure> {
        WorkspacePath::parse(&self.name).map_err(|error| self.failure(&error))
    }

    fn failure(&self, error: &dyn std::fmt::Display) -> Failure {
        let path = self.folder.join(&self.name);
        invalid(format!("the accepted policy `{}` cannot be used: {error}", path.display()))
    }
}

pub(crate) fn invalid(message: String) -> Failure {
    Failure::new(ErrorCode::ConfigInvalid, message)
}
