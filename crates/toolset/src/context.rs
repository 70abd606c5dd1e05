//! Where tools work.

use std::path::{Path, PathBuf};

use minds_operations::{OperationError, locate};
use minds_paths::MountId;
use minds_system::{Root, SystemError};

/// What tells the time, in milliseconds since 1970 in UTC.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Clock {
    /// That of the machine.
    System,
    /// One that stands still, for tests and for repeating what happened.
    At(u64),
}

impl Clock {
    /// Returns the time.
    pub fn now(self) -> u64 {
        match self {
            Self::System => minds_system::now(),
            Self::At(time) => time,
        }
    }
}

/// Where tools work: an open workspace, and the folder in which is remembered what is not the workspace's.
#[derive(Debug)]
pub struct ToolContext {
    root: Root,
    state: PathBuf,
    clock: Clock,
    task: Option<String>,
    injects_task: bool,
}

impl ToolContext {
    /// Opens the workspace at `directory`. What is remembered goes to `state`, which is made when it is first needed; see
    /// [`minds_system::state_folder`].
    ///
    /// # Errors
    ///
    /// Fails if there is no such directory, or it may not be opened.
    pub fn open(directory: &Path, state: &Path, clock: Clock) -> Result<Self, SystemError> {
        let root = Root::open(directory, MountId::WORKSPACE)?;
        Ok(Self { root, state: state.to_owned(), clock, task: None, injects_task: false })
    }

    /// Opens the workspace at or above `base`; where there is none, `base` is about to become one.
    ///
    /// # Errors
    ///
    /// Fails if `base` is no directory, or may not be opened.
    pub fn find(base: &Path) -> Result<Self, OperationError> {
        let directory = locate(base, &[])?.directory.unwrap_or_else(|| base.to_owned());
        let state = minds_system::state_folder(&directory)?;
        Ok(Self::open(&directory, &state, Clock::System)?)
    }

    /// Fixes the task package that tools are about where a call names none.
    #[must_use]
    pub fn for_task(mut self, task: Option<String>) -> Self {
        self.task = task;
        self
    }

    /// Declares that the program which calls the tools puts the effective text of the task into the context of the model
    /// before each message, whole. Clients of a server may cut what they are given, so no server can declare this.
    #[must_use]
    pub fn injecting_task(mut self) -> Self {
        self.injects_task = true;
        self
    }

    /// Returns whether that was declared.
    pub fn injects_task(&self) -> bool {
        self.injects_task
    }

    /// Returns the name of the task package that was fixed.
    pub fn task(&self) -> Option<&str> {
        self.task.as_deref()
    }

    /// Returns the workspace.
    pub fn root(&self) -> &Root {
        &self.root
    }

    /// Returns the time.
    pub fn now(&self) -> u64 {
        self.clock.now()
    }

    /// Opens the folder in which is remembered what is not the workspace's; nobody but the user can read it. None if it is
    /// not there.
    ///
    /// # Errors
    ///
    /// Fails if it may not be opened.
    pub fn state(&self) -> Result<Option<Root>, SystemError> {
        match Root::open(&self.state, MountId::WORKSPACE) {
            Ok(root) => Ok(Some(root)),
            Err(SystemError::NotFound { .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Does the same, and makes it if it is not there.
    ///
    /// # Errors
    ///
    /// Fails if it may not be made.
    pub fn ensure_state(&self) -> Result<Root, SystemError> {
        Root::open_private(&self.state, MountId::WORKSPACE)
    }
}
