//! What rendering would do to the files that are there.

use std::collections::BTreeSet;
use std::fmt;

use minds_diagnostics::Contents;
use minds_document::{
    Change, ChangeSet, ContentHash, Expected, FileMode, Scope, Snapshot, SnapshotEntry, limits,
    map_on_two_threads,
};
use minds_paths::{Location, MountId, WorkspacePath};

use crate::artifact::Artifact;
use crate::manifest::{MANIFEST_FILE, Manifest, Record, Rendered};
use crate::target::Target;

/// The number of artifacts from which on they are hashed on two threads.
const MANY: usize = 256;

/// What a rendered file is to what is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum State {
    /// Nothing is there yet.
    Created,
    /// What was rendered before is there, and becomes another text.
    Changed,
    /// The same is there already, whoever wrote it.
    Unchanged,
    /// It was rendered before and is not any more, so it is removed.
    Stale,
    /// Something is there that was not rendered, or was changed since.
    Drifted,
}

impl State {
    /// Returns the word for the state.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Created => "created",
            Self::Changed => "changed",
            Self::Unchanged => "unchanged",
            Self::Stale => "stale",
            Self::Drifted => "drifted",
        }
    }
}

impl fmt::Display for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// One file of a plan.
#[derive(Clone, Debug)]
pub struct Item {
    /// Where it stands.
    pub path: WorkspacePath,
    /// What it is to what is there.
    pub state: State,
    /// What is in the file that is there.
    pub before: Option<Contents>,
    /// What will be in it; none if it is removed.
    pub after: Option<Vec<u8>>,
    /// What else than a file stands there, in words: nothing can be written then.
    pub obstacle: Option<String>,
    /// Whether others may read the file that is there, and must not.
    pub is_too_open: bool,
    /// Who may read it.
    pub(crate) mode: FileMode,
}

/// What rendering would do.
#[derive(Clone, Debug)]
pub struct Plan {
    pub(crate) items: Vec<Item>,
}

/// Why a plan is not carried out.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Refused {
    /// Files are there that were not rendered, or were changed since.
    #[error("{} not rendered here, or changed since", listed(.0))]
    Drifted(Vec<DriftedFile>),
    /// Something stands in the place of a file that is none.
    #[error("`{path}` cannot be written: {reason}")]
    Obstacle {
        /// The place.
        path: WorkspacePath,
        /// What is there.
        reason: String,
    },
    /// What was rendered and is not any more cannot be removed, so it must not be forgotten.
    #[error("`{path}` is not rendered any more, and cannot be removed: {reason}")]
    Unremovable {
        /// The place.
        path: WorkspacePath,
        /// Why not.
        reason: String,
    },
}

/// A file that was not rendered, or was changed since.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DriftedFile {
    /// Where it stands.
    pub path: WorkspacePath,
    /// Whether it is not rendered any more, so that it would be removed and not overwritten.
    pub is_removed: bool,
}

/// A file that was rendered and stays where everything else is removed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeptFile {
    /// Where it stands.
    pub path: WorkspacePath,
    /// Why it cannot be removed, in words; none if it was changed since.
    pub obstacle: Option<String>,
}

fn listed(files: &[DriftedFile]) -> String {
    match files {
        [only] => format!("`{}` was", only.path),
        [first, rest @ ..] => format!("`{}` and {} more were", first.path, rest.len()),
        [] => "nothing was".to_owned(),
    }
}

pub(crate) fn location(path: &WorkspacePath) -> Location {
    Location::new(MountId::WORKSPACE, path.clone())
}

/// Returns the place of the manifest.
fn manifest_path() -> WorkspacePath {
    // It is a path, so the root is never taken instead.
    WorkspacePath::parse(MANIFEST_FILE).unwrap_or_default()
}

impl Record {
    /// Returns the place of the manifest, which is read first.
    pub fn scope() -> Scope {
        Scope::of_files([location(&manifest_path())])
    }

    /// Reads the manifest in a snapshot.
    pub fn of(found: &Snapshot) -> Self {
        match found.get(&location(&manifest_path())) {
            None if Self::obstacle(found).is_some() => Self::Foreign,
            None => Self::Absent,
            Some(SnapshotEntry::File { bytes, .. }) => Self::parse(bytes),
            Some(_) => Self::Foreign,
        }
    }

    /// Returns why it is not known whether there is a manifest or what is in it, in words; none if that is known.
    pub fn obstacle(found: &Snapshot) -> Option<String> {
        match found.get(&location(&manifest_path())) {
            None => closed_parent(&manifest_path(), found),
            Some(entry) => entry.bytes().err().map(str::to_owned),
        }
    }
}

