//! Comparing rendered files with existing files.

use std::collections::BTreeSet;
use std::fmt;

use minds_diagnostics::Contents;
use minds_document::limits;
use minds_vfs::{
    Change, ChangeSet, ContentHash, Expected, FileMode, Location, MountId, Scope, Snapshot, SnapshotEntry,
    WorkspacePath, map_on_two_threads,
};
use schemars::JsonSchema;
use serde::Serialize;

use crate::artifact::Artifact;
use crate::manifest::{MANIFEST_FILE, Manifest, Record, RenderedEntry};
use crate::target::Target;

/// The number of artifacts from which hashing uses two threads.
const MIN_PARALLEL_ARTIFACTS: usize = 256;

/// How a rendered file compares with the file on disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum State {
    /// The file does not exist yet.
    Created,
    /// The file is as it was rendered before, and is replaced.
    Changed,
    /// The file already has the rendered contents, no matter which program wrote it.
    Unchanged,
    /// The file was rendered before and no longer is, so it is removed.
    Stale,
    /// The file was not rendered by `minds`, or was changed since.
    Drifted,
}

impl State {
    /// Returns the name of the state.
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
    /// The path, relative to the root.
    pub path: WorkspacePath,
    /// How it compares with the file on disk.
    pub state: State,
    /// The contents on disk, if the file exists.
    pub before: Option<Contents>,
    /// The new contents; `None` if the file is removed.
    pub after: Option<Vec<u8>>,
    /// Why the path cannot be written, for example because it is a directory.
    pub obstacle: Option<String>,
    /// Whether the file on disk is readable by other users but must be private.
    pub is_too_open: bool,
    /// The permissions to write.
    pub(crate) mode: FileMode,
}

/// The effects of rendering.
#[derive(Clone, Debug)]
pub struct Plan {
    pub(crate) items: Vec<Item>,
}

/// Why a plan cannot be applied.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PlanRefusal {
    /// Files were not rendered by `minds`, or were changed since.
    #[error("{} not rendered by minds, or changed since it was rendered", describe_files(.0))]
    Drifted(Vec<DriftedFile>),
    /// A path cannot be written.
    #[error("`{path}` cannot be written: {reason}")]
    Obstacle {
        /// The path.
        path: WorkspacePath,
        /// The reason.
        reason: String,
    },
    /// A file that is no longer rendered cannot be removed, so it must stay in the manifest.
    #[error("`{path}` is no longer rendered and cannot be removed: {reason}")]
    Unremovable {
        /// The path.
        path: WorkspacePath,
        /// The reason.
        reason: String,
    },
}

/// A file that was not rendered by `minds`, or was changed since.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DriftedFile {
    /// The path, relative to the root.
    pub path: WorkspacePath,
    /// Whether it is no longer rendered, so that it would be removed instead of overwritten.
    pub is_removed: bool,
}

/// A rendered file that cleaning keeps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeptFile {
    /// The path, relative to the root.
    pub path: WorkspacePath,
    /// Why it cannot be removed; `None` if it was changed since it was rendered.
    pub obstacle: Option<String>,
}

fn describe_files(files: &[DriftedFile]) -> String {
    match files {
        [only] => format!("`{}` was", only.path),
        [first, rest @ ..] => format!("`{}` and {} more were", first.path, rest.len()),
        [] => "no file was".to_owned(),
    }
}

pub(crate) fn location(path: &WorkspacePath) -> Location {
    Location::new(MountId::WORKSPACE, path.clone())
}

fn manifest_path() -> WorkspacePath {
    // The constant is a valid path, so the default is never used.
    WorkspacePath::parse(MANIFEST_FILE).unwrap_or_default()
}

impl Record {
    /// Returns the files to read before [`Record::of`]: the manifest.
    pub fn scope() -> Scope {
        Scope::of_files([location(&manifest_path())])
    }

    /// Reads the manifest from a snapshot.
    pub fn of(found: &Snapshot) -> Self {
        match found.get(&location(&manifest_path())) {
            None if Self::obstacle(found).is_some() => Self::Foreign,
            None => Self::Absent,
            Some(SnapshotEntry::File { bytes, .. }) => Self::parse(bytes),
            Some(_) => Self::Foreign,
        }
    }

    /// Returns why the manifest could not be read; `None` if it could be, or does not exist.
    pub fn obstacle(found: &Snapshot) -> Option<String> {
        match found.get(&location(&manifest_path())) {
            None => unreadable_parent(&manifest_path(), found),
            Some(entry) => entry.bytes().err().map(str::to_owned),
        }
    }
}

impl Plan {
    /// Returns the files to read before [`Plan::new`]: those to write, and those that were rendered before.
    pub fn scope(artifacts: &[Artifact], record: &Record) -> Scope {
        let rendered = record.manifest().into_iter().flat_map(|manifest| &manifest.artifacts);
        let paths: BTreeSet<&WorkspacePath> = artifacts
            .iter()
            .map(|artifact| &artifact.path)
            .chain(rendered.map(|rendered| &rendered.path))
            .collect();
        Scope::of_files(paths.into_iter().map(location).chain([location(&manifest_path())]))
    }

