//! The contents of task packages in a snapshot.

use std::collections::BTreeMap;

use minds_diagnostics::{Label, SourceFile, Span};
use minds_vfs::portable::is_encapsulated;
use minds_vfs::{Location, MountId, Snapshot, SnapshotEntry, WorkspacePath};

use crate::package::{HISTORY, MAX_SECTION_BYTES};
use crate::role::Role;
use crate::{PackageName, Section};

/// The configuration directory, which does not contain packages.
const CONFIGURATION: &str = ".minds";

/// The entry at the path of a package, and its contents.
#[derive(Debug)]
pub(crate) struct Layout<'s> {
    /// Its path in the workspace.
    pub(crate) path: &'s str,
    /// The entry at that path.
    pub(crate) state: &'s SnapshotEntry,
    /// The entries of the package sorted by path, without those of inner packages and of [`HISTORY`].
    pub(crate) entries: Vec<Entry<'s>>,
}

/// An entry of a package.
#[derive(Clone, Debug)]
pub(crate) struct Entry<'s> {
    /// Its path in the workspace.
    pub(crate) path: &'s str,
    /// Its path below the package.
    pub(crate) relative_path: &'s str,
    /// Its state in the snapshot.
    pub(crate) state: &'s SnapshotEntry,
    /// The role of its path.
    pub(crate) role: Role,
}

impl<'s> Layout<'s> {
    /// Returns all packages of a snapshot sorted by path: all entries whose name ends with `.tsk`, ignoring
    /// case, outside of the configuration directory.
    pub(crate) fn all(snapshot: &'s Snapshot) -> Vec<Self> {
        let mut all: BTreeMap<&str, Self> = BTreeMap::new();
        for (location, state) in snapshot.iter().filter(|(location, _)| location.mount == MountId::WORKSPACE)
        {
            let path = location.path.as_str();
            let Some((package, relative_path)) = split_package(path) else { continue };
            let layout = all.entry(package).or_insert_with(|| Self {
                path: package,
                // A package that is present only through its contents is a directory.
                state: &SnapshotEntry::Directory,
                entries: Vec::new(),
            });
            if relative_path.is_empty() {
                layout.state = state;
            } else if !is_excluded_from_checks(relative_path) {
                layout.entries.push(Entry { path, relative_path, state, role: Role::of(relative_path) });
            }
        }
        let mut all: Vec<Self> = all.into_values().collect();
        for layout in &mut all {
            layout.entries.sort_by_key(|entry| entry.relative_path);
        }
        all
    }

    /// Returns the entry at a path below the package.
    pub(crate) fn find(&self, relative_path: &str) -> Option<&Entry<'s>> {
        self.entries
            .binary_search_by_key(&relative_path, |entry| entry.relative_path)
            .ok()
            .and_then(|at| self.entries.get(at))
    }

    /// Returns a label at the package itself.
    pub(crate) fn label(&self) -> Label {
        label(self.path)
    }

    /// Returns the name of the directory.
    pub(crate) fn name(&self) -> &'s str {
        file_name(self.path)
    }

    /// Returns whether it is a package: a directory with a valid package name.
    pub(crate) fn is_package(&self) -> bool {
        self.is_directory() && PackageName::of_directory(self.name()).is_ok()
    }

    /// Returns whether it is a directory, including one that is not accessible.
    pub(crate) fn is_directory(&self) -> bool {
        is_directory(self.state)
    }

    /// Returns the text of a section; none if it does not exist or cannot be read.
    pub(crate) fn text(&self, section: &Section) -> Option<&'s str> {
        match self.find(&section.path())?.state {
            SnapshotEntry::File { bytes, .. } if bytes.len() as u64 <= MAX_SECTION_BYTES => bytes.text().ok(),
            _ => None,
        }
    }
}

impl<'s> Entry<'s> {
    /// Returns a label at the entry.
    pub(crate) fn label(&self) -> Label {
        label(self.path)
    }

