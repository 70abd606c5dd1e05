//! Comparing rendered servers with existing client files.

use std::collections::BTreeMap;

use minds_diagnostics::{Contents, Diagnostic, Problems, SourceFile, Span};
use minds_vfs::{FileMode, Location, Scope, Snapshot, SnapshotEntry, WorkspacePath};

use super::entry::ServerEntry;
use super::merge::{MergedFile, has_object, is_empty_file, remove_empty_object, render};
use super::notes::Notes;
use super::record::{ClientFile, ClientManifest, ClientRecord, manifest_path};
use super::rules::UNMERGEABLE;
use super::{Client, redact};
use crate::plan::{self, Item, Plan, State};

/// The effects of rendering on client files.
#[derive(Debug)]
#[must_use]
pub struct ClientPlan {
    /// The files, sorted by path, the manifest last.
    pub plan: Plan,
    /// The findings; see [`MergedFile::problems`](super::MergedFile). If there are errors, nothing must be written.
    pub problems: Problems,
    /// Further details of the client files.
    pub details: BTreeMap<WorkspacePath, Detail>,
    /// What `minds` manages in client files afterwards.
    pub manifest: ClientManifest,
}

/// Details of a client's file.
#[derive(Clone, Debug, Default)]
pub struct Detail {
    /// The servers because of which the file has drifted: they were not rendered by `minds`, or were changed
    /// since.
    pub drifted: Vec<String>,
    /// The existing contents, redacted, because values that other programs wrote may be secrets. Secrets of
    /// known forms outside of servers are not redacted here.
    pub before: Option<String>,
    /// The new contents, redacted in the same way.
    pub after: Option<String>,
}

/// Returns the files to read before calling [`plan`].
pub fn scope() -> Scope {
    let files = Client::ALL.into_iter().map(|client| location(&path(client)));
    Scope::of_files(files.chain([location(&manifest_path())]))
}

/// Compares the files that the servers require with those in `found`. Files of other clients and foreign
/// entries are kept. An existing file keeps its permissions; a new file is readable by its owner only.
///
/// [`ClientPlan::add_manifest`] completes the plan.
pub fn plan(
    record: &ClientRecord,
    clients: &[Client],
    servers: &[ServerEntry],
    found: &Snapshot,
) -> ClientPlan {
    let before = record.manifest();
    let kept = before.into_iter().flat_map(|manifest| &manifest.files);
    let kept = kept.filter(|file| !clients.contains(&file.client));
    let (parts, settings) =
        before.map(|manifest| (manifest.parts.clone(), manifest.settings.clone())).unwrap_or_default();
    let mut all = ClientPlan {
        plan: Plan { items: Vec::new() },
        problems: Problems::new(),
        details: BTreeMap::new(),
        manifest: ClientManifest { files: kept.cloned().collect(), parts, settings },
    };
    for client in Client::ALL.into_iter().filter(|client| clients.contains(client)) {
        let previous = before.and_then(|manifest| manifest.find(client));
        if servers.is_empty() && previous.is_none() {
            continue;
        }
        if let Some(server) = servers.first() {
            Notes::new(client, &server.name, &mut all.problems).report_retirement();
        }
        let file = all.add(client, servers, previous, found);
        all.manifest.files.extend(file);
    }
    all.manifest.files.sort_by_key(|file| file.client);
    all.plan.items.sort_by(|a, b| a.path.cmp(&b.path));
    all
}

impl ClientPlan {
    /// Adds the manifest at the end of the plan.
    pub fn add_manifest(&mut self, record: &ClientRecord, found: &Snapshot) {
        self.plan.items.extend(manifest_item(&self.manifest, record, found));
    }

