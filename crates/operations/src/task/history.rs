//! What sections held before, for undoing changes.
//!
//! At most [`MAX_HISTORY_FILES`] contents of [`MAX_HISTORY_BYTES`] in all are kept. What is there is looked through now and then, with a
//! margin for what comes until the next time, so a change pays for that once in about forty.

use std::collections::BTreeMap;

use minds_document::ContentHash;
use minds_paths::WorkspacePath;
use minds_system::{FileErrorKind, Kind};
use minds_taskdoc::package::{
    HISTORY, JOURNAL, MAX_HISTORY_BYTES, MAX_HISTORY_FILES, MAX_SECTION_BYTES, PENDING,
};
use minds_taskdoc::{Entry, Operation, Tail, TaskCode, TaskError};

use super::fault::fault;
use super::package::Package;
use super::pending::{MAX_LINES, Pending};

/// How many contents may come until it is looked through again: no line of a journal is so short that more of them fit into
/// a [`STRETCH`].
const MARGIN: usize = 64;
/// Whenever the journal has grown by so many bytes, it is looked through.
const STRETCH: u64 = 16 * 1024;
/// Files of more bytes have it looked through at once.
const SMALL: u64 = 64 * 1024;
/// The most entries that are looked at.
const MAX_ENTRIES: usize = 100_000;

impl Package<'_> {
    /// Keeps what undoing the change needs, now that it has happened.
    pub(super) fn keep(&self, pending: &Pending) -> Result<(), TaskError> {
        let file = self.pending_path()?;
        let view = self.root.scoped();
        let kept = match pending.change() {
            Some(change) if !pending.before.is_empty() => Some(self.below(&kept_name(&change.id))?),
            _ => None,
        };
        // What a loss of power takes back here is done again by the next change.
        let done = match &kept {
            Some(kept) => match view.rename_unsynced(&file, kept) {
                Err(error) if error.kind() == FileErrorKind::AlreadyExists => {
                    view.remove_file_unsynced(&file)
                }
                renamed => renamed,
            },
            None => view.remove_file_unsynced(&file),
        };
        done.map_err(|error| fault(&error))?;
        if kept.is_some() && is_due(pending) {
            // What cannot be removed now is removed the next time.
            let _ = self.forget();
        }
        Ok(())
    }

    /// Returns what a section held before a change; none if that is not kept.
    ///
    /// # Errors
    ///
    /// Fails if it is kept and cannot be read.
    pub fn kept(&self, change: &Entry) -> Result<Option<Vec<u8>>, TaskError> {
        let Some(hash) = change.before else { return Ok(None) };
        if hash == ContentHash::of(b"") {
            return Ok(Some(Vec::new()));
        }
        if change.operation == Operation::Outside {
            return Ok(None);
        }
        let name = kept_name(&change.id);
        // One that is not kept yet is under way, or was kept while this looked.
        for name in [&name, &format!("{HISTORY}/{PENDING}"), &name] {
            let Some(bytes) = self.bytes(name, MAX_SECTION_BYTES + MAX_LINES)? else { continue };
            let is_it = |kept: &Pending| kept.change().is_some_and(|kept| kept.id == change.id);
            match Pending::read(&bytes).filter(is_it) {
                Some(kept) => return Ok(Some(kept.before)),
                None if name.ends_with(PENDING) => {}
                None => {
                    let message = format!("`{name}` is not what was kept there");
                    return Err(TaskError::new(TaskCode::InvalidJournal, message)
                        .next("`minds task verify` says what else is wrong"));
                }
            }
        }
        Ok(None)
    }

    /// Returns whether a file holds what was kept for a change.
    pub(super) fn is_kept_for(&self, path: &str, change: &ContentHash) -> bool {
        let bytes = self.bytes(path, MAX_SECTION_BYTES + MAX_LINES).ok().flatten();
        let kept = bytes.and_then(|bytes| Pending::read(&bytes));
        kept.is_some_and(|kept| kept.change().is_some_and(|kept| kept.id == *change))
    }

    /// Removes the oldest contents, by the journal, if there are more than are kept; those that no line names before them.
    fn forget(&self) -> Result<(), TaskError> {
        let mut files = self.kept_files()?;
        let (mut most, mut max_bytes) =
            (MAX_HISTORY_FILES - MARGIN, MAX_HISTORY_BYTES - MARGIN as u64 * SMALL);
        if files.len() <= most && files.values().map(|(_, size)| size).sum::<u64>() <= max_bytes {
            return Ok(());
        }
        let mut takes = |size: u64| {
            let left = most.checked_sub(1).zip(max_bytes.checked_sub(size));
            left.inspect(|left| (most, max_bytes) = *left).is_some()
        };
        let mut is_full = false;
        if let Some(journal) = self.open(JOURNAL)? {
            let read = |at, count| journal.read_at(at, count).map_err(|error| fault(&error));
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
            self.root.scoped().remove_file_unsynced(path).map_err(|error| fault(&error))?;
        }
        Ok(())
    }

    /// Returns the contents that are kept, by the id of the change: where, and how many bytes the file has.
    fn kept_files(&self) -> Result<BTreeMap<String, (WorkspacePath, u64)>, TaskError> {
        let view = self.root.scoped();
        let listing = view.list(&self.below(HISTORY)?, MAX_ENTRIES).map_err(|error| fault(&error))?;
        let mut files = BTreeMap::new();
        for entry in listing.entries.into_iter().filter(|entry| entry.kind == Kind::File) {
            let id = entry
                .real
                .file_name()
                .and_then(|name| name.replacen('-', ":", 1).parse::<ContentHash>().ok());
            if let Some(id) = id {
                let size = view.metadata(&entry.real).map_err(|error| fault(&error))?.size;
                files.insert(id.to_string(), (entry.real, size));
            }
        }
        Ok(files)
    }
}

/// Returns whether the journal has come into another stretch with a change, or what is kept of it is large.
fn is_due(pending: &Pending) -> bool {
    let size: u64 = pending.lines().len() as u64;
    let at = pending.entries.first().map_or(0, |first| first.at);
    size + pending.before.len() as u64 > SMALL || at / STRETCH != at.saturating_add(size) / STRETCH
}

/// Returns the path below the package of what is kept for undoing a change.
fn kept_name(change: &ContentHash) -> String {
    format!("{HISTORY}/{}", change.to_string().replace(':', "-"))
}

/// Returns what a line says that its id is.
fn id_of(line: &[u8]) -> Option<String> {
    let id = line.strip_prefix(br#"{"id":""#)?;
    let end = id.iter().position(|byte| *byte == b'"')?;
    std::str::from_utf8(id.get(..end)?).ok().map(str::to_owned)
}
