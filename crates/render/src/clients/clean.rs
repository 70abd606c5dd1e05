//! Removing our servers from client files.

use std::collections::BTreeMap;

use minds_vfs::{Snapshot, WorkspacePath};

use super::merge::{RenderedServer, is_empty_file, remove_empty_object, remove_servers, try_find_servers};
use super::plan::{Blocked, ExistingFile, NOT_UTF8, item, manifest_item, path};
use super::record::{ClientFile, ClientManifest, ClientRecord};
use crate::plan::Plan;

/// The effects of removing our servers from client files.
#[derive(Debug)]
#[must_use]
pub struct Cleanup {
    /// The files, sorted by path, the manifest last.
    pub plan: Plan,
    /// The names of the removed servers, by file.
    pub taken: BTreeMap<WorkspacePath, Vec<String>>,
    /// The names of the servers that are kept because they were changed since they were rendered.
    pub kept: BTreeMap<WorkspacePath, Vec<String>>,
    /// The servers that are kept because their file cannot be changed.
    pub blocked: BTreeMap<WorkspacePath, BlockedServers>,
    /// What `minds` manages in client files afterwards.
    pub manifest: ClientManifest,
}

/// Servers in a file that cannot be changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlockedServers {
    /// The names of the servers.
    pub servers: Vec<String>,
    /// Why the file cannot be changed. It does not quote the file.
    pub reason: String,
}

/// Returns the plan that removes all unchanged rendered servers from client files. A file that was created
/// for them is removed with the last of them if it contains nothing else, and so is the object that contains
/// servers. Other parts of files stay recorded; [`Cleanup::add_manifest`] completes the plan.
pub fn plan_cleanup(record: &ClientRecord, found: &Snapshot) -> Cleanup {
    let mut cleaning = Cleanup {
        plan: Plan { items: Vec::new() },
        taken: BTreeMap::new(),
        kept: BTreeMap::new(),
        blocked: BTreeMap::new(),
        manifest: ClientManifest::default(),
    };
    let mut manifest = ClientManifest::default();
    if let Some(before) = record.manifest() {
        manifest.parts.clone_from(&before.parts);
        manifest.settings.clone_from(&before.settings);
    }
    for file in record.manifest().into_iter().flat_map(|manifest| &manifest.files) {
        match cleaning.add(file, found) {
            Ok(kept) if kept.is_empty() => {}
            Ok(kept) => {
                cleaning.kept.insert(path(file.client), names(&kept));
                manifest.files.push(ClientFile { servers: kept, ..file.clone() });
            }
            Err(reason) => {
                let blocked = BlockedServers { servers: names(&file.servers), reason };
                cleaning.blocked.insert(path(file.client), blocked);
                manifest.files.push(file.clone());
            }
        }
    }
    cleaning.plan.items.sort_by(|a, b| a.path.cmp(&b.path));
    cleaning.manifest = manifest;
    cleaning
}

impl Cleanup {
    /// Adds the manifest at the end of the plan.
    pub fn add_manifest(&mut self, record: &ClientRecord, found: &Snapshot) {
        self.plan.items.extend(manifest_item(&self.manifest, record, found));
    }

    /// Adds the file of a client, and returns the servers in it that are kept, or why the file cannot be
    /// changed.
    fn add(&mut self, file: &ClientFile, found: &Snapshot) -> Result<Vec<RenderedServer>, String> {
        let client = file.client;
        let existing = match ExistingFile::of(client, found) {
            Ok(Some(existing)) => existing,
            // The servers were removed with the file.
            Ok(None) => return Ok(Vec::new()),
            Err(Blocked::NotUtf8(_)) => return Err(NOT_UTF8.to_owned()),
            Err(Blocked::Place(reason)) => return Err(reason),
        };
        let wanted: Vec<&str> = file.servers.iter().map(|server| server.name.as_str()).collect();
        let in_file = try_find_servers(client, existing.text, &wanted).map_err(|refusal| refusal.reason)?;
        // A duplicate entry is ours only if both copies are.
        let is_ours = |server: &&RenderedServer| {
            in_file.iter().filter(|found| found.name == server.name).all(|found| file.servers.contains(found))
        };
        let mut ours: Vec<RenderedServer> = in_file.iter().filter(is_ours).cloned().collect();
        ours.dedup();
        let is_kept = |server: &&RenderedServer| {
            in_file.iter().any(|found| found.name == server.name) && !ours.contains(server)
        };
        let kept: Vec<RenderedServer> = file.servers.iter().filter(is_kept).cloned().collect();
        let taken: Vec<&str> = ours.iter().map(|server| server.name.as_str()).collect();
        let text = remove_servers(client, existing.text, &taken).map_err(|refusal| refusal.reason)?;
        let goes = file.is_created && kept.is_empty() && is_empty_file(client, &text);
        let text = if file.has_created_object { remove_empty_object(client, text) } else { text };
        if goes || !ours.is_empty() {
            self.plan.items.extend(item(client, Some(&existing), (!goes).then_some(text), false));
            self.taken.insert(path(client), names(&ours));
        }
        Ok(kept)
    }
}

fn names(servers: &[RenderedServer]) -> Vec<String> {
    servers.iter().map(|server| server.name.clone()).collect()
}