    /// Adds the file of a client, and returns its manifest entry.
    fn add(
        &mut self,
        client: Client,
        servers: &[ServerEntry],
        previous: Option<&ClientFile>,
        found: &Snapshot,
    ) -> Option<ClientFile> {
        let known = previous.map(|file| file.servers.as_slice()).unwrap_or_default();
        let existing = match ExistingFile::of(client, found) {
            Ok(existing) => existing,
            Err(Blocked::NotUtf8(finding)) => {
                self.problems.push(*finding);
                return None;
            }
            Err(Blocked::Place(reason)) => {
                // The obstacle is reported only if something would be written.
                let MergedFile { text, problems, .. } = render(client, servers, known, None);
                self.problems.append(problems);
                let item = text.map(|text| obstacle(client, text, reason));
                self.plan.items.extend(item);
                return previous.cloned();
            }
        };
        let MergedFile { text, mut rendered, replaced, problems } =
            render(client, servers, known, existing.as_ref().map(|existing| existing.text));
        self.problems.append(problems);
        rendered.sort();
        let is_created = existing.is_none() || previous.is_some_and(|file| file.is_created);
        let has_created_object = is_created
            || previous.is_some_and(|file| file.has_created_object)
            || existing.as_ref().is_some_and(|existing| !has_object(client, existing.text));
        let is_drifted = !replaced.is_empty();
        if let Some(text) = text {
            let goes = is_created && rendered.is_empty() && is_empty_file(client, &text);
            let is_last = has_created_object && rendered.is_empty();
            let text = if is_last { remove_empty_object(client, text) } else { text };
            let texts = (existing.as_ref().map(|existing| existing.text), (!goes).then_some(text.as_str()));
            let (before, after) = redact::redact_diff(client, texts, known, &rendered);
            self.details.insert(path(client), Detail { drifted: replaced, before, after });
            self.plan.items.extend(item(client, existing.as_ref(), (!goes).then_some(text), is_drifted));
        }
        (!rendered.is_empty()).then_some(ClientFile {
            client,
            is_created,
            has_created_object,
            servers: rendered,
        })
    }
}

/// The existing file of a client.
pub(super) struct ExistingFile<'s> {
    pub(super) text: &'s str,
    pub(super) mode: FileMode,
}

/// Why the file of a client cannot be changed.
pub(super) enum Blocked {
    /// It is not valid UTF-8.
    NotUtf8(Box<Diagnostic>),
    /// The path is not a regular file, or cannot be reached.
    Place(String),
}

impl<'s> ExistingFile<'s> {
    /// Returns the file of a client, if it exists.
    pub(super) fn of(client: Client, found: &'s Snapshot) -> Result<Option<Self>, Blocked> {
        let path = path(client);
        match found.get(&location(&path)) {
            None => {
                plan::unreadable_parent(&path, found).map_or(Ok(None), |reason| Err(Blocked::Place(reason)))
            }
            Some(SnapshotEntry::File { bytes, mode }) => match std::str::from_utf8(bytes) {
                Ok(text) => Ok(Some(Self { text, mode: *mode })),
                Err(_) => Err(Blocked::NotUtf8(Box::new(not_utf8(client)))),
            },
            Some(other) => Err(Blocked::Place(other.bytes().err().unwrap_or_default().to_owned())),
        }
    }
}

/// The reason why a file with arbitrary bytes cannot be changed.
pub(super) const NOT_UTF8: &str = "it is not valid UTF-8";

fn not_utf8(client: Client) -> Diagnostic {
    let message = format!("`{}` cannot be changed: {NOT_UTF8}", client.file());
    Diagnostic::new(&UNMERGEABLE, message)
        .primary(SourceFile::new(client.file(), "").label(Span::at(0)))
        .note(format!("the file is left unchanged; {} may not be able to read it either", client.title()))
        .help("fix or move the file, and render again")
}

/// Returns the plan item for the file of a client; `None` if it does not exist and is not needed.
pub(super) fn item(
    client: Client,
    existing: Option<&ExistingFile<'_>>,
    text: Option<String>,
    is_drifted: bool,
) -> Option<Item> {
    let state = match (existing, &text) {
        (None, None) => return None,
        _ if is_drifted => State::Drifted,
        (None, Some(_)) => State::Created,
        (Some(existing), Some(text)) if existing.text == text => State::Unchanged,
        (Some(_), Some(_)) => State::Changed,
        (Some(_), None) => State::Stale,
    };
    Some(Item {
        path: path(client),
        state,
        before: existing.map(|existing| Contents::from(existing.text.as_bytes())),
        after: text.map(String::into_bytes),
        obstacle: None,
        mode: existing.map_or(FileMode::Private, |existing| existing.mode),
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

/// Returns the plan item for the manifest; `None` if it does not exist and would be empty.
pub(super) fn manifest_item(
    manifest: &ClientManifest,
    record: &ClientRecord,
    found: &Snapshot,
) -> Option<Item> {
    let is_ours = matches!(record, ClientRecord::Read(_));
    if !manifest.is_empty() {
        let text = manifest.write().into_bytes();
        let item = plan::write_item(manifest_path(), text, FileMode::Regular, |_| is_ours, found);
        // An equivalent manifest in another layout is kept: a checkout may have other line breaks.
        if record.manifest().is_some_and(|existing| existing.is_equivalent(manifest)) {
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

/// Returns the path of a client's file.
pub(super) fn path(client: Client) -> WorkspacePath {
    // The constant is a valid path, so the default is never used.
    WorkspacePath::parse(client.file()).unwrap_or_default()
}

pub(super) fn location(path: &WorkspacePath) -> Location {
    plan::location(path)
}
