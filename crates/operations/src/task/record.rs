//! What the journal gets of a change.

use minds_document::{ContentHash, rfc3339};
use minds_taskdoc::package::{JOURNAL, MAX_JOURNAL_BYTES, MAX_SECTION_BYTES};
use minds_taskdoc::{Draft, Entry, Journal, Operation, Section, Tail, TaskCode, TaskError};

use super::Author;
use super::fault::fault;
use super::package::Package;

/// Who did what nobody knows who did.
pub(super) const UNKNOWN: &str = "unknown";

/// What is done to a section.
pub(super) struct Step<'s> {
    pub(super) section: &'s Section,
    pub(super) operation: Operation,
    pub(super) before: Option<&'s [u8]>,
    pub(super) after: Option<&'s [u8]>,
    pub(super) undoes: Option<ContentHash>,
}

/// What the journal gets.
pub(super) struct Record {
    /// One line for each; none if nothing is to be written.
    pub(super) entries: Vec<Entry>,
    /// Whether the last line of the journal has no line break, so that one must come before them.
    pub(super) needs_break: bool,
}

/// What the journal says of a section so far.
struct Known {
    parents: Vec<ContentHash>,
    /// What it may hold: more than one thing after branches were merged.
    recorded: Vec<Option<ContentHash>>,
    /// Where the next line begins.
    at: u64,
    needs_break: bool,
}

impl Package<'_> {
    /// Returns what the journal gets; nothing if nothing changes and the journal says so.
    ///
    /// What the journal does not know was done outside and is written down first. A journal that knows nothing, because it
    /// is lost or the package came without one, gets a line for each section that holds something, so that from then on it
    /// says of all of them what they hold. Where nothing changes but the journal does not know it, only that is written.
    pub(super) fn record(&self, author: &Author, step: &Step<'_>) -> Result<Record, TaskError> {
        let known = self.known(step.section)?;
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
                    // What cannot be a section is none; whoever checks the package says so.
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

    /// Returns what the journal says of a section, from its end if that says enough.
    fn known(&self, section: &Section) -> Result<Known, TaskError> {
        let nothing = Journal::default();
        let Some(journal) = self.open(JOURNAL)? else {
            let recorded = recorded(&nothing, section);
            return Ok(Known { parents: Vec::new(), recorded, at: 0, needs_break: false });
        };
        let size = journal.size();
        if size > MAX_JOURNAL_BYTES {
            let message = format!("the journal has more than {MAX_JOURNAL_BYTES} bytes");
            return Err(TaskError::new(TaskCode::TooLarge, message).next("go on in a new task"));
        }
        let read = |at, count| journal.read_at(at, count).map_err(|error| fault(&error));
        if let Some(last) = Tail::new(size, read).last(section)? {
            let recorded =
                last.of_section.map_or_else(|| recorded(&nothing, section), |entry| vec![entry.after]);
            return Ok(Known { parents: vec![last.head.id], recorded, at: size, needs_break: false });
        }
        let bytes = self.journal_bytes()?.unwrap_or_default();
        let journal = Journal::read(&bytes);
        let needs_break = !bytes.is_empty() && !bytes.ends_with(b"\n");
        let at = bytes.len() as u64 + u64::from(needs_break);
        let recorded = recorded(&journal, section);
        Ok(Known { parents: journal.heads().0, recorded, at, needs_break })
    }
}

/// Returns what a journal says that a section may hold. One of which nothing is written down was empty or not there.
pub(super) fn recorded(journal: &Journal, section: &Section) -> Vec<Option<ContentHash>> {
    match journal.latest().get(section) {
        Some(latest) => latest.iter().map(|entry| entry.after).collect(),
        None => vec![None, Some(ContentHash::of(b""))],
    }
}

fn size(content: Option<&[u8]>) -> u64 {
    content.map_or(0, |content| content.len() as u64)
}

/// Lines that are written one after the other.
struct Lines {
    time: String,
    entries: Vec<Entry>,
    known: Known,
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
