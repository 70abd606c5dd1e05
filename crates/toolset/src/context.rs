//! The context in which tools are called.

use std::path::{Path, PathBuf};

use minds_fs::Root;
use minds_operations::{OperationError, locate};
use minds_process::SystemError;
use minds_vfs::MountId;

use crate::permissions::DecodedMember;

/// A source of time, in milliseconds since 1970-01-01 UTC.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Clock {
    /// The clock of the system.
    System,
    /// A fixed time, for tests and replays.
    At(u64),
}

impl Clock {
    /// Returns the time.
    pub fn now(self) -> u64 {
        match self {
            Self::System => minds_process::now(),
            Self::At(time) => time,
        }
    }
}

/// An open workspace with a state folder, which keeps data between calls that does not belong to the workspace.
#[derive(Debug)]
pub struct ToolContext {
    root: Root,
    state: PathBuf,
    clock: Clock,
    task: Option<String>,
    injects_task: bool,
    decoded: DecodedMember,
}

impl ToolContext {
    /// Opens the workspace at `directory`. The state folder `state` is created when it is first needed; see
    /// [`minds_fs::state_folder`].
    ///
    /// # Errors
    ///
    /// Fails if the directory does not exist or cannot be opened.
    pub fn open(directory: &Path, state: &Path, clock: Clock) -> Result<Self, SystemError> {
        let root = Root::open(directory, MountId::WORKSPACE)?;
        let (state, decoded) = (state.to_owned(), DecodedMember::default());
        Ok(Self { root, state, clock, task: None, injects_task: false, decoded })
    }

    /// Opens the workspace at or above `base`, or `base` itself if there is none yet.
    ///
    /// # Errors
    ///
    /// Fails if `base` is not a directory or cannot be opened.
    pub fn find(base: &Path) -> Result<Self, OperationError> {
        let directory = locate(base, &[])?.directory.unwrap_or_else(|| base.to_owned());
        let state = minds_fs::state_folder(&directory)?;
        Ok(Self::open(&directory, &state, Clock::System)?)
    }

    /// Fixes the task package of the session. Calls that name another one are refused.
    #[must_use]
    pub fn for_task(mut self, task: Option<String>) -> Self {
        self.task = task;
        self
    }

    /// Declares that the calling program adds the complete effective text of the task to the context of the model before each
    /// message. A server cannot declare this, because its clients may truncate text.
    #[must_use]
    pub fn injecting_task(mut self) -> Self {
        self.injects_task = true;
        self
    }

    /// Returns whether [`ToolContext::injecting_task`] was called.
    pub fn injects_task(&self) -> bool {
        self.injects_task
    }

    /// Returns the name of the fixed task package.
    pub fn task(&self) -> Option<&str> {
        self.task.as_deref()
    }

    /// Returns the workspace.
    pub fn root(&self) -> &Root {
        &self.root
    }

    /// Returns the member that was decoded last.
    pub(crate) fn last_member(&self) -> &DecodedMember {
        &self.decoded
    }

    /// Returns the time.
    pub fn now(&self) -> u64 {
        self.clock.now()
    }

    /// Opens the state folder, which only the user can read. `None` if it does not exist.
    ///
    /// # Errors
    ///
    /// Fails if it cannot be opened.
    pub fn state(&self) -> Result<Option<Root>, SystemError> {
        match Root::open(&self.state, MountId::WORKSPACE) {
            Ok(root) => Ok(Some(root)),
            Err(SystemError::NotFound { .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Opens the state folder, and creates it if necessary.
    ///
    /// # Errors
    ///
    /// Fails if it cannot be created or opened.
    pub fn ensure_state(&self) -> Result<Root, SystemError> {
        Root::open_private(&self.state, MountId::WORKSPACE)
    }
}
