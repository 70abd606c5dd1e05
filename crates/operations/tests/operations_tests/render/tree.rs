//! Compose roots in folders of their own.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use minds_operations::{OperationError, RenderOutcome, RenderRequest, render};
use minds_render::State;
use tempfile::TempDir;

pub(crate) const COMPOSE: &str = "version: 2\nprojects:\n  - file: projects/shop.yaml\n";
pub(crate) const PROJECT: &str = "\
version: 2
project: {id: shop, name: Shop, cwd: ..}
managers:
  lead: {model: fast, role_prompt: [roles/guide.md, roles/lead.md]}
workers:
  coder: {runtime: codex, role_prompt: roles/guide.md}
";

/// Servers of the team around a compose root.
pub(crate) const MCP: &str = "\
version: 1
servers:
  notes:
    transport: stdio
    command: notes-mcp
    env: {NOTES_TOKEN: {env: NOTES_TOKEN}}
";

/// A compose root at `team` in a folder of its own.
pub(crate) struct Tree {
    folder: TempDir,
}

impl Tree {
    pub(crate) fn new() -> Self {
        let tree = Self { folder: tempfile::tempdir().unwrap() };
        tree.write("team-compose.yaml", COMPOSE);
        tree.write("projects/shop.yaml", PROJECT);
        tree.write("roles/guide.md", "Be kind.\n");
        tree.write("roles/lead.md", "You lead.\n");
        tree
    }

    /// Returns one in a workspace whose team has servers of its own.
    pub(crate) fn with_servers() -> Self {
        let tree = Self::new();
        fs::create_dir(tree.outside().join(".minds")).unwrap();
        fs::write(tree.outside().join(".minds/mcp.yaml"), MCP).unwrap();
        tree
    }

    pub(crate) fn outside(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn root(&self) -> PathBuf {
        self.folder.path().join("team")
    }

    pub(crate) fn path(&self, path: &str) -> PathBuf {
        self.root().join(path)
    }

    pub(crate) fn write(&self, path: &str, text: &str) {
        let path = self.path(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    pub(crate) fn read(&self, path: &str) -> String {
        fs::read_to_string(self.path(path)).unwrap()
    }

    pub(crate) fn exists(&self, path: &str) -> bool {
        fs::symlink_metadata(self.path(path)).is_ok()
    }

    pub(crate) fn try_render(&self, write: bool, force: bool) -> Result<RenderOutcome, OperationError> {
        let root = self.root();
        let request = RenderRequest {
            root: Some(&root),
            mcp_command: Some("/usr/local/bin/team-mcp"),
            write,
            force,
            ..RenderRequest::new(Path::new("."))
        };
        render(&request)
    }

    pub(crate) fn render(&self, write: bool, force: bool) -> RenderOutcome {
        let outcome = self.try_render(write, force).unwrap();
        let found = minds_diagnostics::emit::concise(&outcome.report);
        assert_eq!(outcome.report.summary().errors, 0, "{found}");
        outcome
    }

    /// Returns the states of all files, by path.
    pub(crate) fn states(&self) -> BTreeMap<String, State> {
        self.render(false, false).files.into_iter().map(|file| (file.path, file.state)).collect()
    }

    /// Returns the names of temporary files of an interrupted process.
    #[allow(dead_code, reason = "only processes that die leave any")]
    pub(crate) fn temporaries(&self) -> Vec<String> {
        files(&self.root()).into_keys().filter(|name| is_temporary(name)).collect()
    }

    /// Returns the contents of all files in `state`.
    pub(crate) fn state(&self) -> BTreeMap<String, Vec<u8>> {
        let mut files = files(&self.path("state"));
        files.retain(|name, _| !is_temporary(name));
        files
    }
}

fn is_temporary(name: &str) -> bool {
    minds_fs::is_temporary(name.rsplit('/').next().unwrap_or_default())
}

/// Returns the bytes of all files below a folder, by their paths in it.
pub(crate) fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(next).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let name = path.strip_prefix(folder).unwrap().to_str().unwrap().to_owned();
                found.insert(name, fs::read(&path).unwrap());
            }
        }
    }
    found
}

/// Copies a folder with all that it holds.
pub(crate) fn copy(from: &Path, to: &Path) {
    for (name, bytes) in files(from) {
        let path = to.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }
}
