//! Walking a directory tree, with its ignore files.

mod ignore_files;

use std::rc::Rc;

use minds_vfs::{MAX_SEGMENTS, WorkspacePath};

use self::ignore_files::{IgnoreFiles, Level};
use crate::{Entry, FileErrorKind, Kind, Root};

/// The git directory, which is left out.
const GIT: &str = ".git";

/// A tree has more entries than a walk may examine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooManyEntries;

/// An entry of a tree that is walked.
pub struct Visited<'v> {
    /// The entry.
    pub entry: &'v Entry,
    level: Option<&'v Level>,
}

impl Visited<'_> {
    /// Returns whether `.gitignore`, `.ignore` or `.git/info/exclude` exclude the entry.
    pub fn is_ignored(&self) -> bool {
        let is_directory = self.entry.kind == Kind::Directory;
        self.level.is_some_and(|level| level.ignores(&self.entry.real, is_directory))
    }
}

impl Root {
    /// Calls `visit` for each entry of the tree, in a stable order: each directory before its entries. It returns whether to
    /// enter a directory.
    ///
    /// Entries `.git` are left out. Symbolic links are not followed, and unreadable directories are skipped. At most `most`
    /// entries are examined, and directories of up to 64 levels entered.
    ///
    /// # Errors
    ///
    /// Fails if the tree has more entries.
    pub fn walk_tree(
        &self,
        most: usize,
        mut visit: impl FnMut(&Visited<'_>) -> bool,
    ) -> Result<(), TooManyEntries> {
        let mut ignored = IgnoreFiles::new(self);
        let mut ahead = vec![(WorkspacePath::root(), None::<Rc<Level>>)];
        let mut left = most;
        while let Some((directory, above)) = ahead.pop() {
            let listing = match self.no_follow().list(&directory, left) {
                Ok(listing) => listing,
                Err(error) if error.kind() == FileErrorKind::TooLarge => return Err(TooManyEntries),
                Err(_) => continue,
            };
            left = left.saturating_sub(listing.entries.len() + listing.unnamed);
            let level = ignored.enter(&directory, &listing, above);
            let is_deep = directory.segments().count() >= MAX_SEGMENTS;
            let mut inner = Vec::new();
            for entry in listing.entries {
                if entry.real.file_name().is_none_or(|name| name == GIT) {
                    continue;
                }
                let is_entered = visit(&Visited { entry: &entry, level: level.as_deref() });
                if is_entered && entry.kind == Kind::Directory && !is_deep {
                    inner.push((entry.real, level.clone()));
                }
            }
            // The first entry goes on top of the stack.
            ahead.extend(inner.into_iter().rev());
        }
        Ok(())
    }
}
