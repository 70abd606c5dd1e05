//! Writing schemas for editors that work offline.

use std::path::{Path, PathBuf};

use minds_fs::Root;
use minds_process::{SystemError, current_directory};
use minds_vfs::{
    Change, ChangeSet, Expected, FileMode, Location, MountId, Scope, Snapshot, SnapshotEntry, WorkspacePath,
};
use minds_workspace::{Draft, FileKind, schema, schema_file};

use crate::OperationError;

/// A file with a schema.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WrittenSchema {
    /// The path as given, with `/`.
    pub path: String,
    /// Whether the file was written; otherwise its contents were up to date.
    pub is_new: bool,
}

/// Writes the schemas of `kinds` into `folder`, which is relative to `directory` and is created if necessary.
/// Existing schemas are replaced.
///
/// # Errors
///
/// Fails if `directory` does not exist, or the files cannot be written; then none is written.
pub fn write_schemas(
    directory: &Path,
    folder: &Path,
    kinds: &[&FileKind],
    draft: Draft,
) -> Result<Vec<WrittenSchema>, OperationError> {
    let directory = crate::locate::directory(&current_directory()?, directory)?;
    let (root, below) = open_nearest(&directory.join(folder), folder)?;
    let shown = folder.display().to_string();
    let shown = shown.trim_end_matches('/');
    let places: Vec<(Location, String)> = kinds
        .iter()
        .filter_map(|kind| {
            let file = below.iter().chain([&schema_file(kind.name)]).cloned().collect::<Vec<_>>().join("/");
            let location = Location::new(MountId::WORKSPACE, WorkspacePath::parse(&file).ok()?);
            Some((location, schema(kind.name, draft)?))
        })
        .collect();
    if places.len() != kinds.len() {
        return Err(OperationError::UnusablePath { path: folder.display().to_string() });
    }
    let scope = Scope::of_files(places.iter().map(|(location, _)| location.clone()));
    let before = root.snapshot(&scope);
    let mut changes = ChangeSet::new();
    let mut written = Vec::new();
    for (kind, (location, text)) in kinds.iter().zip(places) {
        let path = format!("{shown}/{}", schema_file(kind.name));
        let is_new = !has_contents(&before, &location, &text);
        written.push(WrittenSchema { path, is_new });
        if is_new {
            let expected = before.hash(&location).map_or(Expected::Absent, Expected::Content);
            let write = Change::Write { bytes: text.into_bytes(), mode: FileMode::Regular, expected };
            // The paths are distinct, so the changes do not conflict.
            let _ = changes.add(location, write);
        }
    }
    root.apply(&changes)?;
    Ok(written)
}

fn has_contents(snapshot: &Snapshot, location: &Location, text: &str) -> bool {
    matches!(snapshot.get(location), Some(SnapshotEntry::File { bytes, .. }) if **bytes == *text.as_bytes())
}

/// Opens the nearest existing directory at or above `folder`, and returns the remaining path segments.
fn open_nearest(folder: &Path, shown: &Path) -> Result<(Root, Vec<String>), OperationError> {
    let unusable = || OperationError::UnusablePath { path: shown.display().to_string() };
    let mut names: Vec<String> = Vec::new();
    let mut at: PathBuf = folder.components().collect();
    loop {
        match Root::open(&at, MountId::WORKSPACE) {
            Ok(root) => {
                names.reverse();
                return Ok((root, names));
            }
            Err(SystemError::NotFound { .. }) => {
                // A missing directory has no parent, so `..` after it cannot be resolved.
                let name = at.file_name().and_then(|name| name.to_str()).ok_or_else(unusable)?;
                names.push(name.to_owned());
                at.pop();
            }
            Err(_) => return Err(unusable()),
        }
    }
}
