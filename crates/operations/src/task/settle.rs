//! Announcing a change, and finishing or taking back what somebody left behind.

use minds_document::{ContentHash, FileMode};
use minds_paths::WorkspacePath;
use minds_system::{FileErrorKind, Notice, notify};
use minds_taskdoc::package::{HISTORY, JOURNAL, MAX_SECTION_BYTES, PENDING};
use minds_taskdoc::{Journal, TaskCode, TaskError};

use super::fault::fault;
use super::package::Package;
use super::pending::{MAX_LINES, Pending, Written};

/// How often a reader looks again while changes are made.
const MAX_ATTEMPTS: usize = 16;

/// What is found where the change that is under way is written down.
enum Found {
    Nothing,
    /// Something that no change wrote, or not all of what one wrote.
    Refuse,
    Pending(Pending),
}

/// What is left to be done of a change.
enum Left {
    /// It was not made.
    All,
    /// The journal gets this.
    Lines(Vec<u8>),
    /// It was made and is written down.
    Nothing,
}

impl Package<'_> {
    /// Writes down what is about to happen. Who cannot does not leave it there.
    pub(super) fn announce(&self, pending: &Pending, mode: FileMode) -> Result<(), TaskError> {
        let (file, bytes) = (self.pending_path()?, pending.to_bytes());
        let view = self.root.scoped();
        let created = match view.create(&file, &bytes, mode) {
            Err(error) if error.kind() == FileErrorKind::NotFound => {
                let directory = self.below(HISTORY)?;
                match view.make_directory(&directory) {
                    Err(error) if error.kind() != FileErrorKind::AlreadyExists => Err(error),
                    _ => view.create(&file, &bytes, mode),
                }
            }
            created => created,
        };
        created.map_err(|error| {
            // What somebody else put there meanwhile is judged by the next change.
            if error.kind() != FileErrorKind::AlreadyExists {
                self.renounce();
            }
            fault(&error)
        })
    }

    /// Takes back what was written down and did not happen.
    pub(super) fn renounce(&self) {
        // What stays is seen to be nothing by the next change.
        if let Ok(file) = self.pending_path() {
            let _ = self.root.scoped().remove_file_unsynced(&file);
        }
    }

    /// Finishes or takes back what another process left behind. The caller has the lock.
    pub(super) fn settle(&self) -> Result<(), TaskError> {
        let pending = match self.found()? {
            Found::Nothing => return Ok(()),
            Found::Refuse => {
                self.renounce();
                return Ok(());
            }
            Found::Pending(pending) => pending,
        };
        let journal = self.journal_bytes()?.unwrap_or_default();
        match self.left(&pending, &journal)? {
            Left::All => {
                self.leave_no_room(&pending);
                self.renounce();
                Ok(())
            }
            Left::Lines(lines) => {
                self.write_down(&lines)?;
                self.keep(&pending)?;
                if let Some(change) = pending.change() {
                    let file = self.below(&change.section.path())?.to_string();
                    notify(&Notice::Finished { files: &[file] });
                }
                Ok(())
            }
            Left::Nothing => self.keep(&pending),
        }
    }

    /// Returns the journal as whoever makes the next change finds it: with the lines of a change that was made and is not
    /// written down yet, because it is under way or its author died. Nothing is written.
    pub(super) fn settled_journal(&self) -> Result<Vec<u8>, TaskError> {
        let mut looks = 0;
        loop {
            // In this order: a line that is only begun was announced, or is whole by then.
            let found = self.found()?;
            let mut journal = self.journal_bytes()?.unwrap_or_default();
            let is_whole = journal.is_empty() || journal.ends_with(b"\n");
            if let Found::Pending(pending) = found
                && let Left::Lines(lines) = self.left(&pending, &journal)?
            {
                journal.extend_from_slice(&lines);
                return Ok(journal);
            }
            looks += 1;
            if is_whole || looks == MAX_ATTEMPTS {
                return Ok(journal);
            }
        }
    }

    /// Returns what is left to be done of a change that was announced.
    fn left(&self, pending: &Pending, journal: &[u8]) -> Result<Left, TaskError> {
        let Some(change) = pending.change() else { return Ok(Left::All) };
        let lines = pending.lines().into_bytes();
        match pending.written(journal) {
            Written::All => Ok(Left::Nothing),
            Written::Begun(count) => {
                let before = pending.at().and_then(|at| journal.get(..at)).unwrap_or_default();
                let rest = lines.get(count..).unwrap_or_default().to_vec();
                Ok(if pending.fits(&Journal::read(before)) { Left::Lines(rest) } else { Left::All })
            }
            Written::Nothing => {
                let now = match self.bytes(&change.section.path(), MAX_SECTION_BYTES) {
                    // Whatever was put there, no change did it.
                    Err(error) if matches!(error.code, TaskCode::NotAFile | TaskCode::TooLarge) => {
                        return Ok(Left::All);
                    }
                    now => now?,
                };
                let is_made = now.as_deref().map(ContentHash::of) == change.after
                    && now.map_or(0, |now| now.len() as u64) == change.size
                    && pending.fits(&Journal::read(journal));
                let is_ended = journal.is_empty() || journal.ends_with(b"\n");
                let lines = if is_ended { lines } else { [b"\n".to_vec(), lines].concat() };
                Ok(if is_made { Left::Lines(lines) } else { Left::All })
            }
        }
    }

    /// Removes the directory that a change made for a section which it then did not make.
    fn leave_no_room(&self, pending: &Pending) {
        let change = pending.change().filter(|change| change.before.is_none());
        let category = change.and_then(|change| change.section.category());
        if let Some(Ok(directory)) = category.map(|category| self.below(category)) {
            // One that is not empty stays.
            let _ = self.root.scoped().remove_directory(&directory);
        }
    }

    /// Adds lines to the journal. A part of them may be there if the process dies; what was announced finishes it.
    pub(super) fn write_down(&self, lines: &[u8]) -> Result<(), TaskError> {
        let journal = self.below(JOURNAL)?;
        let extended = self.root.scoped().extend(&journal, lines, FileMode::Regular);
        extended.map_err(|error| fault(&error))
    }

    fn found(&self) -> Result<Found, TaskError> {
        match self.root.scoped().read(&self.pending_path()?, MAX_SECTION_BYTES + MAX_LINES) {
            Ok(file) => Ok(Pending::read(&file.bytes).map_or(Found::Refuse, Found::Pending)),
            Err(error) => match error.kind() {
                FileErrorKind::NotFound => Ok(Found::Nothing),
                // A file has two names for a moment where the file system cannot give it another in one step. The rest no
                // change makes; only the name goes, whatever it leads to.
                FileErrorKind::SeveralLinks
                | FileErrorKind::Link
                | FileErrorKind::NotFile(_)
                | FileErrorKind::TooLarge => Ok(Found::Refuse),
                _ => Err(fault(&error)),
            },
        }
    }

    pub(super) fn pending_path(&self) -> Result<WorkspacePath, TaskError> {
        self.below(&format!("{HISTORY}/{PENDING}"))
    }
}
