//! Dumping the registered sources as a source that reproduces them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use minds_fs::{FileErrorKind, Root};
use minds_git::{Git, ObjectId};
use minds_inventory::{DUMP_DESCRIPTION, Dump, LOCK_FILE, RegisteredSource, SourceState};
use minds_process::SystemError;
use minds_sources::discovery::Options;
use minds_sources::{Identity, ItemKey, MANIFEST_FILE};
use minds_vfs::{ContentHash, Expected, FileMode, MountId};

use crate::files::{self, Files, ReadSource, format_roots, require_git};
use crate::home::{MAX_STATE, path, std_path};
use crate::listing::LoadedSources;
use crate::{SourceError, SourceErrorKind};

/// The arguments of [`dump`].
#[derive(Clone, Debug, Default)]
pub struct DumpRequest {
    /// The folder to which `mind.toml` and `mind.lock` are written; `None` to only return them.
    pub output: Option<PathBuf>,
    /// Whether to dump everything that a source offers, installed or not.
    pub is_whole: bool,
    /// Whether files in the folder that are not a dump are replaced.
    pub is_forced: bool,
}

/// Returns the registered sources as text, and writes the files to a folder if one is given.
///
/// # Errors
///
/// Fails if a file that is not a dump would be replaced, or the data directory cannot be read. Nothing is
/// written then.
pub fn dump(directory: &Path, request: &DumpRequest) -> Result<(Dump, Vec<SourceError>), SourceError> {
    let loaded = LoadedSources::open(directory)?;
    let mut git = None;
    let mut states: BTreeMap<Identity, SourceState> = BTreeMap::new();
    let mut registry = loaded.home.registry.clone();
    for source in &mut registry.sources {
        let Ok(read) = files::read(&loaded.home, &mut git, source) else { continue };
        source.commit.clone_from(&read.registered.commit);
        let has_manifest = read.discovered.manifest.is_some();
        let is_dirty = is_dirty(&loaded, &mut git, source, &read);
        states.insert(source.identity.clone(), SourceState { has_manifest, is_dirty });
        if source.tree.is_none() {
            source.tree = tree_id(&loaded, &mut git, source);
        }
    }
    let context = minds_inventory::plan::InventoryContext { registry: &registry, ..loaded.context() };
    let dump = minds_inventory::dump(&context, &states, request.is_whole);
    if let Some(output) = &request.output {
        let folder = directory.join(output);
        write(&folder, &dump, request.is_forced)?;
    }
    Ok((dump, loaded.failures))
}

/// Returns the repository of a source: its clone, or its folder.
fn objects(loaded: &LoadedSources, source: &RegisteredSource) -> Option<PathBuf> {
    if source.is_linked() {
        return Some(Path::new(source.url()).join(".git"));
    }
    files::clone_of(&source.identity).ok().map(|clone| std_path(&loaded.home.place.join(&clone)))
}

fn tree_id(loaded: &LoadedSources, git: &mut Option<Git>, source: &RegisteredSource) -> Option<String> {
    let commit = ObjectId::parse(source.commit.as_deref()?).ok()?;
    let objects = objects(loaded, source)?;
    let tree = require_git(git, false).ok()?.tree_id(&objects, &commit).ok()?;
    Some(tree.as_str().to_owned())
}

/// Returns whether the items in a folder differ from those of its commit.
fn is_dirty(
    loaded: &LoadedSources,
    git: &mut Option<Git>,
    source: &RegisteredSource,
    read: &ReadSource,
) -> bool {
    let Some(commit) = source.commit.as_deref().filter(|_| source.is_linked()) else { return false };
    let mut committed = || -> Option<BTreeMap<ItemKey, Option<ContentHash>>> {
        let commit = ObjectId::parse(commit).ok()?;
        let objects = objects(loaded, source)?;
        let tree = require_git(git, false).ok()?.tree(&objects, &commit, MountId::WORKSPACE).ok()?;
        let files = Files::of_tree(tree);
        let options = Options { roots: format_roots(source.roots.as_deref()), curator_roots: None };
        let discovered = files.discover(options).ok()?;
        hashes(&ReadSource { registered: source.clone(), discovered, files })
    };
    // If they cannot be compared, they may differ.
    match (committed(), hashes(read)) {
        (Some(committed), Some(live)) => committed != live,
        _ => true,
    }
}

fn hashes(read: &ReadSource) -> Option<BTreeMap<ItemKey, Option<ContentHash>>> {
    let items = read.items().ok()?;
    Some(items.items.into_iter().map(|offered| (offered.item.key(), offered.hash)).collect())
}

/// Writes both files, which must not replace anything but a dump, except with `is_forced`.
fn write(folder: &Path, dump: &Dump, is_forced: bool) -> Result<(), SourceError> {
    let root = open_or_make(folder)?;
    let files = root.no_follow();
    let mut old: Vec<Option<Vec<u8>>> = Vec::new();
    for name in [MANIFEST_FILE, LOCK_FILE] {
        old.push(match files.read(&path(name), MAX_STATE) {
            Ok(read) => Some(read.bytes),
            Err(error) if error.kind() == FileErrorKind::NotFound => None,
            Err(error) => return Err(error.into()),
        });
    }
    let is_dump = old
        .first()
        .and_then(Option::as_ref)
        .is_some_and(|bytes| String::from_utf8_lossy(bytes).contains(DUMP_DESCRIPTION));
    if old.iter().any(Option::is_some) && !is_dump && !is_forced {
        let message = format!(
            "`{}` has a `{MANIFEST_FILE}` or `{LOCK_FILE}` that is not an export; use `--force` to replace it",
            folder.display()
        );
        return Err(SourceError::new(
            SourceErrorKind::Refused(minds_sources::RefusalKind::Occupied),
            message,
        ));
    }
    for ((name, text), old) in [(LOCK_FILE, dump.lock.write()), (MANIFEST_FILE, dump.manifest.clone())]
        .into_iter()
        .zip(old.into_iter().rev())
    {
        match old {
            Some(old) => {
                let expected = Expected::Content(ContentHash::of(&old));
                files.replace(&path(name), text.as_bytes(), FileMode::Regular, expected)?;
            }
            None => files.create(&path(name), text.as_bytes(), FileMode::Regular)?,
        }
    }
    Ok(())
}

/// Opens a folder, which is created if only the folder itself is missing.
fn open_or_make(folder: &Path) -> Result<Root, SourceError> {
    let missing = match Root::open(folder, MountId::WORKSPACE) {
        Ok(root) => return Ok(root.without_links()),
        Err(SystemError::NotFound { .. }) => folder,
        Err(error) => return Err(error.into()),
    };
    let (Some(parent), Some(name)) = (missing.parent(), missing.file_name().and_then(|name| name.to_str()))
    else {
        let message = format!("`{}` cannot be a folder", folder.display());
        return Err(SourceError::new(SourceErrorKind::System, message));
    };
    let parent = Root::open(parent, MountId::WORKSPACE)?.without_links();
    parent.no_follow().make_directory(&path(name))?;
    Ok(Root::open(folder, MountId::WORKSPACE)?.without_links())
}
