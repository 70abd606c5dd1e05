//! What rendering would do to the files of clients that are there.

use std::collections::BTreeMap;

use minds_diagnostics::{Contents, Diagnostic, Problems, SourceFile, Span};
use minds_document::{FileMode, Scope, Snapshot, SnapshotEntry};
use minds_paths::{Location, WorkspacePath};

use super::entry::ServerEntry;
use super::merge::{Merged, has_object, render, says_nothing, without_object};
use super::record::{ClientFile, ClientManifest, ClientRecord, manifest_path};
use super::rules::UNMERGEABLE;
use super::{Client, veil};
use crate::plan::{self, Item, Plan, State};

/// What rendering would do to the files of clients.
#[derive(Debug)]
#[must_use]
pub struct ClientPlan {
    /// The files, sorted by path, the manifest last.
    pub plan: Plan,
    /// What was found; see [`Merged::problems`](super::Merged). With an error among it nothing may be written.
    pub problems: Problems,
    /// More about the files of clients.
    pub details: BTreeMap<WorkspacePath, Detail>,
}

/// What is to be known of a client's file beside its state.
#[derive(Clone, Debug, Default)]
pub struct Detail {
    /// The servers for whose sake it has drifted: somebody else wrote them, or changed them since.
    pub drifted: Vec<String>,
    /// What is in the file that is there, as it can be shown: what others wrote there may be a secret. Secrets of known
    /// forms that stand beside servers are not covered.
    pub before: Option<String>,
    /// What will be in it, in the same way.
    pub after: Option<String>,
}

/// Returns the places that must be looked at before there can be a plan.
pub fn scope() -> Scope {
    let files = Client::ALL.into_iter().map(|client| location(&path(client)));
    Scope::of_files(files.chain([location(&manifest_path())]))
}

/// Compares what the servers make for the clients with what is there. The files of other clients stay, and so does
/// everything in a file that is not ours. A file that is there keeps its permissions; one that is made is for its owner.
pub fn plan(
    record: &ClientRecord,
    clients: &[Client],
    servers: &[ServerEntry],
    found: &Snapshot,
) -> ClientPlan {
    let before = record.manifest();
    let kept = before.into_iter().flat_map(|manifest| &manifest.files);
    let kept = kept.filter(|file| !clients.contains(&file.client));
    let mut manifest = ClientManifest { files: kept.cloned().collect() };
    let mut all =
        ClientPlan { plan: Plan { items: Vec::new() }, problems: Problems::new(), details: BTreeMap::new() };
    for client in Client::ALL.into_iter().filter(|client| clients.contains(client)) {
        let formerly = before.and_then(|manifest| manifest.find(client));
        if servers.is_empty() && formerly.is_none() {
            continue;
        }
        manifest.files.extend(all.add(client, servers, formerly, found));
    }
    manifest.files.sort_by_key(|file| file.client);
    all.plan.items.sort_by(|a, b| a.path.cmp(&b.path));
    all.plan.items.extend(manifest_item(&manifest, record, found));
    all
}

impl ClientPlan {
    /// Adds the file of a client, and returns what will be ours in it.
    fn add(
        &mut self,
        client: Client,
        servers: &[ServerEntry],
        formerly: Option<&ClientFile>,
        found: &Snapshot,
    ) -> Option<ClientFile> {
        let known = formerly.map(|file| file.servers.as_slice()).unwrap_or_default();
        let there = match Existing::of(client, found) {
            Ok(there) => there,
            Err(Blocked::Text(finding)) => {
                self.problems.push(*finding);
                return None;
            }
            Err(Blocked::Place(reason)) => {
                // Nothing is said of what stands there if nothing would be written.
                let Merged { text, problems, .. } = render(client, servers, known, None);
                self.problems.append(problems);
                let item = text.map(|text| obstacle(client, text, reason));
                self.plan.items.extend(item);
                return formerly.cloned();
            }
        };
        let Merged { text, mut rendered, replaced, problems } =
            render(client, servers, known, there.as_ref().map(|there| there.text));
        self.problems.append(problems);
        rendered.sort();
        let is_begun = there.is_none() || formerly.is_some_and(|file| file.is_begun);
        let has_begun_object = is_begun
            || formerly.is_some_and(|file| file.has_begun_object)
            || there.as_ref().is_some_and(|there| !has_object(client, there.text));
        let is_drifted = !replaced.is_empty();
        if let Some(text) = text {
            let goes = is_begun && rendered.is_empty() && says_nothing(client, &text);
            let is_last = has_begun_object && rendered.is_empty();
            let text = if is_last { without_object(client, text) } else { text };
            let texts = (there.as_ref().map(|there| there.text), (!goes).then_some(text.as_str()));
            let (before, after) = veil::shown(client, texts, known, &rendered);
            self.details.insert(path(client), Detail { drifted: replaced, before, after });
            self.plan.items.extend(item(client, there.as_ref(), (!goes).then_some(text), is_drifted));
        }
        (!rendered.is_empty()).then_some(ClientFile { client, is_begun, has_begun_object, servers: rendered })
    }
}

