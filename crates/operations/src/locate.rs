//! Finding the workspace.

use std::path::{Component, Path, PathBuf};

use minds_fs::{Notice, UpwardSearch, find_upwards};
use minds_process::current_directory;
use minds_task_store::package_of;
use minds_workspace::{MARKERS, WEAK_MARKERS};

use crate::{OperationError, client_files, trust};

/// A workspace, and which of its files are selected.
#[derive(Clone, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each says something else about the selection")]
pub struct FileSelection {
    /// The directory of the workspace, relative to the current directory, with `/`. If no workspace was
    /// found, the directory where the search started.
    pub root: String,
    /// The directory as an absolute path; `None` if no workspace was found.
    pub directory: Option<PathBuf>,
    /// The selected files and task packages, relative to the workspace; empty if everything is selected.
    pub only: Vec<String>,
    /// The task packages that are, or contain, the given paths, relative to the workspace.
    pub packages: Vec<String>,
    /// Whether task packages anywhere in the workspace are selected.
    pub everywhere: bool,
    /// The first path relative to the workspace, if it is a directory; empty for the workspace itself.
    pub below: Option<String>,
    /// Whether the directory is a compose root outside of a workspace.
    pub is_compose_root: bool,
    /// Whether the directory is a repository without a configuration, which may have files of clients.
    pub is_of_clients: bool,
    /// Whether the files of a compose root may name files outside the repository.
    pub allows_outside: bool,
}

impl FileSelection {
    /// Returns whether a file is selected: by itself, by its package, or because a selected file is in it.
    pub fn selects(&self, file: &str) -> bool {
        // A finding about an unreadable directory applies to every selected file in it.
        let is_in =
            |inner: &str, outer: &str| inner.strip_prefix(outer).is_some_and(|rest| rest.starts_with('/'));
        let holds = |only: &String| only == file || is_in(only, file) || is_in(file, only);
        self.only.is_empty() || self.only.iter().any(holds)
    }
}

/// A path, and the workspace to which it belongs.
pub(crate) struct LocatedPath {
    /// The path as it was given.
    path: PathBuf,
    /// Where the search began, and what it found.
    pub(crate) found: UpwardSearch,
    pub(crate) kind: WorkspaceKind,
    /// Whether the path was given; otherwise it is the current directory.
    is_named: bool,
}

/// What makes a directory a workspace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WorkspaceKind {
    /// A configuration of a team, a fleet, a compose root or a source; or there is no workspace.
    Configuration,
    /// The directory is a compose root outside of a workspace.
    ComposeRoot,
    /// Nothing but task packages.
    Tasks,
    /// Nothing but files of clients, in a repository.
    Clients,
}

/// Whose files make a directory a workspace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Owner {
    /// The team, its tasks, its fleet, compose roots and sources.
    Team,
    /// Otherwise, clients: then the repository is the workspace.
    TeamOrClients,
}

impl LocatedPath {
    /// Finds the workspace of a path, which is relative to `directory`.
    pub(crate) fn find(
        directory: &Path,
        path: &Path,
        is_named: bool,
        owner: Owner,
    ) -> Result<Self, OperationError> {
        let mut found = find_upwards(directory, path, MARKERS)?;
        let mut kind = WorkspaceKind::Configuration;
        if is_named && is_compose_root(&found)? {
            found.root = Some(found.start.clone());
            kind = WorkspaceKind::ComposeRoot;
        } else if found.root.is_none() {
            found = find_upwards(directory, path, WEAK_MARKERS)?;
            kind = WorkspaceKind::Tasks;
        }
        if owner == Owner::TeamOrClients && found.root.is_none() {
            found = client_files::find_directory(directory, path)?;
            kind = WorkspaceKind::Clients;
        }
        Ok(Self { path: path.to_owned(), found, kind, is_named })
    }