    /// Returns the last segment of its path.
    pub(crate) fn name(&self) -> &'s str {
        file_name(self.relative_path)
    }

    /// Returns the path of its parent directory below the package; empty for the package.
    pub(crate) fn parent(&self) -> &'s str {
        self.relative_path.rsplit_once('/').map_or("", |(parent, _)| parent)
    }

    /// Returns the number of segments of its path below the package.
    pub(crate) fn depth(&self) -> usize {
        self.relative_path.split('/').count()
    }

    /// Returns whether it is a directory, including one that is not accessible.
    pub(crate) fn is_directory(&self) -> bool {
        is_directory(self.state)
    }

    /// Returns whether it is a regular file, regardless of its content.
    pub(crate) fn is_file(&self) -> bool {
        matches!(self.state, SnapshotEntry::File { .. } | SnapshotEntry::Unread)
    }

    /// Returns what the entry is if it is not a regular file, as the continuation of "it is"; none if it is a
    /// regular file or unknown.
    pub(crate) fn describe_non_file(&self) -> Option<&'static str> {
        match self.state {
            SnapshotEntry::Directory => Some("a directory"),
            SnapshotEntry::Link { .. } => Some("a symbolic link"),
            SnapshotEntry::Special => Some("a pipe, a socket or a device"),
            SnapshotEntry::HardLinked => Some("a file with several hard links"),
            SnapshotEntry::File { .. }
            | SnapshotEntry::Unread
            | SnapshotEntry::TooLarge { .. }
            | SnapshotEntry::Outside { .. }
            | SnapshotEntry::Untrusted { .. }
            | SnapshotEntry::Unreadable { .. } => None,
        }
    }
}

/// Returns whether an entry is a directory. An inaccessible entry may be one, so it counts as a directory.
fn is_directory(state: &SnapshotEntry) -> bool {
    matches!(
        state,
        SnapshotEntry::Directory | SnapshotEntry::TooLarge { .. } | SnapshotEntry::Unreadable { .. }
    )
}

/// Returns a label at an entry without a position.
pub(crate) fn label(path: &str) -> Label {
    SourceFile::new(path, "").label(Span::at(0))
}

/// Returns the location of a workspace path.
pub(crate) fn location(path: &str) -> Option<Location> {
    Some(Location::new(MountId::WORKSPACE, WorkspacePath::parse(path).ok()?))
}

/// Splits a path after its first package name.
fn split_package(path: &str) -> Option<(&str, &str)> {
    let mut end = 0;
    for (number, segment) in path.split('/').enumerate() {
        end += segment.len();
        if number == 0 && segment.eq_ignore_ascii_case(CONFIGURATION) {
            return None;
        }
        if is_encapsulated(segment) {
            let (package, relative_path) = path.split_at_checked(end)?;
            return Some((package, relative_path.strip_prefix('/').unwrap_or(relative_path)));
        }
        end += 1;
    }
    None
}

/// Returns whether the layout rules do not apply to a path below a package: in the stored history, or in an
/// inner package, which is reported itself.
fn is_excluded_from_checks(relative_path: &str) -> bool {
    let Some((parent, _)) = relative_path.rsplit_once('/') else { return false };
    parent.split('/').next() == Some(HISTORY) || parent.split('/').any(is_encapsulated)
}

fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_belongs_to_the_outermost_package() {
        for (path, expected) in [
            ("tasks/x.tsk", Some(("tasks/x.tsk", ""))),
            ("x.tsk/ux/a.md", Some(("x.tsk", "ux/a.md"))),
            ("a/b/X.TSK/c.tsk/d", Some(("a/b/X.TSK", "c.tsk/d"))),
            (".tsk", Some((".tsk", ""))),
            ("tasks/plan.md", None),
            (".minds/x.tsk/a", None),
            (".Minds/x.tsk", None),
            ("a/.minds/x.tsk", Some(("a/.minds/x.tsk", ""))),
            ("x.tskk", None),
        ] {
            assert_eq!(split_package(path), expected, "{path}");
        }
    }

    #[test]
    fn the_history_and_inner_packages_are_excluded() {
        let path = |path: &str| WorkspacePath::parse(path).unwrap();
        let snapshot = Snapshot::new()
            .with_file(path("x.tsk/.history/goals.md"), "")
            .with_file(path("x.tsk/a/y.tsk/goals.md"), "")
            .with_file(path("x.tsk/a-b/c.md"), "")
            .with_file(path("x.tsk/a/c.md"), "");
        let all = Layout::all(&snapshot);
        let paths: Vec<&str> = all[0].entries.iter().map(|entry| entry.relative_path).collect();
        assert_eq!((all.len(), paths), (1, vec!["a-b/c.md", "a/c.md"]));
        assert!(all[0].find("a/c.md").is_some() && all[0].find("a/d.md").is_none());
    }
}
