//! The files of a commit.

use std::path::{Path, PathBuf};

use minds_vfs::{MountId, WorkspacePath};

use crate::error::GitError;
use crate::listing::{EntryKind, TreeEntry, parse};
use crate::object_id::ObjectId;
use crate::program::{Git, LOCAL_TIME, read_output};

/// The maximum number of files of a commit. A commit with more files is refused.
pub const MAX_ENTRIES: usize = 100_000;
/// The maximum size of the list of files in bytes.
const MAX_LISTING: usize = 64 << 20;
/// The maximum number of symbolic links followed while resolving a path.
const MAX_LINKS: usize = 40;

/// All entries of a commit; contents are read on demand.
#[derive(Debug)]
pub struct Tree {
    pub(crate) git: Git,
    pub(crate) repository: PathBuf,
    pub(crate) mount: MountId,
    pub(crate) entries: Vec<TreeEntry>,
    commit: ObjectId,
}

/// Why a path cannot be resolved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stop {
    Absent,
    Outside,
    TooManyLinks,
    NotDirectory,
}

impl Git {
    /// Lists the entries of a commit in the bare repository at an absolute path, as the mount `mount`.
    ///
    /// # Errors
    ///
    /// Fails if the commit does not exist, or has more than [`MAX_ENTRIES`] files.
    pub fn tree(&self, repository: &Path, commit: &ObjectId, mount: MountId) -> Result<Tree, GitError> {
        let mut command = self.command_in(repository, None);
        command.args(["ls-tree", "-r", "-z", "-l", "--full-tree", "--end-of-options", commit.as_str()]);
        let listing = read_output(command, &[], MAX_LISTING, LOCAL_TIME)?;
        let (mut entries, links) = parse(&listing, MAX_ENTRIES)?;
        let wanted = links.iter().map(|link| (link.id.clone(), link.size)).collect();
        let targets = self.blobs(repository, &wanted)?;
        for link in links {
            if let (Some(entry), Some(target)) = (entries.get_mut(link.at), targets.get(&link.id)) {
                entry.kind = EntryKind::Link { target: String::from_utf8_lossy(target).into_owned() };
            }
        }
        let (repository, commit) = (repository.to_owned(), commit.clone());
        Ok(Tree { git: self.clone(), repository, mount, entries, commit })
    }
}

impl Tree {
    /// Returns the commit.
    pub fn commit(&self) -> &ObjectId {
        &self.commit
    }

    /// Returns the number of files, links and submodules.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Returns whether the commit has no entries.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Returns the entry at a path, without following symbolic links.
    pub(crate) fn find(&self, path: &WorkspacePath) -> Option<&EntryKind> {
        let at = self.entries.binary_search_by(|entry| entry.path.cmp(path)).ok()?;
        self.entries.get(at).map(|entry| &entry.kind)
    }

    /// Returns the entries below a directory, sorted by path.
    pub(crate) fn entries_below(&self, directory: &WorkspacePath) -> &[TreeEntry] {
        if directory.is_root() {
            return &self.entries;
        }
        let first = format!("{directory}/");
        let start = self.entries.partition_point(|entry| entry.path.as_str() < first.as_str());
        let rest = self.entries.get(start..).unwrap_or_default();
        let count = rest.partition_point(|entry| entry.path.as_str().starts_with(&first));
        rest.get(..count).unwrap_or_default()
    }

    pub(crate) fn is_directory(&self, path: &WorkspacePath) -> bool {
        path.is_root() || !self.entries_below(path).is_empty()
    }

    /// Follows the symbolic links in a path, and with `follow_last` also a link at its end.
    pub(crate) fn resolve(&self, path: &WorkspacePath, follow_last: bool) -> Result<WorkspacePath, Stop> {
        let mut real = WorkspacePath::root();
        let mut ahead: Vec<String> = path.segments().rev().map(str::to_owned).collect();
        let mut links = 0;
        while let Some(segment) = ahead.pop() {
            match segment.as_str() {
                "" | "." => continue,
                ".." => {
                    real = real.parent().ok_or(Stop::Outside)?;
                    continue;
                }
                _ => {}
            }
            let next = real.join(&segment).map_err(|_| Stop::Absent)?;
            match self.find(&next) {
                Some(EntryKind::Link { target }) if follow_last || !ahead.is_empty() => {
                    links += 1;
                    if links > MAX_LINKS {
                        return Err(Stop::TooManyLinks);
                    }
                    if target.starts_with('/') {
                        return Err(Stop::Outside);
                    }
                    ahead.extend(target.split('/').rev().map(str::to_owned));
                }
                Some(_) if !ahead.is_empty() => return Err(Stop::NotDirectory),
                Some(_) => real = next,
                None if self.is_directory(&next) => real = next,
                None => return Err(Stop::Absent),
            }
        }
        Ok(real)
    }
}