    /// Returns an error if the workspace is not trusted.
    pub(crate) fn ensure_trusted(&self) -> Result<(), OperationError> {
        let Some(root) = &self.found.root else { return Ok(()) };
        match self.kind {
            WorkspaceKind::Configuration => trust::ensure_trusted(root),
            WorkspaceKind::ComposeRoot => trust::ensure_trusted_compose_root(root),
            WorkspaceKind::Tasks => trust::ensure_trusted_tasks(root),
            WorkspaceKind::Clients => trust::ensure_trusted_clients(root),
        }
    }

    /// Returns whether another path selects files of the same workspace.
    pub(crate) fn is_in_workspace_of(&self, other: &Self) -> bool {
        let is_compose_root = |path: &Self| path.kind == WorkspaceKind::ComposeRoot;
        self.found.root == other.found.root && is_compose_root(self) == is_compose_root(other)
    }
}

/// Finds the workspace to which all `paths` belong: the nearest directory at or above each path that contains
/// one of [`MARKERS`], within its repository, or else one of [`WEAK_MARKERS`].
///
/// Paths are relative to `base`, which is relative to the current directory; without paths, `base` itself is
/// used. A path that is a file or a task package, or is in a task package, selects only that. A path that is
/// a compose root outside of a workspace selects only that root.
///
/// # Errors
///
/// Fails if a path does not exist, if the paths belong to different workspaces, or if the workspace is not trusted; see
/// [`ensure_trusted`](crate::ensure_trusted).
pub fn locate(base: &Path, paths: &[PathBuf]) -> Result<FileSelection, OperationError> {
    locate_in(base, paths, Owner::Team)
}

/// Like [`locate`], and if there is no workspace, a repository with files of clients is one.
pub(crate) fn locate_with_clients(base: &Path, paths: &[PathBuf]) -> Result<FileSelection, OperationError> {
    locate_in(base, paths, Owner::TeamOrClients)
}

fn locate_in(base: &Path, paths: &[PathBuf], owner: Owner) -> Result<FileSelection, OperationError> {
    let current = current_directory()?;
    let directory = directory(&current, base)?;
    let mut located: Vec<LocatedPath> = Vec::new();
    for path in locate_paths(&directory, paths, owner) {
        let path = path?;
        match located.first() {
            None => path.ensure_trusted()?,
            Some(first) if first.is_in_workspace_of(&path) => {}
            Some(first) => {
                let [first, second] = [first, &path].map(|one| one.path.display().to_string());
                return Err(OperationError::SeveralWorkspaces { first, second });
            }
        }
        located.push(path);
    }
    let located = select(&current, &located);
    minds_fs::notify(&Notice::Workspace {
        directory: located.directory.as_ref().map(|_| located.root.as_str()),
        start: &relative(&current, &directory),
    });
    Ok(located)
}

/// Finds the workspace of each path; without paths, that of the directory.
pub(crate) fn locate_paths(
    directory: &Path,
    paths: &[PathBuf],
    owner: Owner,
) -> impl Iterator<Item = Result<LocatedPath, OperationError>> {
    let here = paths.is_empty().then(|| LocatedPath::find(directory, Path::new("."), false, owner));
    here.into_iter().chain(paths.iter().map(move |path| LocatedPath::find(directory, path, true, owner)))
}

