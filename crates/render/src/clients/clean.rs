//! Taking our servers out of the files of clients.

use std::collections::BTreeMap;

use minds_document::Snapshot;
use minds_paths::WorkspacePath;

use super::merge::{RenderedServer, look_for, says_nothing, without, without_object};
use super::plan::{Blocked, Existing, NO_TEXT, item, manifest_item, path};
use super::record::{ClientFile, ClientManifest, ClientRecord};
use crate::plan::Plan;

/// What taking our servers out of the files of clients would do.
#[derive(Debug)]
#[must_use]
pub struct Cleaning {
    /// The files, sorted by path, the manifest last.
    pub plan: Plan,
    /// The names of the servers that are taken out, by file.
    pub taken: BTreeMap<WorkspacePath, Vec<String>>,
    /// The names of the servers that stay because they were changed since they were rendered.
    pub kept: BTreeMap<WorkspacePath, Vec<String>>,
    /// The servers that stay because their file cannot be changed.
    pub blocked: BTreeMap<WorkspacePath, BlockedServers>,
}

/// Servers in a file that cannot be changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlockedServers {
    /// Their names.
    pub servers: Vec<String>,
    /// Why the file cannot be changed. It quotes no value of the file.
    pub reason: String,
}

/// Returns how every server goes that was rendered into the file of a client and is as it was rendered. A file that was
/// begun for them goes with the last of them if it holds nothing else, and so does the object in it that holds servers.
pub fn cleaning(record: &ClientRecord, found: &Snapshot) -> Cleaning {
    let mut cleaning = Cleaning {
        plan: Plan { items: Vec::new() },
        taken: BTreeMap::new(),
        kept: BTreeMap::new(),
        blocked: BTreeMap::new(),
    };
    let mut manifest = ClientManifest::default();
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
    cleaning.plan.items.extend(manifest_item(&manifest, record, found));
    cleaning
}

impl Cleaning {
    /// Adds the file of a client, and returns the servers in it that stay, or why all of them do.
    fn add(&mut self, file: &ClientFile, found: &Snapshot) -> Result<Vec<RenderedServer>, String> {
        let client = file.client;
        let there = match Existing::of(client, found) {
            Ok(Some(there)) => there,
            // With the file its servers are gone.
            Ok(None) => return Ok(Vec::new()),
            Err(Blocked::Text(_)) => return Err(NO_TEXT.to_owned()),
            Err(Blocked::Place(reason)) => return Err(reason),
        };
        let wanted: Vec<&str> = file.servers.iter().map(|server| server.name.as_str()).collect();
        let in_file = look_for(client, there.text, &wanted).map_err(|refusal| refusal.reason)?;
        // One that is there twice is ours only if both are.
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
        let text = without(client, there.text, &taken).map_err(|refusal| refusal.reason)?;
        let goes = file.is_begun && kept.is_empty() && says_nothing(client, &text);
        let text = if file.has_begun_object { without_object(client, text) } else { text };
        if goes || !ours.is_empty() {
            self.plan.items.extend(item(client, Some(&there), (!goes).then_some(text), false));
            self.taken.insert(path(client), names(&ours));
        }
        Ok(kept)
    }
}

fn names(servers: &[RenderedServer]) -> Vec<String> {
    servers.iter().map(|server| server.name.clone()).collect()
}
