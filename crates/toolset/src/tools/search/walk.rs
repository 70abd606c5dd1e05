//! Walking the files to search.
//!
//! The access to the requested and the real path is checked before a file is opened. Links are only followed at the start
//! of the search. Denied directories are skipped, but not those that are merely missing in an allow list, because their
//! contents may be allowed. Files ignored by git are searched; `.git` itself is not.

use minds_access_control::{Access, Reason};
use minds_fs::{FileErrorKind, Kind, OpenFile};
use minds_vfs::WorkspacePath;

use super::Glob;
use crate::Area;
use crate::answer::Refusal;
use crate::call::Call;
use crate::file_refusal::ExpectedKind;

/// The maximum number of entries in all directories.
const MAX_ENTRIES: usize = 200_000;
/// The maximum number of files that are read.
const MAX_FILES: usize = 20_000;
/// The maximum size of a file, in bytes.
const MAX_BYTES: u64 = 4 * 1024 * 1024;
/// The maximum total size of all files, in bytes.
const MAX_TOTAL_BYTES: u64 = 128 * 1024 * 1024;
/// The number of bytes at the start of a file in which a zero byte means that it is binary.
const BINARY_CHECK_BYTES: usize = 8 * 1024;

/// The result of a search.
pub(super) struct Searched {
    pub(super) files: usize,
    pub(super) skipped: Skipped,
    /// The name of the exceeded limit, if the search ended early.
    pub(super) ended_by: Option<&'static str>,
}

/// The number of skipped entries, by reason.
#[derive(Default)]
pub(super) struct Skipped {
    denied: usize,
    binary: usize,
    invalid_utf8: usize,
    too_large: usize,
    links: usize,
    unreadable: usize,
}

impl Skipped {
    /// Returns the numbers with their names in answers.
    pub(super) fn counts(&self) -> impl Iterator<Item = (&'static str, usize)> {
        let counts = [
            ("denied", self.denied),
            ("binary", self.binary),
            ("invalid_utf8", self.invalid_utf8),
            ("too_large", self.too_large),
            ("links", self.links),
            ("unreadable", self.unreadable),
        ];
        counts.into_iter().filter(|(_, count)| *count > 0)
    }

    pub(super) fn summary(&self) -> String {
        self.counts()
            .map(|(name, count)| format!("{count} {}", name.replace('_', " ")))
            .collect::<Vec<_>>()
            .join(", ")
    }
}

/// The state of a search.
struct Search<'s> {
    call: &'s Call<'s>,
    glob: Option<&'s Glob>,
    /// The start, as requested and as real path.
    asked_top: WorkspacePath,
    real_top: WorkspacePath,
    entries: usize,
    bytes: u64,
    files: usize,
    skipped: Skipped,
}

/// The name of the limit that ends a search early.
type Ended = &'static str;

/// Calls `look` with all text files at or below a path, ordered by path.
///
/// # Errors
///
/// Refuses a path that does not exist, or that the lists of the caller deny.
pub(super) fn search(
    call: &Call<'_>,
    path: &WorkspacePath,
    glob: Option<&Glob>,
    mut look: impl FnMut(&WorkspacePath, &str) -> Result<(), Ended>,
) -> Result<Searched, Refusal> {
    if is_closed(call, path) {
        call.check_access(Access::Read, path)?;
    }
    let Some(found) = call.metadata(path)? else {
        call.check_access(Access::Read, path)?;
        return Err(call.missing(ExpectedKind::File, path));
    };
    if is_closed(call, &found.real) {
        call.check_access(Access::Read, &found.real)?;
    }
    let mut search = Search {
        call,
        glob,
        asked_top: path.clone(),
        real_top: found.real.clone(),
        entries: 0,
        bytes: 0,
        files: 0,
        skipped: Skipped::default(),
    };
    let ended = if found.kind == Kind::Directory {
        // An error at the start is a refusal; further down it is only counted.
        let listing = call.context.root().scoped().list(&found.real, MAX_ENTRIES);
        listing.map_err(|error| call.file_refusal_for(&error, ExpectedKind::Directory, path))?;
        search.search_directory(found.real, &mut look)
    } else {
        call.check_access(Access::Read, path)?;
        let file = call.view().open(path).map_err(|error| call.file_refusal(&error, path))?;
        call.check_access(Access::Read, file.real())?;
        search.search_file(path, file, &mut look)
    };
    let Search { files, skipped, .. } = search;
    Ok(Searched { files, skipped, ended_by: ended.err() })
}

/// Returns whether everything at or below a path is denied.
fn is_closed(call: &Call<'_>, path: &WorkspacePath) -> bool {
    if call.tool.area == Area::Minds {
        // Access lists do not apply there.
        return !call.permits(Access::Read, path);
    }
    let reason = call.permissions.policy().check(Access::Read, path).reason();
    matches!(
        reason,
        Reason::InvalidPath | Reason::Outside | Reason::Reserved | Reason::InvalidPolicy | Reason::Denied
    )
}

impl Search<'_> {
    fn search_directory(
        &mut self,
        top: WorkspacePath,
        look: &mut impl FnMut(&WorkspacePath, &str) -> Result<(), Ended>,
    ) -> Result<(), Ended> {
        // A stack instead of recursion, because the depth is not limited.
        let mut pending = vec![(top, Kind::Directory)];
        while let Some((real, kind)) = pending.pop() {
            let Some(asked) = self.requested_path(&real) else { continue };
            match kind {
                Kind::Directory if self.enters(&real, &asked) => {
                    let left = MAX_ENTRIES - self.entries;
                    match self.call.context.root().scoped().list(&real, left) {
                        Ok(listing) => {
                            self.entries += listing.entries.len();
                            pending.extend(
                                listing.entries.into_iter().rev().map(|entry| (entry.real, entry.kind)),
                            );
                        }
                        Err(error) if error.kind() == FileErrorKind::TooLarge => return Err("entries"),
                        Err(_) => self.skipped.unreadable += 1,
                    }
                }
                Kind::File if self.matches_glob(&asked) => {
                    if !self.call.permits(Access::Read, &asked) || !self.call.permits(Access::Read, &real) {
                        self.skipped.denied += 1;
                        continue;
                    }
                    match self.call.context.root().scoped().open(&real) {
                        Ok(file) => self.search_file(&asked, file, look)?,
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
        let is_closed = is_closed(self.call, real) || is_closed(self.call, asked);
        self.skipped.denied += usize::from(is_closed);
        !is_closed
    }

    /// Returns whether a file has a requested name. Patterns are those of access lists, so that `[` and `{`, which
    /// occur in file names, match themselves.
    fn matches_glob(&self, asked: &WorkspacePath) -> bool {
        let Some(glob) = self.glob else { return true };
        if glob.is_path {
            return glob.pattern.matches(asked);
        }
        let name = asked.file_name().and_then(|name| WorkspacePath::parse(name).ok());
        name.is_some_and(|name| glob.pattern.matches(&name))
    }

    /// Searches a file whose access was checked.
    fn search_file(
        &mut self,
        asked: &WorkspacePath,
        file: OpenFile,
        look: &mut impl FnMut(&WorkspacePath, &str) -> Result<(), Ended>,
    ) -> Result<(), Ended> {
        if file.size() > MAX_BYTES {
            self.skipped.too_large += 1;
            return Ok(());
        }
        if self.files >= MAX_FILES {
            return Err("files");
        }
        self.bytes += file.size();
        if self.bytes > MAX_TOTAL_BYTES {
            return Err("bytes to read");
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
        look(asked, &text)
    }
}
