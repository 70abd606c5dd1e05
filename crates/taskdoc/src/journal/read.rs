//! A journal as it stands on disk.

use std::collections::{BTreeMap, BTreeSet};

use minds_document::ContentHash;

use super::entry::Entry;
use super::graph::Heads;

/// A journal that was read whole.
#[derive(Clone, Debug, Default)]
pub struct Journal {
    /// The changes in the order in which they stand there, each once.
    pub entries: Vec<Entry>,
    /// The lines that say nothing that can be relied on.
    pub problems: Vec<JournalLine>,
}

/// A line that is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JournalLine {
    /// Its number, from 1 on.
    pub line: usize,
    /// Where it begins, in bytes.
    pub start: usize,
    /// Where it ends.
    pub end: usize,
    /// What is wrong, in words.
    pub reason: String,
}

impl Journal {
    /// Reads all lines. Lines that are there twice count once.
    pub fn read(bytes: &[u8]) -> Self {
        let mut journal = Self::default();
        let mut known = BTreeSet::new();
        let mut start = 0;
        for (index, line) in bytes.split_inclusive(|byte| *byte == b'\n').enumerate() {
            let end = start + line.len();
            let text = line.strip_suffix(b"\n").unwrap_or(line);
            let text = text.strip_suffix(b"\r").unwrap_or(text);
            if !text.is_empty() {
                let read = std::str::from_utf8(text)
                    .map_err(|_| "it is no text in UTF-8".to_owned())
                    .and_then(Entry::read);
                match read {
                    Ok(entry) => {
                        if known.insert(entry.id) {
                            journal.entries.push(entry);
                        }
                    }
                    Err(reason) => journal.problems.push(JournalLine {
                        line: index + 1,
                        start,
                        end: start + text.len(),
                        reason,
                    }),
                }
            }
            start = end;
        }
        journal
    }

    /// Returns the changes that no other one comes after.
    pub fn heads(&self) -> Heads {
        Heads::of(&self.entries)
    }

    /// Returns the change with an id, or with an id that begins so.
    ///
    /// # Errors
    ///
    /// Returns how many there are, if it is not one.
    pub fn find(&self, id: &str) -> Result<&Entry, usize> {
        let begun = id.strip_prefix("sha256:").unwrap_or(id);
        let is_meant = |entry: &&Entry| {
            let whole = entry.id.to_string();
            !begun.is_empty() && whole.strip_prefix("sha256:").is_some_and(|digits| digits.starts_with(begun))
        };
        let mut found = self.entries.iter().filter(is_meant);
        match (found.next(), found.count()) {
            (Some(entry), 0) => Ok(entry),
            (Some(_), others) => Err(others + 1),
            (None, _) => Err(0),
        }
    }

    /// Returns which change has which id.
    pub fn by_id(&self) -> BTreeMap<ContentHash, &Entry> {
        self.entries.iter().map(|entry| (entry.id, entry)).collect()
    }
}
