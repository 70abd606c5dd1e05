//! What was found in the place of a package.

use std::collections::BTreeMap;

use minds_diagnostics::{Label, SourceFile, Span};
use minds_document::{Snapshot, SnapshotEntry};
use minds_paths::portable::is_encapsulated;
use minds_paths::{Location, MountId, WorkspacePath};

use crate::package::{HISTORY, MAX_SECTION_BYTES};
use crate::role::Role;
use crate::{PackageName, Section};

/// The directory of the configuration, in which there are no packages.
const CONFIGURATION: &str = ".minds";

/// What stands in the place of a package, and what it holds.
#[derive(Debug)]
pub(crate) struct Layout<'s> {
    /// Its path in the workspace.
    pub(crate) path: &'s str,
    /// What stands there.
    pub(crate) what: &'s SnapshotEntry,
    /// What it holds, in the order of the paths; nothing of what lies in other packages or in [`HISTORY`].
    pub(crate) entries: Vec<Entry<'s>>,
}

/// Something in a package.
#[derive(Clone, Debug)]
pub(crate) struct Entry<'s> {
    /// Its path in the workspace.
    pub(crate) path: &'s str,
    /// Its path below the package.
    pub(crate) below: &'s str,
    /// What it is.
    pub(crate) what: &'s SnapshotEntry,
    /// What its path is the place of.
    pub(crate) role: Role,
}

impl<'s> Layout<'s> {
    /// Returns all packages of a snapshot in the order of their paths: whatever has a name that ends with `.tsk`, in any
    /// letter case, except in the configuration.
    pub(crate) fn all(snapshot: &'s Snapshot) -> Vec<Self> {
        let mut all: BTreeMap<&str, Self> = BTreeMap::new();
        for (location, what) in snapshot.iter().filter(|(location, _)| location.mount == MountId::WORKSPACE) {
            let path = location.path.as_str();
            let Some((package, below)) = split(path) else { continue };
            let layout = all.entry(package).or_insert_with(|| Self {
                path: package,
                // Of what is only given by what it holds.
                what: &SnapshotEntry::Directory,
                entries: Vec::new(),
            });
            if below.is_empty() {
                layout.what = what;
            } else if !is_hidden_from_checks(below) {
                layout.entries.push(Entry { path, below, what, role: Role::of(below) });
            }
        }
        let mut all: Vec<Self> = all.into_values().collect();
        for layout in &mut all {
            layout.entries.sort_by_key(|entry| entry.below);
        }
        all
    }

    /// Returns what stands at a path below the package.
    pub(crate) fn find(&self, below: &str) -> Option<&Entry<'s>> {
        self.entries
            .binary_search_by_key(&below, |entry| entry.below)
            .ok()
            .and_then(|at| self.entries.get(at))
    }

    /// Returns a label at the package itself.
    pub(crate) fn label(&self) -> Label {
        label(self.path)
    }

    /// Returns the name of the directory.
    pub(crate) fn name(&self) -> &'s str {
        last(self.path)
    }

    /// Returns whether it is a package: a directory with the name of one.
    pub(crate) fn is_package(&self) -> bool {
        self.is_directory() && PackageName::of_directory(self.name()).is_ok()
    }

    /// Returns whether a directory stands there, also one that could not be looked into.
    pub(crate) fn is_directory(&self) -> bool {
        is_directory(self.what)
    }

    /// Returns the text of a section; none if it has none that can be read.
    pub(crate) fn text(&self, section: &Section) -> Option<&'s str> {
        match self.find(&section.path())?.what {
            SnapshotEntry::File { bytes, .. } if bytes.len() as u64 <= MAX_SECTION_BYTES => bytes.text().ok(),
            _ => None,
        }
    }
}

impl<'s> Entry<'s> {
    /// Returns a label at it.
    pub(crate) fn label(&self) -> Label {
        label(self.path)
    }

