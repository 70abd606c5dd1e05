//! Walking the files to search.
//!
//! The access to the requested and the real path is checked before a file is opened. Links are only followed at the start
//! of the search. Denied directories are skipped, but not those that are merely missing in an allow list, because their
//! contents may be allowed. Files ignored by git are searched; `.git` itself is not.

use std::fmt;

use minds_fs::{FileErrorKind, Kind, OpenFile, Root};
use minds_vfs::WorkspacePath;
use schemars::JsonSchema;
use serde::Serialize;

use crate::Glob;

/// The maximum number of entries in all directories.
pub const MAX_ENTRIES: usize = 200_000;
/// The maximum number of files that are read.
const MAX_FILES: usize = 20_000;
/// The maximum size of a file, in bytes.
const MAX_BYTES: u64 = 4 * 1024 * 1024;
/// The maximum total size of all files, in bytes.
const MAX_TOTAL_BYTES: u64 = 128 * 1024 * 1024;
/// The number of bytes at the start of a file in which a zero byte means that it is binary.
const BINARY_CHECK_BYTES: usize = 8 * 1024;

/// What may be read.
pub trait ReadAccess {
    /// Returns whether everything at or below a path is denied.
    fn is_closed(&self, path: &WorkspacePath) -> bool;

    /// Returns whether a file may be read.
    fn permits(&self, path: &WorkspacePath) -> bool;
}

/// The result of a search.
#[derive(Debug)]
pub struct SearchResult {
    /// The number of searched files.
    pub files: usize,
    /// The entries that were not searched.
    pub skipped: SkippedEntries,
    /// The exceeded limit, if the search ended early.
    pub ended_by: Option<Limit>,
}

/// The number of skipped entries, by reason; a reason without entries is left out.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub struct SkippedEntries {
    /// What the caller may not read.
    #[serde(skip_serializing_if = "is_zero")]
    denied: usize,
    /// Files that are not text.
    #[serde(skip_serializing_if = "is_zero")]
    binary: usize,
    /// Text in another encoding.
    #[serde(skip_serializing_if = "is_zero")]
    invalid_utf8: usize,
    /// Files over 4 MiB.
    #[serde(skip_serializing_if = "is_zero")]
    too_large: usize,
    /// Symbolic links.
    #[serde(skip_serializing_if = "is_zero")]
    links: usize,
    /// What the system cannot read.
    #[serde(skip_serializing_if = "is_zero")]
    unreadable: usize,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the signature that serde requires")]
fn is_zero(count: &usize) -> bool {
    *count == 0
}

impl SkippedEntries {
    /// Returns the numbers in one line, which is empty without skipped entries.
    pub fn summary(&self) -> String {
        let counts = [
            ("denied", self.denied),
            ("binary", self.binary),
            ("invalid utf8", self.invalid_utf8),
            ("too large", self.too_large),
            ("links", self.links),
            ("unreadable", self.unreadable),
        ];
        let found = counts.into_iter().filter(|(_, count)| *count > 0);
        found.map(|(name, count)| format!("{count} {name}")).collect::<Vec<_>>().join(", ")
    }
}

/// A limit that ends a search early.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Limit {
    /// The entries of all directories.
    Entries,
    /// The files that are read.
    Files,
    /// The size of all files.
    #[serde(rename = "bytes to read")]
    Bytes,
    /// The matches that the caller wants.
    Matches,
    /// The size of the answer of the caller.
    #[serde(rename = "bytes of the answer")]
    AnswerBytes,
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Entries => "entries",
            Self::Files => "files",
            Self::Bytes => "bytes to read",
            Self::Matches => "matches",
            Self::AnswerBytes => "bytes of the answer",
        })
    }
}

/// A search in a workspace.
pub struct Search<'s> {
    root: &'s Root,
    access: &'s dyn ReadAccess,
    glob: Option<&'s Glob>,
    /// The start, as requested and as real path.
    asked_top: WorkspacePath,
    real_top: WorkspacePath,
    entries: usize,
    bytes: u64,
    files: usize,
    skipped: SkippedEntries,
}

impl<'s> Search<'s> {
    /// Returns a search that starts at the path `asked`, whose path without links is `real`. Only files that `glob` selects
    /// are searched in directories.
    pub fn new(
        root: &'s Root,
        access: &'s dyn ReadAccess,
        glob: Option<&'s Glob>,
        asked: WorkspacePath,
        real: WorkspacePath,
    ) -> Self {
        Self {
            root,
            access,
            glob,
            asked_top: asked,
            real_top: real,
            entries: 0,
            bytes: 0,
            files: 0,
            skipped: SkippedEntries::default(),
        }
    }

