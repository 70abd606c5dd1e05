//! The change that is under way.
//!
//! It is written down before anything else happens: the lines that the journal will get, an empty line, and what the
//! section held. Whoever finds it, because its author died, sees from the section whether the change was made: then the
//! journal gets its lines, and else nothing has happened. Afterwards it stays under the name of the change, as what undoing
//! it needs.

use minds_document::{ContentHash, Expected, FileMode};
use minds_paths::WorkspacePath;
use minds_system::FileErrorKind;
use minds_taskdoc::package::{HISTORY, JOURNAL, MAX_SECTION_BYTES, PENDING};
use minds_taskdoc::{Entry, TaskCode, TaskError};

use super::fault::fault;
use super::package::Package;

/// The most bytes of the lines of a change.
const MOST_LINES: u64 = 1024 * 1024;

/// A change and what it replaced.
#[derive(Clone, Debug)]
pub(super) struct Pending {
    /// What the journal gets: first what was found to be changed by others, and then the change.
    pub(super) entries: Vec<Entry>,
    /// What the section held.
    pub(super) before: Vec<u8>,
}

impl Pending {
    /// Returns the change itself.
    pub(super) fn change(&self) -> Option<&Entry> {
        self.entries.last()
    }

    /// Returns the lines that the journal gets.
    pub(super) fn lines(&self) -> String {
        self.entries.iter().map(|entry| entry.to_line() + "\n").collect()
    }

    fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = self.lines().into_bytes();
        bytes.push(b'\n');
        bytes.extend_from_slice(&self.before);
        bytes
    }

    /// Reads what was written down; none if it is not what is written here.
    pub(super) fn read(bytes: &[u8]) -> Option<Self> {
        let mut rest = bytes;
        let mut entries = Vec::new();
        loop {
            let end = rest.iter().position(|byte| *byte == b'\n')?;
            let (line, behind) = (rest.get(..end)?, rest.get(end + 1..)?);
            rest = behind;
            if line.is_empty() {
                break;
            }
            entries.push(Entry::read(std::str::from_utf8(line).ok()?).ok()?);
        }
        let pending = Self { entries, before: rest.to_vec() };
        let change = pending.change()?;
        let is_whole = match change.before {
            Some(before) => before == ContentHash::of(&pending.before),
            None => pending.before.is_empty(),
        };
        is_whole.then_some(pending)
    }
}

impl Package<'_> {
    /// Writes down what is about to happen.
    pub(super) fn announce(&self, pending: &Pending) -> Result<(), TaskError> {
        let (directory, file) = (self.below(HISTORY)?, self.pending_path()?);
        match self.root.scoped().make_directory(&directory) {
            Err(error) if error.kind() != FileErrorKind::AlreadyExists => return Err(fault(&error)),
            _ => {}
        }
        let created = self.root.scoped().create(&file, &pending.to_bytes(), FileMode::Regular);
        created.map_err(|error| fault(&error))
    }

    /// Takes back what was written down and did not happen.
    pub(super) fn renounce(&self) {
        // What stays is seen to be nothing by the next change.
        if let Ok(file) = self.pending_path() {
            let _ = self.root.scoped().remove_file(&file, Expected::Any);
        }
    }

    /// Keeps what undoing the change needs, now that it has happened.
    pub(super) fn keep(&self, pending: &Pending) -> Result<(), TaskError> {
        let file = self.pending_path()?;
        let kept = match pending.change() {
            Some(change) if !pending.before.is_empty() => Some(self.kept_path(&change.id)?),
            _ => None,
        };
        let done = match kept {
            Some(kept) => match self.root.scoped().rename(&file, &kept) {
                Err(error) if error.kind() == FileErrorKind::AlreadyExists => {
                    self.root.scoped().remove_file(&file, Expected::Any)
                }
                renamed => renamed,
            },
            None => self.root.scoped().remove_file(&file, Expected::Any),
        };
        done.map_err(|error| fault(&error))
    }

    /// Finishes or takes back what another process left behind. The caller has the lock.
    pub(super) fn settle(&self) -> Result<(), TaskError> {
        let Some(bytes) = self.bytes(&format!("{HISTORY}/{PENDING}"), MAX_SECTION_BYTES + MOST_LINES)? else {
            return Ok(());
        };
        let Some((pending, change)) =
            Pending::read(&bytes).and_then(|pending| Some((pending.clone(), pending.change()?.clone())))
        else {
            self.renounce();
            return Ok(());
        };
        let now = self.bytes(&change.section.path(), MAX_SECTION_BYTES)?.map(|bytes| ContentHash::of(&bytes));
        let journal = self.journal_bytes()?.unwrap_or_default();
        let line = change.to_line();
        let is_written = journal.split(|byte| *byte == b'\n').rev().any(|written| written == line.as_bytes());
        if !is_written && now != change.after {
            self.renounce();
            return Ok(());
        }
        if !is_written {
            self.write_down(&pending)?;
        }
        self.keep(&pending)
    }

    /// Adds the lines of a change to the journal.
    pub(super) fn write_down(&self, pending: &Pending) -> Result<(), TaskError> {
        let journal = self.below(JOURNAL)?;
        let appended = self.root.scoped().append(&journal, pending.lines().as_bytes(), FileMode::Regular);
        appended.map_err(|error| fault(&error))
    }

    /// Returns what another process left behind; none if there is nothing, or it says nothing.
    pub(super) fn left_behind(&self) -> Option<Pending> {
        Pending::read(&self.bytes(&format!("{HISTORY}/{PENDING}"), MAX_SECTION_BYTES + MOST_LINES).ok()??)
    }

    /// Returns whether a file holds what was kept for a change.
    pub(super) fn is_kept_for(&self, path: &str, change: &ContentHash) -> bool {
        let bytes = self.bytes(path, MAX_SECTION_BYTES + MOST_LINES).ok().flatten();
        let kept = bytes.and_then(|bytes| Pending::read(&bytes));
        kept.is_some_and(|kept| kept.change().is_some_and(|kept| kept.id == *change))
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
        let name = change.id.to_string().replace(':', "-");
        let Some(bytes) = self.bytes(&format!("{HISTORY}/{name}"), MAX_SECTION_BYTES + MOST_LINES)? else {
            return Ok(None);
        };
        let kept =
            Pending::read(&bytes).filter(|kept| kept.change().is_some_and(|kept| kept.id == change.id));
        kept.map(|kept| Some(kept.before)).ok_or_else(|| {
            TaskError::new(TaskCode::InvalidJournal, format!("`{HISTORY}/{name}` is not what was kept there"))
                .next("`minds task verify` says what else is wrong")
        })
    }

    fn pending_path(&self) -> Result<WorkspacePath, TaskError> {
        self.below(&format!("{HISTORY}/{PENDING}"))
    }

    fn kept_path(&self, change: &ContentHash) -> Result<WorkspacePath, TaskError> {
        self.below(&format!("{HISTORY}/{}", change.to_string().replace(':', "-")))
    }
}
