//! The journal entries of a change.

use minds_taskdoc::package::{JOURNAL, MAX_JOURNAL_BYTES, MAX_SECTION_BYTES};
use minds_taskdoc::{Draft, Entry, Journal, Operation, Section, Tail, TaskCode, TaskError, rfc3339};
use minds_vfs::ContentHash;

use crate::Author;
use crate::errors::task_error;
use crate::package::Package;

/// The actor of changes with an unknown author.
pub(crate) const UNKNOWN: &str = "unknown";

/// An operation on a section.
pub(crate) struct Step<'s> {
    pub(crate) section: &'s Section,
    pub(crate) operation: Operation,
    pub(crate) before: Option<&'s [u8]>,
    pub(crate) after: Option<&'s [u8]>,
    pub(crate) undoes: Option<ContentHash>,
}

/// The new journal entries.
pub(crate) struct Record {
    /// The entries; empty if nothing is to be written.
    pub(crate) entries: Vec<Entry>,
    /// Whether the journal needs a line break first.
    pub(crate) needs_break: bool,
}

/// The state of a section according to the journal.
struct JournalState {
    parents: Vec<ContentHash>,
    /// The recorded contents; several after a merge of branches.
    recorded: Vec<Option<ContentHash>>,
    /// The offset of the next line.
    at: u64,
    needs_break: bool,
}

impl Package<'_> {
    /// Returns the new journal entries; none if nothing changes and the journal is up to date.
    ///
    /// A current content that is not in the journal was changed outside of `minds` and is recorded first. An
    /// empty journal gets an entry for each section with content, so that it is complete from then on. If
    /// nothing changes but the current content is not recorded, only that is recorded.
    pub(crate) fn record(&self, author: &Author, step: &Step<'_>) -> Result<Record, TaskError> {
        let known = self.journal_state(step.section)?;
        let (is_new, needs_break) = (known.parents.is_empty(), known.needs_break);
        let mut lines = Lines { time: rfc3339(author.time), entries: Vec::new(), known };
        let (before, after) = (step.before.map(ContentHash::of), step.after.map(ContentHash::of));
        let is_recorded = lines.known.recorded.contains(&before);
        if before == after && is_recorded {
            return Ok(Record { entries: Vec::new(), needs_break });
        }
        if is_new {
            for section in self.sections()?.into_iter().filter(|section| section != step.section) {
                match self.bytes(&section.path(), MAX_SECTION_BYTES) {
                    Ok(Some(bytes)) if !bytes.is_empty() => lines.add_outside(&section, None, Some(&bytes)),
                    // An invalid section is skipped; checks of the package report it.
                    Err(error) if !matches!(error.code, TaskCode::NotAFile | TaskCode::TooLarge) => {
                        return Err(error);
                    }
                    _ => {}
                }
            }
        }
        if !is_recorded {
            let recorded = lines.known.recorded.first().copied().flatten();
            lines.add_outside(step.section, recorded, step.before);
        }
        if before != after {
            let size = size(step.after);
            lines.add(
                author.actor.clone(),
                step.operation,
                step.section.clone(),
                (before, after),
                size,
                step.undoes,
            );
        }
        Ok(Record { entries: lines.entries, needs_break })
    }

    /// Returns the state of a section according to the journal, read from its end if possible.
    fn journal_state(&self, section: &Section) -> Result<JournalState, TaskError> {
        let nothing = Journal::default();
        let Some(journal) = self.open(JOURNAL)? else {
            let recorded = recorded_contents(&nothing, section);
            return Ok(JournalState { parents: Vec::new(), recorded, at: 0, needs_break: false });
        };
        let size = journal.size();
        if size > MAX_JOURNAL_BYTES {
            let message = format!("the journal has more than {MAX_JOURNAL_BYTES} bytes");
            return Err(TaskError::new(TaskCode::TooLarge, message).next("continue in a new task"));
        }
        let read = |at, count| journal.read_at(at, count).map_err(|error| task_error(&error));
        if let Some(last) = Tail::new(size, read).last(section)? {
            let recorded = last
                .of_section
                .map_or_else(|| recorded_contents(&nothing, section), |entry| vec![entry.after]);
            return Ok(JournalState { parents: vec![last.head.id], recorded, at: size, needs_break: false });
        }
        let bytes = self.journal_bytes()?.unwrap_or_default();
        let journal = Journal::read(&bytes);
        let needs_break = !bytes.is_empty() && !bytes.ends_with(b"\n");
        let at = bytes.len() as u64 + u64::from(needs_break);
        let recorded = recorded_contents(&journal, section);
        Ok(JournalState { parents: journal.heads().0, recorded, at, needs_break })
    }
}

/// Returns the recorded contents of a section. A section without entries is empty or does not exist.
pub(crate) fn recorded_contents(journal: &Journal, section: &Section) -> Vec<Option<ContentHash>> {
    match journal.latest().get(section) {
        Some(latest) => latest.iter().map(|entry| entry.after).collect(),
        None => vec![None, Some(ContentHash::of(b""))],
    }
}

fn size(content: Option<&[u8]>) -> u64 {
    content.map_or(0, |content| content.len() as u64)
}

/// The entries under construction.
struct Lines {
    time: String,
    entries: Vec<Entry>,
    known: JournalState,
}

impl Lines {
    fn add_outside(&mut self, section: &Section, before: Option<ContentHash>, now: Option<&[u8]>) {
        let hashes = (before, now.map(ContentHash::of));
        self.add(UNKNOWN.to_owned(), Operation::Outside, section.clone(), hashes, size(now), None);
    }

    fn add(
        &mut self,
        actor: String,
        operation: Operation,
        section: Section,
        (before, after): (Option<ContentHash>, Option<ContentHash>),
        size: u64,
        undoes: Option<ContentHash>,
    ) {
        let (time, parents, at) = (self.time.clone(), self.known.parents.clone(), self.known.at);
        let draft = Draft { parents, time, actor, operation, section, before, after, size, undoes, at };
        let entry = Entry::new(draft);
        self.known.parents = vec![entry.id];
        self.known.at += entry.to_line().len() as u64 + 1;
        self.entries.push(entry);
    }
}
