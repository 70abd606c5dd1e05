//! Creating a `mind.toml`, and replacing bare names of items by references.

use std::path::Path;

use minds_fs::ApplyError;
use minds_sources::discovery::Options;
use minds_sources::{Identity, ItemMentions, MANIFEST_FILE, SourceItems};
use minds_vfs::{Change, ChangeSet, ContentHash, Expected, FileMode, Location, MountId, WorkspacePath};
use minds_workspace::unified_diff;

use crate::files::Files;
use crate::review::open;
use crate::{SourceError, SourceErrorKind};

/// The template of a new `mind.toml`.
const FIRST: &str = include_str!("../templates/source.toml");

/// The items of a source, and the changes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct InitSource {
    /// The items in discovery order, with their references to other items.
    pub items: Vec<ItemMentions>,
    /// The files that were written, or would be, relative to the root of the source.
    pub written: Vec<String>,
    /// The changes, or planned changes, as a unified diff.
    pub diff: String,
    /// Whether a `mind.toml` already exists. It is never changed.
    pub has_manifest: bool,
}

/// Writes a new `mind.toml` to the folder `target`, relative to `base`, if it has none; with `template`, also
/// replaces bare names of items in Markdown files by references, so that they stay correct under a prefix.
/// Without `write`, the changes are only returned. All files are written, or none.
///
/// # Errors
///
/// Fails if the folder does not exist, its `mind.toml` or the source as a whole is not valid, or a file
/// changed in the meantime.
pub fn init_source(
    base: &Path,
    target: &Path,
    template: bool,
    write: bool,
) -> Result<InitSource, SourceError> {
    let files = Files::of_folder(open(base, target)?);
    let discovered = files.discover(Options::default())?;
    let contents = files.contents(&discovered.catalog.items)?;
    let Some(root) = files.root() else { return Ok(InitSource::default()) };
    let prefix = discovered.manifest.as_ref().and_then(|file| file.manifest().prefix().cloned());
    // The identity does not matter here.
    let identity = Identity::parse("local/local/local")
        .map_err(|error| SourceError::new(SourceErrorKind::InvalidSpec, error.to_string()))?;
    let items = SourceItems::new(identity, prefix, None, discovered.catalog, contents);
    let mut done = InitSource {
        items: minds_sources::find_mentions(&items),
        has_manifest: discovered.manifest.is_some(),
        ..InitSource::default()
    };
    let mut changes = ChangeSet::new();
    if !done.has_manifest
        && let Ok(path) = WorkspacePath::parse(MANIFEST_FILE)
    {
        done.diff.push_str(&unified_diff(MANIFEST_FILE, None, FIRST));
        let bytes = FIRST.as_bytes().to_vec();
        let change = Change::Write { bytes, mode: FileMode::Regular, expected: Expected::Absent };
        done.add(path, change, &mut changes);
    }
    if template {
        for file in minds_sources::rewrite_bare_names(&items) {
            done.diff.push_str(&unified_diff(file.path.as_str(), Some(&file.old), &file.new));
            let mode = if file.is_executable { FileMode::Executable } else { FileMode::Regular };
            let expected = Expected::Content(ContentHash::of(file.old.as_bytes()));
            done.add(file.path, Change::Write { bytes: file.new.into_bytes(), mode, expected }, &mut changes);
        }
    }
    let applied = if write { root.apply(&changes) } else { root.expect_states(&changes) };
    match applied {
        Ok(()) => Ok(done),
        Err(ApplyError::Unexpected { location, .. }) => {
            let message = format!("`{location}` has changed in the meantime; nothing was written");
            Err(SourceError::new(SourceErrorKind::System, message))
        }
        Err(error) => Err(SourceError::new(SourceErrorKind::System, error.to_string())),
    }
}

impl InitSource {
    fn add(&mut self, path: WorkspacePath, change: Change, changes: &mut ChangeSet) {
        self.written.push(path.to_string());
        // Each path is added once, so no changes conflict.
        let _ = changes.add(Location::new(MountId::WORKSPACE, path), change);
    }
}
