//! Removing what was rendered.

use std::collections::BTreeSet;
use std::path::Path;

use minds_document::{Change, ChangeSet};
use minds_paths::{MountId, WorkspacePath};
use minds_render::clients::{self, CLIENTS_FILE, Cleaning, ClientRecord};
use minds_render::{KeptFile, MANIFEST_FILE, Plan, Record, cleaning};
use minds_system::Root;

use crate::OperationError;
use crate::render::until_undisturbed;
use crate::rendering_place::RenderingPlace;

/// What was removed, or would be.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CleanOutcome {
    /// The compose root, the `.ateam` directory of a fleet, or the workspace where there is neither, relative to the current
    /// directory.
    pub root: String,
    /// The files that are removed, from the compose root; those of clients from the workspace.
    pub removed: Vec<String>,
    /// The files of clients that stay without our servers.
    pub changed: Vec<ClientServers>,
    /// The files that stay because they were changed since they were rendered.
    pub kept: Vec<String>,
    /// The files that stay because they cannot be looked at or removed: each, and why.
    pub unremovable: Vec<(String, String)>,
    /// The files of clients that stay with servers of ours which were changed since.
    pub kept_servers: Vec<ClientServers>,
    /// The files of clients that cannot be changed and stay with all servers of ours, each with why.
    pub blocked_servers: Vec<(ClientServers, String)>,
}

/// Servers in the file of a client.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClientServers {
    /// The file, from the workspace.
    pub path: String,
    /// The names of the servers.
    pub servers: Vec<String>,
}

/// Removes every file that was rendered in a compose root, or for a fleet where there is none, and is as it was rendered,
/// takes every such server out of the files of clients in the workspace around it, and removes the directories that this
/// empties; with `write`, else it is only said which these are. What the files of the agents say is of no consequence.
/// Everything is removed, or nothing.
///
/// # Errors
///
/// Fails if there is none of them, it is not known what was rendered, or the files cannot be removed.
pub fn clean(base: &Path, root: Option<&Path>, write: bool) -> Result<CleanOutcome, OperationError> {
    until_undisturbed(|| clean_once(base, root, write))
}

fn clean_once(base: &Path, root: Option<&Path>, write: bool) -> Result<CleanOutcome, OperationError> {
    let place = RenderingPlace::to_clean(base, root)?;
    place.settle()?;
    let workspace = place.open()?;
    let mut outcome = CleanOutcome::default();
    outcome.root.clone_from(&place.shown);
    let mut agents = None;
    if let Some((folder, shown)) = &place.folder {
        outcome.root.clone_from(shown);
        let disk = Root::open(folder, MountId::WORKSPACE)?.without_links();
        let plan = outcome.agents(&disk)?;
        agents = Some((plan, disk));
    }
    let plan = outcome.clients(&workspace)?;
    if !write {
        return Ok(outcome);
    }
    // Nothing in these plans has drifted, so nothing is refused.
    let clients = plan.changes(false).unwrap_or_default();
    let artifacts = agents.as_ref().map(|(plan, _)| plan.changes(false).unwrap_or_default());
    let (disk, changes) = match (&agents, artifacts) {
        (Some((_, disk)), Some(artifacts)) if clients.is_empty() => (disk, artifacts),
        (Some(_), Some(artifacts)) if !artifacts.is_empty() => {
            (&workspace, place.together(clients, &artifacts).map_err(OperationError::Refused)?)
        }
        _ => (&workspace, clients),
    };
    disk.apply(&changes)?;
    remove_empty(disk, &changes);
    Ok(outcome)
}

impl CleanOutcome {
    /// Looks at the files for agents.
    fn agents(&mut self, disk: &Root) -> Result<Plan, OperationError> {
        let there = disk.snapshot(&Record::scope());
        let record = Record::of(&there);
        if let Some(reason) = Record::obstacle(&there) {
            return Err(OperationError::UnreadableManifest { file: MANIFEST_FILE, reason });
        }
        if record == Record::Foreign {
            return Err(OperationError::ForeignManifest { file: MANIFEST_FILE });
        }
        let there = disk.snapshot(&Plan::scope(&[], &record));
        let (plan, kept) = cleaning(&record, &there);
        self.removed.extend(removed(&plan));
        for KeptFile { path, obstacle } in kept {
            match obstacle {
                Some(reason) => self.unremovable.push((path.to_string(), reason)),
                None => self.kept.push(path.to_string()),
            }
        }
        Ok(plan)
    }

    /// Looks at the files of clients.
    fn clients(&mut self, workspace: &Root) -> Result<Plan, OperationError> {
        let there = workspace.snapshot(&clients::scope());
        let record = ClientRecord::of(&there);
        if record == ClientRecord::Foreign {
            return Err(OperationError::ForeignManifest { file: CLIENTS_FILE });
        }
        let Cleaning { plan, taken, kept, blocked } = clients::cleaning(&record, &there);
        let gone: Vec<String> = removed(&plan).collect();
        let servers =
            |(path, servers): (WorkspacePath, Vec<String>)| ClientServers { path: path.to_string(), servers };
        let stays = |found: &ClientServers| !gone.contains(&found.path);
        self.changed.extend(taken.into_iter().map(servers).filter(stays));
        self.kept_servers.extend(kept.into_iter().map(servers));
        let blocked =
            blocked.into_iter().map(|(path, blocked)| (servers((path, blocked.servers)), blocked.reason));
        self.blocked_servers.extend(blocked);
        self.removed.extend(gone);
        Ok(plan)
    }
}

fn removed(plan: &Plan) -> impl Iterator<Item = String> {
    plan.items().iter().filter(|item| item.after.is_none()).map(|item| item.path.to_string())
}

/// Removes the directories that are empty now because files in them were removed, and those that this empties. One that
/// cannot be removed stays: it holds something, or came to.
fn remove_empty(disk: &Root, changes: &ChangeSet) {
    let removed = changes.iter().filter(|(_, change)| matches!(change, Change::Remove { .. }));
    let mut directories = BTreeSet::new();
    for (location, _) in removed {
        let mut next = location.path.parent();
        while let Some(directory) = next.filter(|directory| !directory.is_root()) {
            next = directory.parent();
            directories.insert(directory);
        }
    }
    // What lies in a directory comes behind it in the order of paths.
    for directory in directories.iter().rev() {
        let _ = disk.scoped().remove_directory(directory);
    }
}