    /// Returns its name.
    pub(crate) fn name(&self) -> &'s str {
        last(self.below)
    }

    /// Returns the path below the package of the directory that holds it; empty for the package.
    pub(crate) fn parent(&self) -> &'s str {
        self.below.rsplit_once('/').map_or("", |(parent, _)| parent)
    }

    /// Returns how many names its path below the package has.
    pub(crate) fn depth(&self) -> usize {
        self.below.split('/').count()
    }

    /// Returns whether it is a directory, also one that could not be looked into.
    pub(crate) fn is_directory(&self) -> bool {
        is_directory(self.what)
    }

    /// Returns whether a regular file stands there, whatever is known of its content.
    pub(crate) fn is_file(&self) -> bool {
        matches!(self.what, SnapshotEntry::File { .. } | SnapshotEntry::Unread)
    }

    /// Returns what is wrong with it as a regular file, in words that go on after "it is"; none if it is one, or that is not
    /// known.
    pub(crate) fn is_no_file(&self) -> Option<&'static str> {
        match self.what {
            SnapshotEntry::Directory => Some("a directory"),
            SnapshotEntry::Link { .. } => Some("a symbolic link"),
            SnapshotEntry::Special => Some("a pipe, a socket or a device"),
            SnapshotEntry::SeveralNames => Some("a file with several names (hard links)"),
            SnapshotEntry::File { .. }
            | SnapshotEntry::Unread
            | SnapshotEntry::TooLarge { .. }
            | SnapshotEntry::Outside { .. }
            | SnapshotEntry::Untrusted { .. }
            | SnapshotEntry::Unreadable { .. } => None,
        }
    }
}

/// Returns whether what is there is a directory. What cannot be looked at may be one, and nothing is concluded then.
fn is_directory(what: &SnapshotEntry) -> bool {
    matches!(
        what,
        SnapshotEntry::Directory | SnapshotEntry::TooLarge { .. } | SnapshotEntry::Unreadable { .. }
    )
}

/// Returns a label at something that has no text, or whose text does not matter.
pub(crate) fn label(path: &str) -> Label {
    SourceFile::new(path, "").label(Span::at(0))
}

/// Returns the place with a path of the workspace.
pub(crate) fn location(path: &str) -> Option<Location> {
    Some(Location::new(MountId::WORKSPACE, WorkspacePath::parse(path).ok()?))
}

/// Splits a path behind the first name of a package.
fn split(path: &str) -> Option<(&str, &str)> {
    let mut end = 0;
    for (number, segment) in path.split('/').enumerate() {
        end += segment.len();
        if number == 0 && segment.eq_ignore_ascii_case(CONFIGURATION) {
            return None;
        }
        if is_encapsulated(segment) {
            let (package, below) = path.split_at_checked(end)?;
            return Some((package, below.strip_prefix('/').unwrap_or(below)));
        }
        end += 1;
    }
    None
}

/// Returns whether a path below a package lies where no rule of the layout holds: in what is kept for undoing changes, or
/// in another package, which is found itself.
fn is_hidden_from_checks(below: &str) -> bool {
    let Some((parent, _)) = below.rsplit_once('/') else { return false };
    parent.split('/').next() == Some(HISTORY) || parent.split('/').any(is_encapsulated)
}

fn last(path: &str) -> &str {
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
            assert_eq!(split(path), expected, "{path}");
        }
    }

    #[test]
    fn what_lies_in_the_history_and_in_inner_packages_is_not_looked_at() {
        let path = |path: &str| WorkspacePath::parse(path).unwrap();
        let snapshot = Snapshot::new()
            .with_file(path("x.tsk/.history/goals.md"), "")
            .with_file(path("x.tsk/a/y.tsk/goals.md"), "")
            .with_file(path("x.tsk/a-b/c.md"), "")
            .with_file(path("x.tsk/a/c.md"), "");
        let all = Layout::all(&snapshot);
        let below: Vec<&str> = all[0].entries.iter().map(|entry| entry.below).collect();
        assert_eq!((all.len(), below), (1, vec!["a-b/c.md", "a/c.md"]));
        assert!(all[0].find("a/c.md").is_some() && all[0].find("a/d.md").is_none());
    }
}
