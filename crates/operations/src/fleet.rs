//! The layers of a fleet, and its agents after merging them.

use std::path::{Path, PathBuf};

use minds_diagnostics::{Severity, find_nearest};
use minds_fs::{Root, ancestors_with, directory_name, home_directory, real_directory};
use minds_process::{SystemError, current_directory};
use minds_vfs::{Location, MountId, Scope, Snapshot, SnapshotEntry, WorkspacePath};
use minds_workspace::FleetAgentView;

use crate::trust::find_untrusted_layer;
use crate::{OperationError, locate};

/// The agents of a fleet after merging all layers.
#[derive(Clone, Debug)]
pub struct FleetOutcome {
    /// The selected agents, sorted by name.
    pub agents: Vec<FleetAgentView>,
    /// The number of errors in the files. If there are any, agents may be incomplete.
    pub errors: usize,
}

/// Returns the effective agents of the workspace at or above `base`, or of `base` itself if there is none, or
/// only the one named `agent`.
///
/// # Errors
///
/// Fails if `base` does not exist, a layer cannot be opened, or there is no such agent.
pub fn show_fleet(base: &Path, agent: Option<&str>) -> Result<FleetOutcome, OperationError> {
    let stack = Stack::open(base)?;
    let parsed = minds_workspace::show_fleet(&stack.snapshot, &stack.project);
    let found = parsed.problems.into_sorted();
    let errors = found.iter().filter(|found| found.severity == Severity::Error).count();
    let mut agents = parsed.value;
    if let Some(name) = agent {
        let names: Vec<String> = agents.iter().map(|agent| agent.name.clone()).collect();
        agents.retain(|agent| agent.name == name);
        if agents.is_empty() {
            return Err(unknown_agent(name, names.iter().map(String::as_str)));
        }
    }
    Ok(FleetOutcome { agents, errors })
}

pub(crate) fn unknown_agent<'n>(name: &str, names: impl Iterator<Item = &'n str>) -> OperationError {
    let near = find_nearest(name, names, 3).into_iter().map(str::to_owned).collect();
    OperationError::UnknownFleetAgent { name: name.chars().take(80).collect(), near }
}

/// The open layers of a fleet, and their contents.
#[derive(Debug)]
pub(crate) struct Stack {
    /// The directories with their mounts.
    pub(crate) roots: Vec<(MountId, Root)>,
    /// The paths of the directories.
    pub(crate) paths: Vec<(MountId, PathBuf)>,
    /// The files of all layers.
    pub(crate) snapshot: Snapshot,
    /// The default name of the project: the name of the directory.
    pub(crate) project: String,
}

impl Stack {
    /// Opens the layers of the workspace at or above `base`, or of `base` itself if there is none.
    pub(crate) fn open(base: &Path) -> Result<Self, OperationError> {
        let located = locate(base, &[])?;
        let directory = match located.directory {
            Some(directory) => directory,
            None => locate::directory(&current_directory()?, base)?,
        };
        let project = directory_name(&directory)?.unwrap_or_else(|| "project".to_owned());
        let mut snapshot = Snapshot::new();
        let workspace = Root::open(&directory, MountId::WORKSPACE)?;
        snapshot.absorb(&workspace.snapshot(&minds_fleet::scope(&MountId::WORKSPACE)));
        let mut roots = vec![(MountId::WORKSPACE, workspace)];
        let mut paths = vec![(MountId::WORKSPACE, real_directory(&directory)?)];
        for (mount, path, root) in open_outer_layers(&directory, &mut snapshot)? {
            roots.push((mount.clone(), root));
            paths.push((mount, path));
        }
        let mut stack = Self { roots, paths, snapshot, project };
        stack.add_referenced();
        Ok(stack)
    }

    /// Reads prompt files that agents refer to outside their own directories.
    fn add_referenced(&mut self) {
        let named = minds_workspace::named_scope(&self.snapshot);
        for (_, root) in &self.roots {
            self.snapshot.absorb(&root.snapshot(&named));
        }
    }
}

/// Adds the outer layers to the snapshot of a workspace, if it is a layer itself.
pub(crate) fn add_layers(
    directory: &Path,
    root: &Root,
    snapshot: &mut Snapshot,
) -> Result<(), OperationError> {
    if !minds_fleet::layers(snapshot).contains(&MountId::WORKSPACE) {
        return Ok(());
    }
    let outer = open_outer_layers(directory, snapshot)?;
    let named: Scope = minds_workspace::named_scope(snapshot);
    for root in outer.iter().map(|(_, _, root)| root).chain([root]) {
        snapshot.absorb(&root.snapshot(&named));
    }
    Ok(())
}

/// Adds the files that an unsaved document refers to.
pub(crate) fn add_referenced(directory: &Path, snapshot: &mut Snapshot) -> Result<(), OperationError> {
    let named = minds_workspace::named_scope(snapshot);
    snapshot.absorb(&Root::open(directory, MountId::WORKSPACE)?.snapshot(&named));
    Ok(())
}

/// Opens the layers above a directory and the user's layer, and adds their files to a snapshot.
fn open_outer_layers(
    directory: &Path,
    snapshot: &mut Snapshot,
) -> Result<Vec<(MountId, PathBuf, Root)>, OperationError> {
    let home = home_directory();
    let mut roots = Vec::new();
    let mut open = |mount: MountId, path: &Path| {
        let folder =
            WorkspacePath::parse(minds_fleet::FOLDER).map(|folder| Location::new(mount.clone(), folder));
        if let (Some(found), Ok(folder)) = (find_untrusted_layer(path)?, &folder) {
            snapshot.insert(folder.clone(), SnapshotEntry::Untrusted { reason: found.reason });
            return Ok(());
        }
        match (Root::open(path, mount.clone()), folder) {
            (Ok(root), _) => {
                snapshot.absorb(&root.snapshot(&minds_fleet::scope(&mount)));
                roots.push((mount, path.to_owned(), root));
            }
            // The layer exists but cannot be read.
            (Err(error), Ok(folder)) => {
                snapshot.insert(folder, SnapshotEntry::Unreadable { reason: reason(&error) });
            }
            (Err(_), Err(_)) => {}
        }
        Ok::<(), OperationError>(())
    };
    let ancestors = ancestors_with(directory, minds_fleet::FOLDER)?;
    let is_home = |path: &Path| home.as_deref() == Some(path);
    for ancestor in ancestors.iter().filter(|ancestor| ancestor.steps > 0 && !is_home(&ancestor.path)) {
        open(minds_fleet::ancestor(ancestor.steps), &ancestor.path)?;
    }
    let is_workspace = ancestors.iter().any(|ancestor| ancestor.steps == 0 && is_home(&ancestor.path));
    if let Some(home) = home.as_deref().filter(|_| !is_workspace)
        && ancestors_with(home, minds_fleet::FOLDER)?.iter().any(|found| found.steps == 0)
    {
        open(minds_fleet::home(), home)?;
    }
    Ok(roots)
}

fn reason(error: &SystemError) -> String {
    match error {
        SystemError::NotFound { .. } => "it was removed".to_owned(),
        _ => "its directory cannot be opened".to_owned(),
    }
}
