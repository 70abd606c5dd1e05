//! The saved previous contents of sections, for undoing changes.
//!
//! At most [`MAX_HISTORY_FILES`] contents with [`MAX_HISTORY_BYTES`] in total are kept. The directory is cleaned up
//! periodically, with a margin for contents until the next time, so that about one change in forty has this
//! cost.

use std::collections::BTreeMap;

use minds_fs::{FileErrorKind, Kind};
use minds_taskdoc::package::{
    HISTORY, JOURNAL, MAX_HISTORY_BYTES, MAX_HISTORY_FILES, MAX_SECTION_BYTES, PENDING,
};
use minds_taskdoc::{Entry, Operation, Tail, TaskCode, TaskError};
use minds_vfs::{ContentHash, WorkspacePath};

use crate::errors::task_error;
use crate::package::Package;
use crate::pending::{MAX_LINES, PendingChange};

/// How many contents may be added between two cleanups: no more journal lines fit into
/// [`CLEANUP_INTERVAL_BYTES`].
const CLEANUP_MARGIN: usize = 64;
/// The growth of the journal, in bytes, after which a cleanup is due.
const CLEANUP_INTERVAL_BYTES: u64 = 16 * 1024;
/// Larger contents, in bytes, cause a cleanup immediately.
const MAX_SMALL_BYTES: u64 = 64 * 1024;
/// The maximum number of entries.
const MAX_ENTRIES: usize = 100_000;

impl Package<'_> {
    /// Saves the previous content, after the change was made.
    pub(crate) fn save_previous(&self, pending: &PendingChange) -> Result<(), TaskError> {
        let file = self.pending_path()?;
        let view = self.root.no_follow();
        let kept = match pending.change() {
            Some(change) if !pending.before.is_empty() => Some(self.path_of(&kept_name(&change.id))?),
            _ => None,
        };
        // If this is lost in a power failure, the next change repeats it.
        let done = match &kept {
            Some(kept) => match view.rename_unsynced(&file, kept) {
                Err(error) if error.kind() == FileErrorKind::AlreadyExists => {
                    view.remove_file_unsynced(&file)
                }
                renamed => renamed,
            },
            None => view.remove_file_unsynced(&file),
        };
        done.map_err(|error| task_error(&error))?;
        if kept.is_some() && is_due(pending) {
            // Files that cannot be removed are removed by the next cleanup.
            let _ = self.remove_oldest();
        }
        Ok(())
    }

    /// Returns the saved content of a section from before a change; `None` if it was not saved.
    ///
    /// # Errors
    ///
    /// Fails if it exists and cannot be read.
    pub fn previous_content(&self, change: &Entry) -> Result<Option<Vec<u8>>, TaskError> {
        let Some(hash) = change.before else { return Ok(None) };
        if hash == ContentHash::of(b"") {
            return Ok(Some(Vec::new()));
        }
        if change.operation == Operation::Outside {
            return Ok(None);
        }
        let name = kept_name(&change.id);
        // The change may be in progress, or may be completed while this function reads.
        for name in [&name, &format!("{HISTORY}/{PENDING}"), &name] {
            let Some(bytes) = self.bytes(name, MAX_SECTION_BYTES + MAX_LINES)? else { continue };
            let is_it = |kept: &PendingChange| kept.change().is_some_and(|kept| kept.id == change.id);
            match PendingChange::read(&bytes).filter(is_it) {
                Some(kept) => return Ok(Some(kept.before)),
                None if name.ends_with(PENDING) => {}
                None => {
                    let message = format!("`{name}` has been modified");
                    return Err(TaskError::new(TaskCode::InvalidJournal, message)
                        .next("run `minds task verify` to find other problems"));
                }
            }
        }
        Ok(None)
    }

    /// Returns whether a file contains the saved content of a change.
    pub(crate) fn has_content_of(&self, path: &str, change: &ContentHash) -> bool {
        let bytes = self.bytes(path, MAX_SECTION_BYTES + MAX_LINES).ok().flatten();
        let kept = bytes.and_then(|bytes| PendingChange::read(&bytes));
        kept.is_some_and(|kept| kept.change().is_some_and(|kept| kept.id == *change))
    }

    /// Removes the oldest contents if there are too many. Contents without a journal entry are removed first.
    fn remove_oldest(&self) -> Result<(), TaskError> {
        let mut files = self.kept_files()?;
        let (mut most, mut most_bytes) =
            (MAX_HISTORY_FILES - CLEANUP_MARGIN, MAX_HISTORY_BYTES - CLEANUP_MARGIN as u64 * MAX_SMALL_BYTES);
        if files.len() <= most && files.values().map(|(_, size)| size).sum::<u64>() <= most_bytes {
            return Ok(());
        }
        let mut takes = |size: u64| {
            let left = most.checked_sub(1).zip(most_bytes.checked_sub(size));
            left.inspect(|left| (most, most_bytes) = *left).is_some()
        };
        let mut is_full = false;
        if let Some(journal) = self.open(JOURNAL)? {
            let read = |at, count| journal.read_at(at, count).map_err(|error| task_error(&error));
            let mut tail = Tail::new(journal.size(), read);
            while let Some(line) = tail.previous_line()? {
                let Some(name) = id_of(line.text) else { continue };
                let Some((_, size)) = files.get(&name) else { continue };
                is_full = !takes(*size);
                if is_full {
                    break;
                }
                files.remove(&name);
            }
        }
        files.retain(|_, (_, size)| {
            is_full = is_full || !takes(*size);
            is_full
        });
        for (path, _) in files.values() {
            self.root.no_follow().remove_file_unsynced(path).map_err(|error| task_error(&error))?;
        }
        Ok(())
    }

    /// Returns the saved contents by the id of the change: path and size in bytes.
    fn kept_files(&self) -> Result<BTreeMap<String, (WorkspacePath, u64)>, TaskError> {
        let view = self.root.no_follow();
        let listing = view.list(&self.path_of(HISTORY)?, MAX_ENTRIES).map_err(|error| task_error(&error))?;
        let mut files = BTreeMap::new();
        for entry in listing.entries.into_iter().filter(|entry| entry.kind == Kind::File) {
            let id = entry
                .real
                .file_name()
                .and_then(|name| name.replacen('-', ":", 1).parse::<ContentHash>().ok());
            if let Some(id) = id {
                let size = view.metadata(&entry.real).map_err(|error| task_error(&error))?.size;
                files.insert(id.to_string(), (entry.real, size));
            }
        }
        Ok(files)
    }
}

/// Returns whether a cleanup is due after a change.
fn is_due(pending: &PendingChange) -> bool {
    let size: u64 = pending.lines().len() as u64;
    let at = pending.entries.first().map_or(0, |first| first.at);
    size + pending.before.len() as u64 > MAX_SMALL_BYTES
        || at / CLEANUP_INTERVAL_BYTES != at.saturating_add(size) / CLEANUP_INTERVAL_BYTES
}

/// Returns the path in the package of the saved content of a change.
fn kept_name(change: &ContentHash) -> String {
    format!("{HISTORY}/{}", change.to_string().replace(':', "-"))
}

/// Returns the id in a journal line.
fn id_of(line: &[u8]) -> Option<String> {
    let id = line.strip_prefix(br#"{"id":""#)?;
    let end = id.iter().position(|byte| *byte == b'"')?;
    std::str::from_utf8(id.get(..end)?).ok().map(str::to_owned)
}