/// The file of a client that is there.
pub(super) struct Existing<'s> {
    pub(super) text: &'s str,
    pub(super) mode: FileMode,
}

/// Why nothing can be put into the file of a client.
pub(super) enum Blocked {
    /// It is there, and is no text.
    Text(Box<Diagnostic>),
    /// Something else stands there, or on the way to it.
    Place(String),
}

impl<'s> Existing<'s> {
    /// Returns the file of a client, if it is there.
    pub(super) fn of(client: Client, found: &'s Snapshot) -> Result<Option<Self>, Blocked> {
        let path = path(client);
        match found.get(&location(&path)) {
            None => plan::closed_parent(&path, found).map_or(Ok(None), |reason| Err(Blocked::Place(reason))),
            Some(SnapshotEntry::File { bytes, mode }) => match std::str::from_utf8(bytes) {
                Ok(text) => Ok(Some(Self { text, mode: *mode })),
                Err(_) => Err(Blocked::Text(Box::new(no_text(client)))),
            },
            Some(other) => Err(Blocked::Place(other.bytes().err().unwrap_or_default().to_owned())),
        }
    }
}

/// Why a file that holds any bytes cannot be changed.
pub(super) const NO_TEXT: &str = "it is not UTF-8";

fn no_text(client: Client) -> Diagnostic {
    let message = format!("`{}` cannot be changed: {NO_TEXT}", client.file());
    Diagnostic::new(&UNMERGEABLE, message)
        .primary(SourceFile::new(client.file(), "").label(Span::at(0)))
        .note(format!("it is left as it is; {} may not read it either", client.title()))
        .help("mend it, or move it away, and render again")
}

/// Returns what happens to the file of a client; nothing if it is not there and shall not be.
pub(super) fn item(
    client: Client,
    there: Option<&Existing<'_>>,
    text: Option<String>,
    is_drifted: bool,
) -> Option<Item> {
    let state = match (there, &text) {
        (None, None) => return None,
        _ if is_drifted => State::Drifted,
        (None, Some(_)) => State::Created,
        (Some(there), Some(text)) if there.text == text => State::Unchanged,
        (Some(_), Some(_)) => State::Changed,
        (Some(_), None) => State::Stale,
    };
    Some(Item {
        path: path(client),
        state,
        before: there.map(|there| Contents::from(there.text.as_bytes())),
        after: text.map(String::into_bytes),
        obstacle: None,
        mode: there.map_or(FileMode::Private, |there| there.mode),
        is_too_open: false,
    })
}

fn obstacle(client: Client, text: String, reason: String) -> Item {
    Item {
        path: path(client),
        state: State::Drifted,
        before: None,
        after: Some(text.into_bytes()),
        obstacle: Some(reason),
        mode: FileMode::Private,
        is_too_open: false,
    }
}

/// Returns what happens to the manifest; nothing if there is none and nothing to be said in it.
pub(super) fn manifest_item(
    manifest: &ClientManifest,
    record: &ClientRecord,
    found: &Snapshot,
) -> Option<Item> {
    let is_ours = matches!(record, ClientRecord::Read(_));
    if !manifest.files.is_empty() {
        let text = manifest.write().into_bytes();
        let item = plan::written(manifest_path(), text, FileMode::Regular, |_| is_ours, found);
        // One that says the same in another layout stays: a checkout may have other line breaks.
        if record.manifest().is_some_and(|there| there.says(manifest)) {
            let after = item.before.as_deref().map(<[u8]>::to_vec);
            return Some(Item { state: State::Unchanged, after, ..item });
        }
        return Some(item);
    }
    let SnapshotEntry::File { bytes, mode } = found.get(&location(&manifest_path()))? else { return None };
    is_ours.then(|| Item {
        path: manifest_path(),
        state: State::Stale,
        before: Some(bytes.clone()),
        after: None,
        obstacle: None,
        mode: *mode,
        is_too_open: false,
    })
}

/// Returns the place of a client's file.
pub(super) fn path(client: Client) -> WorkspacePath {
    // It is a path, so the root is never taken instead.
    WorkspacePath::parse(client.file()).unwrap_or_default()
}

pub(super) fn location(path: &WorkspacePath) -> Location {
    plan::location(path)
}
