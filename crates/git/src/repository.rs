//! Queries of local repositories.

use std::path::Path;

use crate::error::{GitError, GitErrorKind};
use crate::object_id::ObjectId;
use crate::program::{Git, LOCAL_TIME, read_output};

impl Git {
    /// Returns the id of the tree of a commit in the bare repository at an absolute path. It depends only on
    /// the files.
    ///
    /// # Errors
    ///
    /// Fails if the commit does not exist.
    pub fn tree_id(&self, repository: &Path, commit: &ObjectId) -> Result<ObjectId, GitError> {
        let mut command = self.command_in(repository, None);
        command.args(["rev-parse", "--verify", "--end-of-options", &format!("{commit}^{{tree}}")]);
        let output = read_output(command, &[], 1 << 12, LOCAL_TIME)?;
        let text = String::from_utf8_lossy(&output);
        ObjectId::parse(text.trim()).map_err(|_| GitError::new(GitErrorKind::Unexpected))
    }

    /// Returns the commit that is checked out in a folder of the user; none if the folder is not the top of a
    /// working tree, has no commits, or belongs to another user. No program configured by the repository is
    /// run.
    pub fn head(&self, folder: &Path) -> Option<ObjectId> {
        if !folder.is_absolute() || !folder.join(".git").exists() {
            return None;
        }
        let mut command = self.command(None);
        command.args(["-c", "safe.bareRepository=explicit", "rev-parse", "--verify", "--quiet"]);
        command.args(["--end-of-options", "HEAD^{commit}"]).current_dir(folder);
        let output = read_output(command, &[], 1 << 12, LOCAL_TIME).ok()?;
        ObjectId::parse(String::from_utf8_lossy(&output).trim()).ok()
    }
}
