//! What is asked about repositories of this machine.

use std::path::Path;

use super::error::{GitError, GitErrorKind};
use super::object_id::ObjectId;
use super::program::{Git, LOCAL_TIME, answer};

impl Git {
    /// Returns the id of all that a commit of a bare repository at an absolute path holds: it is the same wherever the same
    /// files are.
    ///
    /// # Errors
    ///
    /// Fails if there is no such commit.
    pub fn tree_id(&self, repository: &Path, commit: &ObjectId) -> Result<ObjectId, GitError> {
        let mut command = self.command_in(repository, None);
        command.args(["rev-parse", "--verify", "--end-of-options", &format!("{commit}^{{tree}}")]);
        let answer = answer(command, &[], 1 << 12, LOCAL_TIME)?;
        let text = String::from_utf8_lossy(&answer);
        ObjectId::parse(text.trim()).map_err(|_| GitError::new(GitErrorKind::Unexpected))
    }

    /// Returns the commit on which a folder of the user's stands; none if it is not the top of a working tree, has no commit
    /// yet, or belongs to somebody else. Nothing that the repository's own configuration names is run.
    pub fn head(&self, folder: &Path) -> Option<ObjectId> {
        if !folder.is_absolute() || !folder.join(".git").exists() {
            return None;
        }
        let mut command = self.command(None);
        command.args(["-c", "safe.bareRepository=explicit", "rev-parse", "--verify", "--quiet"]);
        command.args(["--end-of-options", "HEAD^{commit}"]).current_dir(folder);
        let answer = answer(command, &[], 1 << 12, LOCAL_TIME).ok()?;
        ObjectId::parse(String::from_utf8_lossy(&answer).trim()).ok()
    }
}
