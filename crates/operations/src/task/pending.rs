//! The change that is under way.
//!
//! It is written down before anything else happens: the lines that the journal will get, an empty line, and what the
//! section held. Whoever finds it, because its author died, sees from the section and the journal how far the change came:
//! one that was made gets its lines, and else nothing has happened. Afterwards it stays under the name of the change, as
//! what undoing it needs.
//!
//! It may as well have come with a checkout, or from anybody. So nothing is believed of it that a change could not have
//! written: its lines must be sound and fit behind what the journal says, and the section must hold what they say.

use std::collections::BTreeSet;

use minds_document::ContentHash;
use minds_taskdoc::package::MAX_SECTION_BYTES;
use minds_taskdoc::{Entry, Journal, Operation, Section};

use super::record::{UNKNOWN, recorded};

/// The most bytes of the lines of a change.
pub(super) const MAX_LINES: u64 = 1024 * 1024;

/// A change and what it replaced.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Pending {
    /// What the journal gets: first what was found to be changed by others, and then the change, if there is one.
    pub(super) entries: Vec<Entry>,
    /// What the section held, if the last line is a change and not only something that was found.
    pub(super) before: Vec<u8>,
}

/// How much of the lines of a change a journal has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Written {
    /// Nothing.
    Nothing,
    /// So many bytes of them, at its end.
    Begun(usize),
    /// All of them, wherever they stand.
    All,
}

impl Pending {
    /// Returns the last of its lines.
    pub(super) fn change(&self) -> Option<&Entry> {
        self.entries.last()
    }

    /// Returns the lines that the journal gets.
    pub(super) fn lines(&self) -> String {
        self.entries.iter().map(|entry| entry.to_line() + "\n").collect()
    }

    pub(super) fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = self.lines().into_bytes();
        bytes.push(b'\n');
        bytes.extend_from_slice(&self.before);
        bytes
    }

    /// Reads what was written down; none if no change writes such a thing.
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
            entries.push(Entry::of_line(line)?);
        }
        let pending = Self { entries, before: rest.to_vec() };
        pending.is_sound().then_some(pending)
    }

    fn is_sound(&self) -> bool {
        let Some((change, others)) = self.entries.split_last() else { return false };
        let is_chain =
            self.entries.windows(2).all(|two| matches!(two, [one, next] if next.parents == [one.id]));
        let is_whole = match change.before {
            Some(before) if change.operation != Operation::Outside => before == ContentHash::of(&self.before),
            _ => self.before.is_empty(),
        };
        is_chain
            && is_whole
            && others.iter().all(|entry| entry.operation == Operation::Outside)
            && self.entries.iter().all(is_sound)
    }

    /// Returns how much of its lines a journal has.
    pub(super) fn written(&self, journal: &[u8]) -> Written {
        let lines = self.lines();
        let lines = lines.as_bytes();
        if let Some(end) = self.at().and_then(|at| journal.get(at..)).filter(|end| !end.is_empty())
            && end.len() < lines.len()
            && lines.starts_with(end)
        {
            return Written::Begun(end.len());
        }
        let mut missing: BTreeSet<&[u8]> = lines.split(|byte| *byte == b'\n').collect();
        missing.remove(&b""[..]);
        for line in journal.split(|byte| *byte == b'\n').rev() {
            if missing.is_empty() {
                break;
            }
            missing.remove(line);
        }
        if missing.is_empty() { Written::All } else { Written::Nothing }
    }

    /// Returns where its lines begin in the journal.
    pub(super) fn at(&self) -> Option<usize> {
        self.entries.first().and_then(|first| usize::try_from(first.at).ok())
    }

    /// Returns whether its lines could have been written behind what a journal says.
    pub(super) fn fits(&self, journal: &Journal) -> bool {
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
                None => recorded(journal, &entry.section).contains(&entry.before),
            };
            before = Some(entry);
            follows
        })
    }
}

/// Returns whether a change writes such a line.
fn is_sound(entry: &Entry) -> bool {
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

/// Returns whether a text is a time as it is written in journals.
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
