//! Removing rendered files.

use std::collections::BTreeSet;
use std::path::Path;

use minds_fs::Root;
use minds_render::clients::{self, CLIENTS_FILE, Cleanup, ClientRecord};
use minds_render::parts::{KeptPart, plan_parts_cleanup, scope_of_parts};
use minds_render::{KeptFile, MANIFEST_FILE, Plan, Record, plan_cleanup};
use minds_vfs::{Change, ChangeSet, MountId, WorkspacePath};

use crate::OperationError;
use crate::render::retry_on_conflict;
use crate::rendering_place::RenderingPlace;

/// The result of cleaning.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CleanOutcome {
    /// The compose root, the `.ateam` directory of a fleet, or the workspace where there is neither, relative to the current
    /// directory.
    pub root: String,
    /// The removed files, relative to the compose root; client files are relative to the workspace.
    pub removed: Vec<String>,
    /// The client files that are kept without our servers.
    pub changed: Vec<ClientServers>,
    /// The files of clients that are kept without the parts that were rendered from the members of the team.
    pub changed_parts: Vec<String>,
    /// The files that are kept because they were changed since they were rendered.
    pub kept: Vec<String>,
    /// The files that are kept because they cannot be read or removed, each with the reason.
    pub unremovable: Vec<(String, String)>,
    /// The client files with servers that are kept because they were changed since they were rendered.
    pub kept_servers: Vec<ClientServers>,
    /// The client files that cannot be changed and keep all our servers, each with the reason.
    pub blocked_servers: Vec<(ClientServers, String)>,
}

/// Servers in the file of a client.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClientServers {
    /// The path of the file, relative to the workspace.
    pub path: String,
    /// The names of the servers.
    pub servers: Vec<String>,
}

/// Removes all unchanged rendered files of a compose root, or of a fleet if there is no compose root, all
/// unchanged rendered servers from the client files of its workspace, and the directories that become empty.
/// Either everything is removed, or nothing. Without `write`, only the result is returned. The files of the
/// agents are not checked.
///
/// # Errors
///
/// Fails if there is nothing to clean, the manifest cannot be read, or the files cannot be removed.
pub fn clean(base: &Path, root: Option<&Path>, write: bool) -> Result<CleanOutcome, OperationError> {
    retry_on_conflict(|| clean_once(base, root, write))
}

fn clean_once(base: &Path, root: Option<&Path>, write: bool) -> Result<CleanOutcome, OperationError> {
    let place = RenderingPlace::for_cleaning(base, root)?;
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
    // These plans contain no drifted files, so they are not refused.
    let clients = plan.changes(false).unwrap_or_default();
    let artifacts = agents.as_ref().map(|(plan, _)| plan.changes(false).unwrap_or_default());
    let (disk, changes) = match (&agents, artifacts) {
        (Some((_, disk)), Some(artifacts)) if clients.is_empty() => (disk, artifacts),
        (Some(_), Some(artifacts)) if !artifacts.is_empty() => {
            (&workspace, place.merge_changes(clients, &artifacts).map_err(OperationError::Refused)?)
        }
        _ => (&workspace, clients),
    };
    disk.apply(&changes)?;
    remove_empty(disk, &changes);
    Ok(outcome)
}

impl CleanOutcome {
    /// Plans the removal of files for agents.
    fn agents(&mut self, disk: &Root) -> Result<Plan, OperationError> {
        let existing = disk.snapshot(&Record::scope());
        let record = Record::of(&existing);
        if let Some(reason) = Record::obstacle(&existing) {
            return Err(OperationError::UnreadableManifest { file: MANIFEST_FILE, reason });
        }
        if record == Record::Foreign {
            return Err(OperationError::ForeignManifest { file: MANIFEST_FILE });
        }
        let existing = disk.snapshot(&Plan::scope(&[], &record));
        let (plan, kept) = plan_cleanup(&record, &existing);
        self.removed.extend(removed_paths(&plan));
        for KeptFile { path, obstacle } in kept {
            match obstacle {
                Some(reason) => self.unremovable.push((path.to_string(), reason)),
                None => self.kept.push(path.to_string()),
            }
        }
        Ok(plan)
    }

    /// Plans the removal from client files.
    fn clients(&mut self, workspace: &Root) -> Result<Plan, OperationError> {
        let existing = workspace.snapshot(&clients::scope());
        let record = ClientRecord::of(&existing);
        if record == ClientRecord::Foreign {
            return Err(OperationError::ForeignManifest { file: CLIENTS_FILE });
        }
        let mut cleanup = clients::plan_cleanup(&record, &existing);
        let there = workspace.snapshot(&scope_of_parts(&[], &cleanup.manifest.parts));
        let parts = plan_parts_cleanup(&mut cleanup, &there);
        cleanup.add_manifest(&record, &existing);
        let Cleanup { plan, taken, kept, blocked, .. } = cleanup;
        let removed_files: Vec<String> = removed_paths(&plan).collect();
        let servers =
            |(path, servers): (WorkspacePath, Vec<String>)| ClientServers { path: path.to_string(), servers };
        let stays = |found: &ClientServers| !removed_files.contains(&found.path);
        self.changed.extend(taken.into_iter().map(servers).filter(stays));
        self.kept_servers.extend(kept.into_iter().map(servers));
        let blocked =
            blocked.into_iter().map(|(path, blocked)| (servers((path, blocked.servers)), blocked.reason));
        self.blocked_servers.extend(blocked);
        self.changed_parts.extend(parts.changed.iter().map(ToString::to_string));
        for KeptPart { path, obstacle } in parts.kept {
            match obstacle {
                Some(reason) => self.unremovable.push((path.to_string(), reason)),
                None => self.kept.push(path.to_string()),
            }
        }
        self.removed.extend(removed_files);
        Ok(plan)
    }
}

fn removed_paths(plan: &Plan) -> impl Iterator<Item = String> {
    plan.items().iter().filter(|item| item.after.is_none()).map(|item| item.path.to_string())
}

/// Removes directories that became empty. A directory that is not empty is kept.
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
    // Entries of a directory sort after the directory.
    for directory in directories.iter().rev() {
        let _ = disk.no_follow().remove_directory(directory);
    }
}
