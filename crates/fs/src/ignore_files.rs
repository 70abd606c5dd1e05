//! Ignore files.

use std::rc::Rc;

use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};
use minds_vfs::WorkspacePath;

use crate::{Kind, Listing, Root};

/// The maximum size of an ignore file, and of all ignore files, because each line is compiled to an
/// automaton.
const MAX_BYTES: u64 = 64 * 1024;
const MAX_TOTAL_BYTES: u64 = 4 << 20;

/// The kinds of ignore files of a directory; later kinds take precedence.
const FILES: [&str; 3] = [".git/info/exclude", ".gitignore", ".ignore"];

/// Reads the ignore files of directories that a caller walks.
#[derive(Debug)]
pub struct IgnoreFiles<'r> {
    root: &'r Root,
    bytes_left: u64,
}

/// The ignore files of a directory and its parents.
#[derive(Debug)]
pub struct IgnoreLevel {
    directory: WorkspacePath,
    /// One for each of [`FILES`].
    files: [Option<Gitignore>; FILES.len()],
    above: Option<Rc<IgnoreLevel>>,
}

impl<'r> IgnoreFiles<'r> {
    /// Returns a reader that has not read any files yet.
    pub fn new(root: &'r Root) -> Self {
        Self { root, bytes_left: MAX_TOTAL_BYTES }
    }

    /// Returns the ignore files for the entries of a directory, given those of its parent.
    pub fn enter(
        &mut self,
        directory: &WorkspacePath,
        listing: &Listing,
        above: Option<Rc<IgnoreLevel>>,
    ) -> Option<Rc<IgnoreLevel>> {
        // The exclude file of git is at the top of the repository, which is the workspace or unknown.
        let has = |file: &str| match file.split_once('/') {
            Some((first, _)) => {
                directory.is_root()
                    && listing
                        .entries
                        .iter()
                        .any(|entry| entry.kind == Kind::Directory && entry.real.as_str() == first)
            }
            None => listing
                .entries
                .iter()
                .any(|entry| entry.kind == Kind::File && entry.real.file_name() == Some(file)),
        };
        let files = FILES.map(|file| if has(file) { self.read(directory, file) } else { None });
        if files.iter().all(Option::is_none) {
            return above;
        }
        Some(Rc::new(IgnoreLevel { directory: directory.clone(), files, above }))
    }

    /// Reads an ignore file. A file that is too large or unreadable is skipped, and so are invalid lines.
    fn read(&mut self, directory: &WorkspacePath, file: &str) -> Option<Gitignore> {
        let path = directory.join(file).ok()?;
        let bytes = self.root.no_follow().read(&path, MAX_BYTES.min(self.bytes_left)).ok()?.bytes;
        self.bytes_left = self.bytes_left.saturating_sub(bytes.len() as u64);
        let text = String::from_utf8(bytes).ok()?;
        let mut builder = GitignoreBuilder::new(".");
        for line in text.trim_start_matches('\u{feff}').lines() {
            let _ = builder.add_line(None, line);
        }
        builder.build().ok()
    }
}

impl IgnoreLevel {
    /// Returns whether an entry of this directory or a subdirectory is ignored. Of two files of one kind, the
    /// nearer one takes precedence.
    pub fn ignores(&self, path: &WorkspacePath, is_directory: bool) -> bool {
        for kind in (0..FILES.len()).rev() {
            let mut level = Some(self);
            while let Some(here) = level {
                match here.match_file(kind, path, is_directory) {
                    Match::None => level = here.above.as_deref(),
                    Match::Ignore(()) => return true,
                    Match::Whitelist(()) => return false,
                }
            }
        }
        false
    }

    fn match_file(&self, kind: usize, path: &WorkspacePath, is_directory: bool) -> Match<()> {
        let Some(Some(file)) = self.files.get(kind) else { return Match::None };
        let below = path.as_str().strip_prefix(self.directory.as_str()).unwrap_or(path.as_str());
        file.matched(below.trim_start_matches('/'), is_directory).map(|_| ())
    }
}
