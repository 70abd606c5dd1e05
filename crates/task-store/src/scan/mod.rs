//! Reading task packages for a check.

mod package_reader;
mod workspace_walk;

use minds_core::{SETTINGS_FILE, TeamFamily};
use minds_diagnostics::Problems;
use minds_fs::{Entry, FileErrorKind, Kind, Root};
use minds_taskdoc::{MAX_SINGLE_FILE_BYTES, Section};
use minds_vfs::portable::is_encapsulated;
use minds_vfs::{FileMode, Location, MountId, Snapshot, SnapshotEntry, WorkspacePath};

use self::package_reader::PackageReader;

/// The maximum number of entries of a directory that is searched for packages.
const MAX_SIBLINGS: usize = 100_000;

/// Which packages are read in addition to those in the task directory and at the top of the workspace.
#[derive(Clone, Debug, Default)]
pub struct ScanScope {
    /// Whether to read packages anywhere in the workspace, except ignored ones.
    pub everywhere: bool,
    /// The paths of further packages.
    pub named: Vec<String>,
}

/// Adds the packages of a workspace to its snapshot.
pub fn scan_packages(root: &Root, reach: &ScanScope, snapshot: &mut Snapshot) {
    let home = home(snapshot);
    let mut reader = PackageReader::new(root, snapshot);
    // Named packages are read first, because of the limits.
    for path in reach.named.iter().filter_map(|path| WorkspacePath::parse(path).ok()) {
        match root.no_follow().metadata(&path) {
            Ok(found) => reader.read_entry(&path, found.kind),
            Err(error) if error.kind() == FileErrorKind::NotFound => {}
            Err(error) => {
                reader.insert(&path, SnapshotEntry::Unreadable { reason: error.kind().to_string() });
            }
        }
    }
    if let Some(home) = home.filter(|home| !home.is_root()) {
        read_home(root, &home, &mut reader);
    }
    let top = WorkspacePath::root();
    match root.no_follow().list(&top, MAX_SIBLINGS) {
        Ok(listing) => listing.entries.iter().for_each(|entry| read_package(entry, &mut reader)),
        Err(error) if error.kind() == FileErrorKind::TooLarge => {
            reader.insert(&top, SnapshotEntry::TooLarge { limit: MAX_SIBLINGS as u64 });
        }
        // An unreadable workspace is reported by the caller.
        Err(_) => {}
    }
    if reach.everywhere {
        workspace_walk::read(root, &mut reader);
    }
}

/// Returns whether a path is a section of a task package.
pub fn is_section(path: &WorkspacePath) -> bool {
    let below = package_of(path.as_str()).and_then(|package| {
        path.as_str().strip_prefix(package.as_str())?.strip_prefix('/').map(Section::of_path)
    });
    below.flatten().is_some()
}

/// Returns the path of the package that is, or contains, a path.
pub fn package_of(path: &str) -> Option<WorkspacePath> {
    let mut package = WorkspacePath::root();
    for segment in path.split('/') {
        package = package.join(segment).ok()?;
        if is_encapsulated(segment) {
            return Some(package);
        }
    }
    None
}

/// Returns the task directory, if the settings in `snapshot` can be read.
fn home(snapshot: &Snapshot) -> Option<WorkspacePath> {
    let settings = Location::new(MountId::WORKSPACE, WorkspacePath::parse(SETTINGS_FILE).ok()?);
    let mut alone = Snapshot::new();
    if let Some(entry) = snapshot.get(&settings) {
        alone.insert(settings, entry.clone());
    }
    TeamFamily::load(&alone).take(&mut Problems::new()).task_home()
}

/// Reads the packages in the task directory, and Markdown files that may be tasks.
fn read_home(root: &Root, home: &WorkspacePath, reader: &mut PackageReader<'_>) {
    let listing = match root.no_follow().list(home, MAX_SIBLINGS) {
        Ok(listing) => listing,
        Err(error) => {
            let entry = match error.kind() {
                FileErrorKind::NotFound => return,
                FileErrorKind::TooLarge => SnapshotEntry::TooLarge { limit: MAX_SIBLINGS as u64 },
                kind @ FileErrorKind::NotDirectory => {
                    match root.no_follow().metadata(home).map(|found| found.kind) {
                        Ok(Kind::File) => SnapshotEntry::Unread,
                        Ok(Kind::Special) => SnapshotEntry::Special,
                        _ => SnapshotEntry::Unreadable { reason: kind.to_string() },
                    }
                }
                FileErrorKind::Link => reader.link(home),
                kind => SnapshotEntry::Unreadable { reason: kind.to_string() },
            };
            reader.insert(home, entry);
            return;
        }
    };
    for entry in &listing.entries {
        read_package(entry, reader);
        let name = entry.real.file_name().unwrap_or_default();
        let is_markdown =
            name.len() > 3 && name.get(name.len() - 3..).is_some_and(|end| end.eq_ignore_ascii_case(".md"));
        if entry.kind == Kind::File && is_markdown {
            // An unreadable file cannot be migrated.
            if let Ok(file) = root.no_follow().read(&entry.real, MAX_SINGLE_FILE_BYTES) {
                let entry_read = SnapshotEntry::File { bytes: file.bytes.into(), mode: FileMode::Regular };
                reader.insert(&entry.real, entry_read);
            }
        }
    }
}

/// Reads an entry whose name is that of a package.
fn read_package(entry: &Entry, reader: &mut PackageReader<'_>) {
    if entry.real.file_name().is_some_and(is_encapsulated) {
        reader.read_entry(&entry.real, entry.kind);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_package_of_a_path_is_found() {
        for (path, package, section) in [
            ("tasks/x.tsk", Some("tasks/x.tsk"), false),
            ("tasks/x.tsk/goals.md", Some("tasks/x.tsk"), true),
            ("a/X.TSK/b.tsk/ux/a.md", Some("a/X.TSK"), false),
            ("x.tsk/ux/a.md", Some("x.tsk"), true),
            ("x.tsk/ux/a.txt", Some("x.tsk"), false),
            ("tasks/plan.md", None, false),
            ("", None, false),
        ] {
            assert_eq!(package_of(path).as_ref().map(WorkspacePath::as_str), package, "{path}");
            let path =
                if path.is_empty() { WorkspacePath::root() } else { WorkspacePath::parse(path).unwrap() };
            assert_eq!(is_section(&path), section, "{path}");
        }
    }
}