/// Returns what paths of one workspace select.
pub(crate) fn select(current: &Path, paths: &[LocatedPath]) -> FileSelection {
    let mut located: Option<FileSelection> = None;
    let mut everything = false;
    for LocatedPath { found, kind, is_named, .. } in paths {
        let workspace = located.get_or_insert_with(|| FileSelection {
            root: relative(current, found.root.as_ref().unwrap_or(&found.start)),
            directory: found.root.clone(),
            only: Vec::new(),
            packages: Vec::new(),
            everywhere: false,
            below: found
                .root
                .as_ref()
                .map(|root| relative(root, &found.start))
                .map(|below| if below == "." { String::new() } else { below }),
            is_compose_root: *kind == WorkspaceKind::ComposeRoot,
            is_of_clients: *kind == WorkspaceKind::Clients,
            allows_outside: false,
        });
        let root = found.root.as_ref().unwrap_or(&found.start);
        let named = relative(root, found.file.as_ref().unwrap_or(&found.start));
        let package = package_of(&named).filter(|_| *is_named);
        if found.file.is_some() || package.is_some() {
            workspace.only.push(named);
        } else {
            everything = true;
        }
        workspace.packages.extend(package.map(|package| package.as_str().to_owned()));
    }
    let mut located = located.unwrap_or_else(|| FileSelection {
        root: ".".into(),
        directory: None,
        only: Vec::new(),
        packages: Vec::new(),
        everywhere: false,
        below: None,
        is_compose_root: false,
        is_of_clients: false,
        allows_outside: false,
    });
    if everything {
        located.only.clear();
    }
    located
}

/// Returns whether a path is a compose root outside of a workspace: a directory that contains
/// `team-compose.yaml`, or that file. A directory `.team` belongs to its workspace instead.
fn is_compose_root(found: &UpwardSearch) -> Result<bool, OperationError> {
    let [in_workspace, _] = minds_compose::ROOTS;
    let is_in_workspace = found.start.file_name().is_some_and(|name| name == in_workspace);
    if is_in_workspace || found.root.as_ref() == Some(&found.start) {
        return Ok(false);
    }
    match &found.file {
        Some(file) => Ok(file.file_name().is_some_and(|name| name == minds_compose::COMPOSE_FILE)),
        None => holds_compose_file(&found.start),
    }
}

/// Returns whether a directory contains `team-compose.yaml`.
pub(crate) fn holds_compose_file(directory: &Path) -> Result<bool, OperationError> {
    let found = find_upwards(directory, Path::new("."), &[minds_compose::COMPOSE_FILE])?;
    Ok(found.root.as_ref() == Some(&found.start))
}

/// Returns an error if `base` is not an existing directory. The current directory is not checked.
///
/// # Errors
///
/// Fails if it does not exist or is not a directory.
pub fn expect_directory(base: &Path) -> Result<(), OperationError> {
    if base == Path::new(".") {
        return Ok(());
    }
    directory(&current_directory()?, base).map(drop)
}

/// Returns the directory at `base`, which is relative to `current`.
///
/// # Errors
///
/// Fails if it does not exist; the error contains `base` as given.
pub(crate) fn directory(current: &Path, base: &Path) -> Result<PathBuf, OperationError> {
    if find_upwards(current, base, &[])?.file.is_some() {
        return Err(OperationError::NotADirectory { path: base.display().to_string() });
    }
    Ok(current.join(base))
}

/// Returns the path of `to` relative to `from`, with `/`; both are absolute.
pub(crate) fn relative(from: &Path, to: &Path) -> String {
    let (from, to): (Vec<_>, Vec<_>) = (from.components().collect(), to.components().collect());
    let shared = from.iter().zip(&to).take_while(|(a, b)| a == b).count();
    let up = from.iter().skip(shared).map(|_| "..".to_owned());
    let down = to.iter().skip(shared).filter(|part| !matches!(part, Component::RootDir | Component::CurDir));
    let parts: Vec<String> =
        up.chain(down.map(|part| part.as_os_str().to_string_lossy().into_owned())).collect();
    if parts.is_empty() { ".".to_owned() } else { parts.join("/") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(from: &str, to: &str, expected: &str) {
        assert_eq!(relative(Path::new(from), Path::new(to)), expected, "{from} to {to}");
    }

    #[test]
    fn paths_are_relative_to_the_start_directory() {
        check("/a/b", "/a/b", ".");
        check("/a/b", "/a/b/c/d", "c/d");
        check("/a/b/c", "/a", "../..");
        check("/a/b", "/a/x", "../x");
        check("/", "/a", "a");
    }
}