    /// Compares the artifacts of `targets`, sorted by path, with the files in `found`. Files of other targets
    /// are kept.
    pub fn new(artifacts: Vec<Artifact>, targets: &[Target], record: &Record, found: &Snapshot) -> Self {
        let before = record.manifest();
        let rendered = before.into_iter().flat_map(|manifest| &manifest.artifacts);
        let (old, kept): (Vec<&RenderedEntry>, Vec<&RenderedEntry>) =
            rendered.partition(|rendered| targets.contains(&rendered.generator));
        let mut manifest = Manifest { artifacts: kept.into_iter().cloned().collect() };
        let rendered = |artifact: &Artifact| RenderedEntry {
            path: artifact.path.clone(),
            hash: ContentHash::of(&artifact.bytes),
            generator: artifact.target,
            inputs: artifact.inputs.clone(),
        };
        manifest.artifacts.extend(if artifacts.len() < MIN_PARALLEL_ARTIFACTS {
            artifacts.iter().map(rendered).collect()
        } else {
            map_on_two_threads(&artifacts, rendered)
        });
        let rendered_paths: BTreeSet<&WorkspacePath> =
            artifacts.iter().map(|artifact| &artifact.path).collect();
        let mut items = Vec::new();
        for rendered in old.into_iter().filter(|rendered| !rendered_paths.contains(&rendered.path)) {
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
            write_item(artifact.path, artifact.bytes, artifact.mode, is_ours, found)
        }));
        items.sort_by(|a, b| a.path.cmp(&b.path));
        items.extend(manifest_item(&manifest, record, found));
        Self { items }
    }

    /// Returns the files sorted by path, followed by the manifest.
    pub fn items(&self) -> &[Item] {
        &self.items
    }

    /// Returns whether applying the plan would change anything.
    pub fn would_change(&self) -> bool {
        self.items.iter().any(|item| item.state != State::Unchanged || item.is_too_open)
    }

    /// Returns the changes to apply. They fail if a file has changed since it was read.
    ///
    /// # Errors
    ///
    /// Fails if files have drifted and `force` is not set. Always fails if a path cannot be written, or if a
    /// file would be too large to be read again.
    pub fn changes(&self, force: bool) -> Result<ChangeSet, PlanRefusal> {
        for item in &self.items {
            let (path, is_removed) = (item.path.clone(), item.after.is_none());
            match item.obstacle.clone() {
                Some(reason) if is_removed => return Err(PlanRefusal::Unremovable { path, reason }),
                Some(reason) => return Err(PlanRefusal::Obstacle { path, reason }),
                None => {}
            }
            // A file that cannot be read could neither be rendered again nor removed.
            if item.after.as_ref().is_some_and(|bytes| bytes.len() > limits::MAX_BYTES) {
                let reason = "it would be larger than 16 MiB and could not be read again".to_owned();
                return Err(PlanRefusal::Obstacle { path, reason });
            }
        }
        let drifted = self.items.iter().filter(|item| item.state == State::Drifted);
        let drifted: Vec<DriftedFile> = drifted
            .map(|item| DriftedFile { path: item.path.clone(), is_removed: item.after.is_none() })
            .collect();
        if !force && !drifted.is_empty() {
            return Err(PlanRefusal::Drifted(drifted));
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
            // The paths are distinct and not nested, so the changes do not conflict.
            let _ = changes.add(location(&item.path), change);
        }
        Ok(changes)
    }
}

/// Returns the plan item for a file to write.
pub(crate) fn write_item(
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
    let obstructed =
        |reason: &str| Item { state: State::Drifted, obstacle: Some(reason.to_owned()), ..item.clone() };
    match found.get(&location(&item.path)) {
        None => match unreadable_parent(&item.path, found) {
            Some(reason) => obstructed(&reason),
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
        Some(other) => obstructed(other.bytes().err().unwrap_or_default()),
    }
}

/// Returns why the parent directory of `path` could not be read, if it exists and could not be read.
pub(crate) fn unreadable_parent(path: &WorkspacePath, found: &Snapshot) -> Option<String> {
    let parent = path.parent()?;
    match found.get(&location(&parent))? {
        SnapshotEntry::Unreadable { reason } => Some(format!("`{parent}` cannot be used: {reason}")),
        _ => None,
    }
}

/// Returns the plan item for a file that is no longer rendered; `None` if it does not exist. A file that
/// cannot be read is kept.
fn stale_item(rendered: &RenderedEntry, found: &Snapshot) -> Option<Item> {
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
        None => Some(Item { obstacle: Some(unreadable_parent(&rendered.path, found)?), ..item }),
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

/// Returns the plan item for the manifest; `None` if it does not exist and would be empty.
fn manifest_item(manifest: &Manifest, record: &Record, found: &Snapshot) -> Option<Item> {
    if !manifest.artifacts.is_empty() {
        // A manifest that could be parsed was written by this program.
        let is_ours = |_| matches!(record, Record::Read(_));
        let text = manifest.write().into_bytes();
        return Some(write_item(manifest_path(), text, FileMode::Regular, is_ours, found));
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

/// Returns the plan that removes all unchanged rendered files, and the files that are kept because they were
/// changed since, or cannot be read or removed. The manifest is removed with the last file.
pub fn plan_cleanup(record: &Record, found: &Snapshot) -> (Plan, Vec<KeptFile>) {
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