impl Plan {
    /// Returns the places that must be looked at before there can be a plan: those that will be written, and those that
    /// were.
    pub fn scope(artifacts: &[Artifact], record: &Record) -> Scope {
        let rendered = record.manifest().into_iter().flat_map(|manifest| &manifest.artifacts);
        let paths: BTreeSet<&WorkspacePath> = artifacts
            .iter()
            .map(|artifact| &artifact.path)
            .chain(rendered.map(|rendered| &rendered.path))
            .collect();
        Scope::of_files(paths.into_iter().map(location).chain([location(&manifest_path())]))
    }

    /// Compares what the targets make, sorted by path, with what is there. What other targets made before stays.
    pub fn new(artifacts: Vec<Artifact>, targets: &[Target], record: &Record, found: &Snapshot) -> Self {
        let before = record.manifest();
        let rendered = before.into_iter().flat_map(|manifest| &manifest.artifacts);
        let (old, kept): (Vec<&Rendered>, Vec<&Rendered>) =
            rendered.partition(|rendered| targets.contains(&rendered.generator));
        let mut manifest = Manifest { artifacts: kept.into_iter().cloned().collect() };
        let rendered = |artifact: &Artifact| Rendered {
            path: artifact.path.clone(),
            hash: ContentHash::of(&artifact.bytes),
            generator: artifact.target,
            inputs: artifact.inputs.clone(),
        };
        manifest.artifacts.extend(if artifacts.len() < MANY {
            artifacts.iter().map(rendered).collect()
        } else {
            map_on_two_threads(&artifacts, rendered)
        });
        let made: BTreeSet<&WorkspacePath> = artifacts.iter().map(|artifact| &artifact.path).collect();
        let mut items = Vec::new();
        for rendered in old.into_iter().filter(|rendered| !made.contains(&rendered.path)) {
            let Some(item) = stale_item(rendered, found) else { continue };
            if item.obstacle.is_some() {
                manifest.artifacts.push(rendered.clone());
            }
            items.push(item);
        }
        manifest.artifacts.sort_by(|a, b| a.path.cmp(&b.path));
        items.extend(artifacts.into_iter().map(|artifact| {
            let old = before.and_then(|manifest| manifest.find(&artifact.path));
            let is_ours = |hash: ContentHash| old.is_some_and(|old| old.hash == hash);
            written(artifact.path, artifact.bytes, artifact.mode, is_ours, found)
        }));
        items.sort_by(|a, b| a.path.cmp(&b.path));
        items.extend(manifest_item(&manifest, record, found));
        Self { items }
    }

    /// Returns the files, sorted by path; the manifest is the last one.
    pub fn items(&self) -> &[Item] {
        &self.items
    }

    /// Returns whether writing would change anything.
    pub fn would_change(&self) -> bool {
        self.items.iter().any(|item| item.state != State::Unchanged || item.is_too_open)
    }

    /// Returns what has to be written. Each file must still be what it was when it was looked at.
    ///
    /// # Errors
    ///
    /// Fails if files have drifted, unless `force` says that they are to be overwritten; and always if something else than
    /// a file stands in the place of one, or a file would be too large to be read again.
    pub fn changes(&self, force: bool) -> Result<ChangeSet, Refused> {
        for item in &self.items {
            let (path, is_removed) = (item.path.clone(), item.after.is_none());
            match item.obstacle.clone() {
                Some(reason) if is_removed => return Err(Refused::Unremovable { path, reason }),
                Some(reason) => return Err(Refused::Obstacle { path, reason }),
                None => {}
            }
            // What cannot be read again could be neither rendered anew nor removed.
            if item.after.as_ref().is_some_and(|bytes| bytes.len() > limits::MAX_BYTES) {
                let reason = "it would be larger than 16 MiB, and could not be read again".to_owned();
                return Err(Refused::Obstacle { path, reason });
            }
        }
        let drifted = self.items.iter().filter(|item| item.state == State::Drifted);
        let drifted: Vec<DriftedFile> = drifted
            .map(|item| DriftedFile { path: item.path.clone(), is_removed: item.after.is_none() })
            .collect();
        if !force && !drifted.is_empty() {
            return Err(Refused::Drifted(drifted));
        }
        let mut changes = ChangeSet::new();
        for item in &self.items {
            if item.state == State::Unchanged && !item.is_too_open {
                continue;
            }
            let expected = item
                .before
                .as_ref()
                .map_or(Expected::Absent, |bytes| Expected::Content(ContentHash::of(bytes)));
            let change = match &item.after {
                Some(bytes) => Change::Write { bytes: bytes.clone(), mode: item.mode, expected },
                None => Change::Remove { expected },
            };
            // The paths differ and none is below another, so no change excludes another.
            let _ = changes.add(location(&item.path), change);
        }
        Ok(changes)
    }
}

