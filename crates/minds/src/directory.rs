//! Workspaces on disk.

use std::path::Path;

use minds_operations::{CheckOutcome, CheckRequest, OperationError};

use crate::Team;

/// Checks the workspace at or above `directory`, which is relative to the current directory of the process. Nothing is
/// written.
///
/// If there is no workspace, [`CheckOutcome::nothing`] contains the reason.
///
/// # Errors
///
/// Fails if `directory` does not exist, or the workspace cannot be opened.
pub fn check_directory(directory: &Path) -> Result<CheckOutcome, OperationError> {
    minds_operations::check(&CheckRequest::new(directory))
}

impl Team {
    /// Reads the team of the workspace at or above `directory`, which is relative to the current directory of the
    /// process.
    ///
    /// # Errors
    ///
    /// Fails if `directory` does not exist, the workspace cannot be opened or is controlled by another user, or it has
    /// no `.minds/team.yaml`.
    pub fn open(directory: &Path) -> Result<Self, OperationError> {
        minds_operations::team_access(directory).map(Self::from)
    }
}
