//! A workspace to call tools in.

pub(crate) mod source;

use std::fs;
use std::path::{Path, PathBuf};

use minds_toolset::{Caller, Clock, ToolContext, Toolbox};
use serde_json::Value;
use tempfile::TempDir;

/// A workspace, and beside it the folder for what is not its own.
pub(crate) struct Place {
    folder: TempDir,
}

impl Place {
    /// Returns a workspace without any file.
    pub(crate) fn empty() -> Self {
        let folder = tempfile::tempdir().expect("a folder can be made");
        fs::create_dir(folder.path().join("workspace")).expect("a folder can be made");
        Self { folder }
    }

    /// Returns a workspace with a `team.yaml`.
    pub(crate) fn with_team(team: &str) -> Self {
        let place = Self::empty();
        place.write(".minds/team.yaml", team);
        place
    }

    /// Returns the directory of the workspace.
    pub(crate) fn root(&self) -> PathBuf {
        self.folder.path().join("workspace")
    }

    /// Returns the folder for what is not the workspace's.
    pub(crate) fn state(&self) -> PathBuf {
        self.folder.path().join("state")
    }

    /// Writes a file of the workspace, and the directories above it.
    pub(crate) fn write(&self, path: &str, text: impl AsRef<[u8]>) {
        let path = self.root().join(path);
        fs::create_dir_all(path.parent().expect("a file has a directory")).expect("a folder can be made");
        fs::write(path, text).expect("a file can be written");
    }

    /// Opens the workspace with a fixed clock.
    pub(crate) fn context(&self, now: u64) -> ToolContext {
        ToolContext::open(&self.root(), &self.state(), Clock::At(now)).expect("the workspace exists")
    }

    /// Calls a tool, and returns the answer as a document.
    pub(crate) fn call(&self, caller: &Caller, tool: &str, args: Value) -> Value {
        Toolbox::new().call(&self.context(0), tool, &args, caller).to_json()
    }

    /// Returns all paths of the workspace, and the contents of the files.
    pub(crate) fn tree(&self) -> Vec<(String, Vec<u8>)> {
        let mut tree = Vec::new();
        walk(&self.root(), "", &mut tree);
        tree
    }
}

fn walk(directory: &Path, prefix: &str, tree: &mut Vec<(String, Vec<u8>)>) {
    let mut entries: Vec<_> = fs::read_dir(directory).expect("a folder can be listed").flatten().collect();
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        let path = format!("{prefix}{}", entry.file_name().to_string_lossy());
        if entry.file_type().expect("it has a type").is_dir() {
            tree.push((format!("{path}/"), Vec::new()));
            walk(&entry.path(), &format!("{path}/"), tree);
        } else {
            tree.push((path, fs::read(entry.path()).unwrap_or_default()));
        }
    }
}