    /// Calls `on_file` with all text files at or below the start, which is a directory, ordered by path.
    pub fn directory(
        mut self,
        mut on_file: impl FnMut(&WorkspacePath, &str) -> Result<(), Limit>,
    ) -> SearchResult {
        let ended = self.search_directory(self.real_top.clone(), &mut on_file);
        self.finish(ended)
    }

    /// Calls `on_file` with the start, which is a text file whose access was checked.
    pub fn file(
        mut self,
        file: OpenFile,
        mut on_file: impl FnMut(&WorkspacePath, &str) -> Result<(), Limit>,
    ) -> SearchResult {
        let ended = self.search_file(&self.asked_top.clone(), file, &mut on_file);
        self.finish(ended)
    }

    fn finish(self, ended: Result<(), Limit>) -> SearchResult {
        SearchResult { files: self.files, skipped: self.skipped, ended_by: ended.err() }
    }

    fn search_directory(
        &mut self,
        top: WorkspacePath,
        on_file: &mut impl FnMut(&WorkspacePath, &str) -> Result<(), Limit>,
    ) -> Result<(), Limit> {
        // A stack instead of recursion, because the depth is not limited.
        let mut pending = vec![(top, Kind::Directory)];
        while let Some((real, kind)) = pending.pop() {
            let Some(asked) = self.requested_path(&real) else { continue };
            match kind {
                Kind::Directory if self.enters(&real, &asked) => {
                    let left = MAX_ENTRIES - self.entries;
                    match self.root.no_follow().list(&real, left) {
                        Ok(listing) => {
                            self.entries += listing.entries.len();
                            pending.extend(
                                listing.entries.into_iter().rev().map(|entry| (entry.real, entry.kind)),
                            );
                        }
                        Err(error) if error.kind() == FileErrorKind::TooLarge => return Err(Limit::Entries),
                        Err(_) => self.skipped.unreadable += 1,
                    }
                }
                Kind::File if self.glob.is_none_or(|glob| glob.matches(&asked)) => {
                    if !self.access.permits(&asked) || !self.access.permits(&real) {
                        self.skipped.denied += 1;
                        continue;
                    }
                    match self.root.no_follow().open(&real) {
                        Ok(file) => self.search_file(&asked, file, on_file)?,
                        Err(_) => self.skipped.unreadable += 1,
                    }
                }
                Kind::Link => self.skipped.links += 1,
                Kind::Directory | Kind::File | Kind::Special => {}
            }
        }
        Ok(())
    }

    /// Returns the path by which the caller would request an entry.
    fn requested_path(&self, real: &WorkspacePath) -> Option<WorkspacePath> {
        let below = real.as_str().strip_prefix(self.real_top.as_str())?.trim_start_matches('/');
        if below.is_empty() { Some(self.asked_top.clone()) } else { self.asked_top.join(below).ok() }
    }

    fn enters(&mut self, real: &WorkspacePath, asked: &WorkspacePath) -> bool {
        if real.file_name() == Some(".git") && *real != self.real_top {
            return false;
        }
        let is_closed = self.access.is_closed(real) || self.access.is_closed(asked);
        self.skipped.denied += usize::from(is_closed);
        !is_closed
    }

    /// Searches a file whose access was checked.
    fn search_file(
        &mut self,
        asked: &WorkspacePath,
        file: OpenFile,
        on_file: &mut impl FnMut(&WorkspacePath, &str) -> Result<(), Limit>,
    ) -> Result<(), Limit> {
        if file.size() > MAX_BYTES {
            self.skipped.too_large += 1;
            return Ok(());
        }
        if self.files >= MAX_FILES {
            return Err(Limit::Files);
        }
        self.bytes += file.size();
        if self.bytes > MAX_TOTAL_BYTES {
            return Err(Limit::Bytes);
        }
        let Ok(read) = file.read(MAX_BYTES) else {
            self.skipped.unreadable += 1;
            return Ok(());
        };
        if read.bytes.iter().take(BINARY_CHECK_BYTES).any(|byte| *byte == 0) {
            self.skipped.binary += 1;
            return Ok(());
        }
        let Ok(text) = String::from_utf8(read.bytes) else {
            self.skipped.invalid_utf8 += 1;
            return Ok(());
        };
        self.files += 1;
        on_file(asked, &text)
    }
}
