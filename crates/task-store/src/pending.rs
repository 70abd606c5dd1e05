//! The change in progress.
//!
//! It is written before anything else: the new lines of the journal, an empty line, and the previous content
//! of the section. After an interruption, the section and the journal show how far the change got: if it was
//! made, its lines are added to the journal, otherwise it is discarded. Afterwards the file is kept under the
//! id of the change, for undoing it.
//!
//! The file may also come from a checkout or an attacker. Therefore it is used only if a change could have
//! written it: its lines must be valid and continue the journal, and the section must have the content that
//! they state.

use std::collections::BTreeSet;

use minds_taskdoc::package::MAX_SECTION_BYTES;
use minds_taskdoc::{Entry, Journal, Operation, Section};
use minds_vfs::ContentHash;

use crate::record::{UNKNOWN, recorded_contents};

/// The maximum size of the lines of a change, in bytes.
pub(crate) const MAX_LINES: u64 = 1024 * 1024;

/// A change and what it replaced.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PendingChange {
    /// The new entries of the journal: first changes that were made outside of `minds`, then the change
    /// itself, if there is one.
    pub(crate) entries: Vec<Entry>,
    /// The previous content of the section, if the last entry is a change made by `minds`.
    pub(crate) before: Vec<u8>,
}

/// How much of the lines of a change is in the journal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Progress {
    /// Nothing.
    Nothing,
    /// This number of bytes, at the end of the journal.
    Begun(usize),
    /// All lines, anywhere in the journal.
    All,
}

impl PendingChange {
    /// Returns the last entry.
    pub(crate) fn change(&self) -> Option<&Entry> {
        self.entries.last()
    }

    /// Returns the new lines of the journal.
    pub(crate) fn lines(&self) -> String {
        self.entries.iter().map(|entry| entry.to_line() + "\n").collect()
    }

    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = self.lines().into_bytes();
        bytes.push(b'\n');
        bytes.extend_from_slice(&self.before);
        bytes
    }

    /// Parses the file; `None` if a change could not have written it.
    pub(crate) fn read(bytes: &[u8]) -> Option<Self> {
        let mut rest = bytes;
        let mut entries = Vec::new();
        loop {
            let end = rest.iter().position(|byte| *byte == b'\n')?;
            let (line, next) = (rest.get(..end)?, rest.get(end + 1..)?);
            rest = next;
            if line.is_empty() {
                break;
            }
            entries.push(Entry::of_line(line)?);
        }
        let pending = Self { entries, before: rest.to_vec() };
        pending.is_valid().then_some(pending)
    }

    fn is_valid(&self) -> bool {
        let Some((change, others)) = self.entries.split_last() else { return false };
        let is_chain =
            self.entries.windows(2).all(|two| matches!(two, [one, next] if next.parents == [one.id]));
        let is_complete = match change.before {
            Some(before) if change.operation != Operation::Outside => before == ContentHash::of(&self.before),
            _ => self.before.is_empty(),
        };
        is_chain
            && is_complete
            && others.iter().all(|entry| entry.operation == Operation::Outside)
            && self.entries.iter().all(is_valid)
    }

    /// Returns how much of its lines is in a journal.
    pub(crate) fn progress_in(&self, journal: &[u8]) -> Progress {
        let lines = self.lines();
        let lines = lines.as_bytes();
        if let Some(end) = self.at().and_then(|at| journal.get(at..)).filter(|end| !end.is_empty())
            && end.len() < lines.len()
            && lines.starts_with(end)
        {
            return Progress::Begun(end.len());
        }
        let mut missing: BTreeSet<&[u8]> = lines.split(|byte| *byte == b'\n').collect();
        missing.remove(&b""[..]);
        for line in journal.split(|byte| *byte == b'\n').rev() {
            if missing.is_empty() {
                break;
            }
            missing.remove(line);
        }
        if missing.is_empty() { Progress::All } else { Progress::Nothing }
    }

    /// Returns the offset of its lines in the journal.
    pub(crate) fn at(&self) -> Option<usize> {
        self.entries.first().and_then(|first| usize::try_from(first.at).ok())
    }

    /// Returns whether its lines are a valid continuation of a journal.
    pub(crate) fn fits(&self, journal: &Journal) -> bool {
        let Some(first) = self.entries.first() else { return false };
        let known = journal.by_id();
        if first.parents.is_empty() != known.is_empty()
            || !first.parents.iter().all(|id| known.contains_key(id))
        {
            return false;
        }
        let mut before: Option<&Entry> = None;
        self.entries.iter().all(|entry| {
            let follows = match before.filter(|before| before.section == entry.section) {
                Some(before) => before.after == entry.before,
                None => recorded_contents(journal, &entry.section).contains(&entry.before),
            };
            before = Some(entry);
            follows
        })
    }
}

/// Returns whether a change could have written the entry.
fn is_valid(entry: &Entry) -> bool {
    let nothing = ContentHash::of(b"");
    let is_sized = match entry.after {
        None => entry.size == 0,
        Some(after) => (after == nothing) == (entry.size == 0) && entry.size <= MAX_SECTION_BYTES,
    };
    let is_done = entry.before != entry.after;
    let is_operation = match entry.operation {
        Operation::Set | Operation::Create | Operation::Append => entry.size > 0,
        Operation::Clear => entry.after == Some(nothing),
        Operation::Remove => entry.after.is_none() && !matches!(entry.section, Section::Top(_)),
        Operation::Undo => entry.undoes.is_some(),
        Operation::Outside => entry.actor == UNKNOWN,
    };
    let undoes = entry.operation == Operation::Undo || entry.undoes.is_none();
    is_sized && is_done && is_operation && undoes && !entry.actor.is_empty() && is_time(&entry.time)
}

/// Returns whether a string is a timestamp in the format of journals.
fn is_time(text: &str) -> bool {
    const FORM: &str = "-00-00T00:00:00.000Z";
    let Some((year, rest)) = text.len().checked_sub(FORM.len()).and_then(|year| text.split_at_checked(year))
    else {
        return false;
    };
    let is_digit = |byte: u8| byte.is_ascii_digit();
    year.len() >= 4
        && year.bytes().all(is_digit)
        && rest
            .bytes()
            .zip(FORM.bytes())
            .all(|(byte, form)| if form == b'0' { is_digit(byte) } else { byte == form })
}
