//! The files in which a text is looked for.
//!
//! What is asked for and what it really is are both judged before a file is opened; no link is followed below the place
//! at which the search begins. Directories that are denied are not entered. One that is only not allowed is: what lies in
//! it may be. Files that are ignored by version control are files like others; `.git` itself is none of the workspace's
//! texts and is not entered.

use minds_access_control::{Access, Reason};
use minds_paths::WorkspacePath;
use minds_system::{FileErrorKind, Kind, OpenFile};
use serde_json::{Value, json};

use super::Glob;
use crate::Area;
use crate::answer::Refusal;
use crate::call::Call;
use crate::file_refusal::Wanted;

/// How many entries are looked at, in all directories together.
const MAX_ENTRIES: usize = 200_000;
/// How many files are read.
const MAX_FILES: usize = 20_000;
/// The largest file that is read, in bytes.
const MAX_BYTES: u64 = 4 * 1024 * 1024;
/// How many bytes are read of all files together.
const MAX_TOTAL_BYTES: u64 = 128 * 1024 * 1024;
/// In so many bytes at its beginning a text has no zero byte.
const BINARY_CHECK_BYTES: usize = 8 * 1024;

/// What was searched.
pub(super) struct Searched {
    pub(super) files: usize,
    pub(super) skipped: Skipped,
    /// What there was too much of, if the search ended early.
    pub(super) ended_by: Option<&'static str>,
}

/// How many entries were left out, and why.
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
    fn counts(&self) -> [(&'static str, usize); 6] {
        [
            ("denied", self.denied),
            ("binary", self.binary),
            ("invalid_utf8", self.invalid_utf8),
            ("too_large", self.too_large),
            ("links", self.links),
            ("unreadable", self.unreadable),
        ]
    }

    pub(super) fn to_json(&self) -> Value {
        self.counts()
            .into_iter()
            .filter(|(_, count)| *count > 0)
            .map(|(name, count)| (name, json!(count)))
            .collect()
    }

    pub(super) fn summary(&self) -> String {
        let counts = self.counts().into_iter().filter(|(_, count)| *count > 0);
        counts
            .map(|(name, count)| format!("{count} {}", name.replace('_', " ")))
            .collect::<Vec<_>>()
            .join(", ")
    }
}

/// A search that is under way.
struct Search<'s> {
    call: &'s Call<'s>,
    glob: Option<&'s Glob>,
    /// Where it began, as it was asked for and as it really is.
    asked_top: WorkspacePath,
    real_top: WorkspacePath,
    entries: usize,
    bytes: u64,
    files: usize,
    skipped: Skipped,
}

/// Why a search ends early: there is too much of something.
type Ended = &'static str;

/// Gives every text at or below a path to `look`, in the order of the paths.
///
/// # Errors
///
/// Refuses a path that is not there, or that the lists of the caller deny.
pub(super) fn search(
    call: &Call<'_>,
    path: &WorkspacePath,
    glob: Option<&Glob>,
    mut look: impl FnMut(&WorkspacePath, &str) -> Result<(), Ended>,
) -> Result<Searched, Refusal> {
    if is_closed(call, path) {
        call.check_access(Access::Read, path)?;
    }
    let Some(found) = call.look(path)? else {
        call.check_access(Access::Read, path)?;
        return Err(call.missing(Wanted::File, path));
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
        // What cannot be listed at the top is a refusal, further down it is counted.
        let listing = call.context.root().scoped().list(&found.real, MAX_ENTRIES);
        listing.map_err(|error| call.file_refusal_for(&error, Wanted::Directory, path))?;
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

/// Returns whether nothing below a path can be read, whatever it is called.
fn is_closed(call: &Call<'_>, path: &WorkspacePath) -> bool {
    if call.tool.area == Area::Minds {
        // No lists apply there.
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
        // The next one is the last; a stack, because directories may lie as deep as somebody likes.
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

    /// Returns the path by which an entry would be asked for.
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

    fn matches_glob(&self, asked: &WorkspacePath) -> bool {
        let Some(glob) = self.glob else { return true };
        if glob.is_path {
            return glob.pattern.matches(asked);
        }
        let name = asked.file_name().and_then(|name| WorkspacePath::parse(name).ok());
        name.is_some_and(|name| glob.pattern.matches(&name))
    }

    /// Looks into a file that was judged.
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
