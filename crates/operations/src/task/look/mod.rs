//! What a check reads of task packages.

mod everywhere;
mod ignored;
mod reading;

use minds_core::{SETTINGS_FILE, TeamFamily};
use minds_diagnostics::Problems;
use minds_document::{FileMode, Snapshot, SnapshotEntry};
use minds_paths::portable::is_encapsulated;
use minds_paths::{Location, MountId, WorkspacePath};
use minds_system::{Entry, FileErrorKind, Kind, Root};
use minds_taskdoc::{MAX_SINGLE_FILE_BYTES, Section};

use self::reading::Reading;

/// The most entries of a directory that are looked through for packages.
const MAX_SIBLINGS: usize = 100_000;

/// Which packages are read besides those in the task home and at the top of the workspace.
#[derive(Clone, Debug, Default)]
pub(crate) struct Reach {
    /// Whether it is those anywhere in the workspace that no ignore file leaves out.
    pub(crate) everywhere: bool,
    /// Those at these paths.
    pub(crate) named: Vec<String>,
}

/// Adds the packages of a workspace to what was read of it.
pub(crate) fn look(root: &Root, reach: &Reach, snapshot: &mut Snapshot) {
    let home = home(snapshot);
    let mut reading = Reading::new(root, snapshot);
    // What is named comes before what there is besides.
    for path in reach.named.iter().filter_map(|path| WorkspacePath::parse(path).ok()) {
        match root.scoped().metadata(&path) {
            Ok(found) => reading.what(&path, found.kind),
            Err(error) if error.kind() == FileErrorKind::NotFound => {}
            Err(error) => {
                reading.insert(&path, SnapshotEntry::Unreadable { reason: error.kind().to_string() });
            }
        }
    }
    if let Some(home) = home.filter(|home| !home.is_root()) {
        look_into_home(root, &home, &mut reading);
    }
    let top = WorkspacePath::root();
    match root.scoped().list(&top, MAX_SIBLINGS) {
        Ok(listing) => listing.entries.iter().for_each(|entry| read_package(entry, &mut reading)),
        Err(error) if error.kind() == FileErrorKind::TooLarge => {
            reading.insert(&top, SnapshotEntry::TooLarge { limit: MAX_SIBLINGS as u64 });
        }
        // Whoever opened the workspace says why nothing can be seen in it.
        Err(_) => {}
    }
    if reach.everywhere {
        everywhere::read(root, &mut reading);
    }
}

/// Returns whether a check reads what stands at a path as that of a task package.
pub(crate) fn is_section(path: &WorkspacePath) -> bool {
    let below = package_of(path.as_str()).and_then(|package| {
        path.as_str().strip_prefix(package.as_str())?.strip_prefix('/').map(Section::of_path)
    });
    below.flatten().is_some()
}

/// Returns the path of the package at or in which a path lies.
pub(crate) fn package_of(path: &str) -> Option<WorkspacePath> {
    let mut package = WorkspacePath::root();
    for segment in path.split('/') {
        package = package.join(segment).ok()?;
        if is_encapsulated(segment) {
            return Some(package);
        }
    }
    None
}

/// Returns where task packages lie, as far as the settings in `snapshot` can be read.
fn home(snapshot: &Snapshot) -> Option<WorkspacePath> {
    let settings = Location::new(MountId::WORKSPACE, WorkspacePath::parse(SETTINGS_FILE).ok()?);
    let mut alone = Snapshot::new();
    if let Some(entry) = snapshot.get(&settings) {
        alone.insert(settings, entry.clone());
    }
    TeamFamily::load(&alone).take(&mut Problems::new()).task_home()
}

/// Reads the packages in the task home, and files in which there may be a task.
fn look_into_home(root: &Root, home: &WorkspacePath, reading: &mut Reading<'_>) {
    let listing = match root.scoped().list(home, MAX_SIBLINGS) {
        Ok(listing) => listing,
        Err(error) => {
            let entry = match error.kind() {
                FileErrorKind::NotFound => return,
                FileErrorKind::TooLarge => SnapshotEntry::TooLarge { limit: MAX_SIBLINGS as u64 },
                kind @ FileErrorKind::NotDirectory => {
                    match root.scoped().metadata(home).map(|found| found.kind) {
                        Ok(Kind::File) => SnapshotEntry::Unread,
                        Ok(Kind::Special) => SnapshotEntry::Special,
                        _ => SnapshotEntry::Unreadable { reason: kind.to_string() },
                    }
                }
                FileErrorKind::Link => reading.link(home),
                kind => SnapshotEntry::Unreadable { reason: kind.to_string() },
            };
            reading.insert(home, entry);
            return;
        }
    };
    for entry in &listing.entries {
        read_package(entry, reading);
        let name = entry.real.file_name().unwrap_or_default();
        let is_markdown =
            name.len() > 3 && name.get(name.len() - 3..).is_some_and(|end| end.eq_ignore_ascii_case(".md"));
        if entry.kind == Kind::File && is_markdown {
            // One that cannot be read is no task that anybody could take over.
            if let Ok(file) = root.scoped().read(&entry.real, MAX_SINGLE_FILE_BYTES) {
                let entry_read = SnapshotEntry::File { bytes: file.bytes.into(), mode: FileMode::Regular };
                reading.insert(&entry.real, entry_read);
            }
        }
    }
}

/// Reads what has the name of a package.
fn read_package(entry: &Entry, reading: &mut Reading<'_>) {
    if entry.real.file_name().is_some_and(is_encapsulated) {
        reading.what(&entry.real, entry.kind);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_tells_its_package() {
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