/// Returns what happens to a file that is to have a text.
pub(crate) fn written(
    path: WorkspacePath,
    bytes: Vec<u8>,
    mode: FileMode,
    is_ours: impl FnOnce(ContentHash) -> bool,
    found: &Snapshot,
) -> Item {
    let item = Item {
        path,
        state: State::Created,
        before: None,
        after: Some(bytes),
        obstacle: None,
        mode,
        is_too_open: false,
    };
    let drifted =
        |reason: &str| Item { state: State::Drifted, obstacle: Some(reason.to_owned()), ..item.clone() };
    match found.get(&location(&item.path)) {
        None => match closed_parent(&item.path, found) {
            Some(reason) => drifted(&reason),
            None => item,
        },
        Some(SnapshotEntry::File { bytes, mode: old }) => {
            let is_same = item.after.as_deref() == Some(&**bytes);
            let state = if is_same {
                State::Unchanged
            } else if is_ours(ContentHash::of(bytes)) {
                State::Changed
            } else {
                State::Drifted
            };
            let is_private = mode == FileMode::Private;
            let mode = if is_private { mode } else { *old };
            let is_too_open = is_private && *old != FileMode::Private;
            Item { state, before: Some(bytes.clone()), mode, is_too_open, ..item }
        }
        Some(other) => drifted(other.bytes().err().unwrap_or_default()),
    }
}

/// Returns why the directory that holds a place could not be looked into, if it is there and could not.
pub(crate) fn closed_parent(path: &WorkspacePath, found: &Snapshot) -> Option<String> {
    let parent = path.parent()?;
    match found.get(&location(&parent))? {
        SnapshotEntry::Unreadable { reason } => Some(format!("`{parent}` cannot be used: {reason}")),
        _ => None,
    }
}

/// Returns what happens to a file that was rendered before and is not any more; nothing if it is gone. What cannot be looked
/// at may be it, and stays.
fn stale_item(rendered: &Rendered, found: &Snapshot) -> Option<Item> {
    let item = Item {
        path: rendered.path.clone(),
        state: State::Drifted,
        before: None,
        after: None,
        obstacle: None,
        mode: FileMode::Regular,
        is_too_open: false,
    };
    match found.get(&location(&rendered.path)) {
        None => Some(Item { obstacle: Some(closed_parent(&rendered.path, found)?), ..item }),
        Some(SnapshotEntry::File { bytes, mode }) => {
            let is_ours = ContentHash::of(bytes) == rendered.hash;
            let state = if is_ours { State::Stale } else { State::Drifted };
            Some(Item { state, before: Some(bytes.clone()), mode: *mode, ..item })
        }
        Some(other) => {
            Some(Item { obstacle: Some(other.bytes().err().unwrap_or_default().to_owned()), ..item })
        }
    }
}

/// Returns what happens to the manifest; nothing if there is none and nothing to be said in it.
fn manifest_item(manifest: &Manifest, record: &Record, found: &Snapshot) -> Option<Item> {
    if !manifest.artifacts.is_empty() {
        // What is read as a manifest was written by this program.
        let is_ours = |_| matches!(record, Record::Read(_));
        let text = manifest.write().into_bytes();
        return Some(written(manifest_path(), text, FileMode::Regular, is_ours, found));
    }
    let SnapshotEntry::File { bytes, mode } = found.get(&location(&manifest_path()))? else { return None };
    matches!(record, Record::Read(_)).then(|| Item {
        path: manifest_path(),
        state: State::Stale,
        before: Some(bytes.clone()),
        after: None,
        obstacle: None,
        mode: *mode,
        is_too_open: false,
    })
}

/// Returns the plan that removes what was rendered and is as it was rendered, and the files that stay because they were
/// changed since, or cannot be looked at or removed. The manifest goes with the last file.
pub fn cleaning(record: &Record, found: &Snapshot) -> (Plan, Vec<KeptFile>) {
    let rendered = record.manifest().into_iter().flat_map(|manifest| &manifest.artifacts);
    let (mut items, mut kept, mut manifest) = (Vec::new(), Vec::new(), Manifest::default());
    for rendered in rendered {
        match stale_item(rendered, found) {
            Some(item) if item.state == State::Stale => items.push(item),
            Some(item) => {
                kept.push(KeptFile { path: item.path, obstacle: item.obstacle });
                manifest.artifacts.push(rendered.clone());
            }
            None => {}
        }
    }
    items.extend(manifest_item(&manifest, record, found));
    (Plan { items }, kept)
}
