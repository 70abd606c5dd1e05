//! Finding and reading the files of clients in a workspace.

use std::path::Path;

use minds_clients::{
    ClientsFamily, MARKERS, MAX_FILE_BYTES, NamedFile, is_candidate, is_read_if_ignored, may_contain,
    search_limit, select,
};
use minds_diagnostics::Problems;
use minds_fs::{Kind, Root, UpwardSearch, find_upwards};
use minds_process::SystemError;
use minds_vfs::{Location, MountId, Snapshot, SnapshotEntry, Survey, WorkspacePath};

/// The maximum number of entries of all directories.
const MAX_ENTRIES: usize = 200_000;
/// The maximum total size of the files: 64 MiB, and one batch of small files more.
const MAX_BYTES: usize = 64 << 20;
const FILES_PER_BATCH: usize = 256;

/// Finds the directory to which the files of clients belong: the top of the repository. Outside of a repository, it is the
/// given directory or `base` if such files are at its top: a search upwards would find the files of the user in the home.
pub(crate) fn find_directory(base: &Path, path: &Path) -> Result<UpwardSearch, SystemError> {
    let found = find_upwards(base, path, &[".git"])?;
    if found.root.is_some() {
        return Ok(found);
    }
    let mut found = find_upwards(base, path, MARKERS)?;
    let base = find_upwards(base, Path::new("."), &[])?.start;
    found.root = found.root.filter(|root| *root == found.start || *root == base);
    Ok(found)
}

/// Adds the files of clients that are not ignored to the snapshot of a workspace, and the entries of files that they
/// import. Returns whether there are any.
pub(crate) fn add(root: &Root, snapshot: &mut Snapshot) -> bool {
    let mut found = Vec::new();
    let mut is_whole = search(root, &mut found);
    let mut chosen: Vec<WorkspacePath> = select(&found).into_iter().map(|(path, ..)| path.clone()).collect();
    if chosen.is_empty() {
        return false;
    }
    chosen.retain(|path| snapshot.get(&at(path.clone())).is_none());
    let mut bytes_left = MAX_BYTES;
    for batch in chosen.chunks(FILES_PER_BATCH) {
        if bytes_left == 0 {
            is_whole = false;
            break;
        }
        bytes_left = bytes_left.saturating_sub(read(root, batch, snapshot));
    }
    if !is_whole {
        // What was not found may exist, which a finding says.
        snapshot.insert(search_limit(), SnapshotEntry::TooLarge { limit: MAX_ENTRIES as u64 });
    }
    add_imported(root, snapshot);
    true
}

/// Adds files to the snapshot that have an effect even if they are ignored. Links are entries without content.
pub(crate) fn add_if_ignored(root: &Root, snapshot: &mut Snapshot, paths: &[WorkspacePath]) {
    let missing: Vec<WorkspacePath> =
        paths.iter().filter(|path| snapshot.get(&at((*path).clone())).is_none()).cloned().collect();
    read(root, &missing, snapshot);
}

/// Reads a file that a file of a client names.
pub(crate) fn read_named(root: &Root, path: &WorkspacePath) -> NamedFile {
    let mut snapshot = Snapshot::new();
    read(root, std::slice::from_ref(path), &mut snapshot);
    let place = at(path.clone());
    if snapshot.get(&place).is_none() {
        return NamedFile::Missing;
    }
    snapshot.source(&place, &mut Problems::new()).map_or(NamedFile::Unreadable, NamedFile::Text)
}

/// Reads some files, and returns the number of their bytes.
fn read(root: &Root, files: &[WorkspacePath], snapshot: &mut Snapshot) -> usize {
    let survey = Survey { files: files.to_vec(), max_bytes: MAX_FILE_BYTES + 1, ..Survey::default() };
    let mut total = 0;
    for (path, entry) in root.survey(&survey).entries {
        let entry = match entry {
            SnapshotEntry::File { bytes, .. } if bytes.len() as u64 > MAX_FILE_BYTES => {
                SnapshotEntry::TooLarge { limit: MAX_FILE_BYTES }
            }
            entry => entry,
        };
        if let SnapshotEntry::File { bytes, .. } = &entry {
            total += bytes.len();
        }
        snapshot.insert(at(path), entry);
    }
    total
}

/// Adds the entries of imported files, so that the check knows which ones exist.
fn add_imported(root: &Root, snapshot: &mut Snapshot) {
    let paths: Vec<WorkspacePath> = ClientsFamily::imported_paths(snapshot)
        .into_iter()
        .filter(|path| snapshot.get(&at(path.clone())).is_none())
        .collect();
    let entries = root.entries_at(&paths);
    for (path, entry) in paths.into_iter().zip(entries) {
        if entry.is_some() {
            snapshot.insert(at(path), SnapshotEntry::Unread);
        }
    }
}

fn at(path: WorkspacePath) -> Location {
    Location::new(MountId::WORKSPACE, path)
}

/// Searches a workspace for files that may belong to clients, in a stable order. Symbolic links are not followed, and
/// unreadable directories are skipped. Returns false if there are too many entries to search all of them.
fn search(root: &Root, found: &mut Vec<WorkspacePath>) -> bool {
    let walked = root.walk_tree(MAX_ENTRIES, |visited| {
        let entry = visited.entry;
        let Some(name) = entry.real.file_name() else { return false };
        let is_wanted = match entry.kind {
            Kind::Directory => may_contain(name),
            Kind::File => is_candidate(name),
            Kind::Link | Kind::Special => false,
        };
        if !is_wanted || (visited.is_ignored() && !is_read_if_ignored(&entry.real)) {
            return false;
        }
        if entry.kind == Kind::File {
            found.push(entry.real.clone());
        }
        true
    });
    found.sort();
    walked.is_ok()
}
