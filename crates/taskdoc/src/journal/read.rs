//! Reading a complete journal.

use std::collections::{BTreeMap, BTreeSet};

use minds_vfs::ContentHash;

use super::entry::Entry;
use super::graph::Heads;

/// A journal that was read completely.
#[derive(Clone, Debug, Default)]
pub struct Journal {
    /// The changes in the order of the file, without duplicates.
    pub entries: Vec<Entry>,
    /// The lines that cannot be trusted.
    pub problems: Vec<JournalLine>,
}

/// A line that is not valid.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JournalLine {
    /// The line number, from 1.
    pub line: usize,
    /// The start offset in bytes.
    pub start: usize,
    /// The end offset in bytes.
    pub end: usize,
    /// The reason, as text for a message.
    pub reason: String,
}

impl Journal {
    /// Parses all lines. Duplicate lines count once.
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
                    .map_err(|_| "it is not valid UTF-8".to_owned())
                    .and_then(Entry::parse);
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

    /// Returns the changes without a successor.
    pub fn heads(&self) -> Heads {
        Heads::of(&self.entries)
    }

    /// Returns the change whose id starts with the given digits.
    ///
    /// # Errors
    ///
    /// Returns the number of matching changes if it is not one.
    pub fn find(&self, id: &str) -> Result<&Entry, usize> {
        let digits_to_find = id.strip_prefix("sha256:").unwrap_or(id);
        let is_match = |entry: &&Entry| {
            let full_id = entry.id.to_string();
            !digits_to_find.is_empty()
                && full_id.strip_prefix("sha256:").is_some_and(|digits| digits.starts_with(digits_to_find))
        };
        let mut matching = self.entries.iter().filter(is_match);
        match (matching.next(), matching.count()) {
            (Some(entry), 0) => Ok(entry),
            (Some(_), rest) => Err(rest + 1),
            (None, _) => Err(0),
        }
    }

    /// Returns the changes by id.
    pub fn by_id(&self) -> BTreeMap<ContentHash, &Entry> {
        self.entries.iter().map(|entry| (entry.id, entry)).collect()
    }
}
