//! The layers of a fleet, and its agents after they are put together.

use std::path::Path;

use minds_diagnostics::{Severity, find_nearest};
use minds_document::{Scope, Snapshot, SnapshotEntry};
use minds_paths::{Location, MountId, WorkspacePath};
use minds_system::{Root, SystemError, ancestors_with, current_directory, directory_name, home_directory};
use minds_workspace::FleetAgentView;

use crate::trust::distrusted_layer;
use crate::{OperationError, locate};

/// The agents of a fleet after all layers are put together.
#[derive(Clone, Debug)]
pub struct FleetOutcome {
    /// The agents that were asked for, by name.
    pub agents: Vec<FleetAgentView>,
    /// How many errors there are in the files: with any, something may be missing from the agents.
    pub errors: usize,
}

/// Returns the agents that count in the workspace at or above `base`, or in `base` itself if there is none, or the one with
/// the name `agent`.
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

/// The open layers of a fleet, and what they hold.
#[derive(Debug)]
pub(crate) struct Stack {
    /// The directories, each with the mount that it is.
    pub(crate) roots: Vec<(MountId, Root)>,
    /// What was read of them.
    pub(crate) snapshot: Snapshot,
    /// The name of the project if no layer says so: that of the directory.
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
        roots.extend(outer(&directory, &mut snapshot)?);
        let mut stack = Self { roots, snapshot, project };
        stack.add_named();
        Ok(stack)
    }

    /// Reads the prompt files that agents name and that are not beside them.
    fn add_named(&mut self) {
        let named = minds_workspace::named_scope(&self.snapshot);
        for (_, root) in &self.roots {
            self.snapshot.absorb(&root.snapshot(&named));
        }
    }
}

/// Adds the outer layers to what was read of a workspace, if it is a layer itself.
pub(crate) fn add_layers(
    directory: &Path,
    root: &Root,
    snapshot: &mut Snapshot,
) -> Result<(), OperationError> {
    if !minds_fleet::layers(snapshot).contains(&MountId::WORKSPACE) {
        return Ok(());
    }
    let outer = outer(directory, snapshot)?;
    let named: Scope = minds_workspace::named_scope(snapshot);
    for root in outer.iter().map(|(_, root)| root).chain([root]) {
        snapshot.absorb(&root.snapshot(&named));
    }
    Ok(())
}

/// Adds the files that a text names which took the place of one that was read.
pub(crate) fn add_named(directory: &Path, snapshot: &mut Snapshot) -> Result<(), OperationError> {
    let named = minds_workspace::named_scope(snapshot);
    snapshot.absorb(&Root::open(directory, MountId::WORKSPACE)?.snapshot(&named));
    Ok(())
}

/// Opens the layers above a directory and that of the user, and adds what they hold to a snapshot.
fn outer(directory: &Path, snapshot: &mut Snapshot) -> Result<Vec<(MountId, Root)>, OperationError> {
    let home = home_directory();
    let mut roots = Vec::new();
    let mut open = |mount: MountId, path: &Path| {
        let folder =
            WorkspacePath::parse(minds_fleet::FOLDER).map(|folder| Location::new(mount.clone(), folder));
        if let (Some(found), Ok(folder)) = (distrusted_layer(path)?, &folder) {
            snapshot.insert(folder.clone(), SnapshotEntry::Untrusted { reason: found.reason });
            return Ok(());
        }
        match (Root::open(path, mount.clone()), folder) {
            (Ok(root), _) => {
                snapshot.absorb(&root.snapshot(&minds_fleet::scope(&mount)));
                roots.push((mount, root));
            }
            // That it is there is known, what it says is not.
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
        SystemError::NotFound { .. } => "it is gone".to_owned(),
        _ => "the directory that holds it cannot be opened".to_owned(),
    }
}
