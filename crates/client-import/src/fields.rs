//! Reading the keys of a mapping, so that none is forgotten.

use std::collections::BTreeSet;

use minds_clients::{Entry, Item, Value};

/// The keys of a mapping, each of which is either read or reported.
pub(crate) struct Fields<'i> {
    entries: &'i [Entry],
    read: BTreeSet<&'i str>,
}

impl<'i> Fields<'i> {
    pub(crate) fn new(item: Option<&'i Item>) -> Self {
        Self { entries: item.map(Item::entries).unwrap_or_default(), read: BTreeSet::new() }
    }

    /// Reads a key. Of a key that is repeated, the last entry counts, as in every client.
    pub(crate) fn entry(&mut self, key: &str) -> Option<&'i Entry> {
        let entry = self.entries.iter().rev().find(|entry| entry.key == key)?;
        self.read.insert(&entry.key);
        Some(entry)
    }

    /// Reads the value of a key.
    pub(crate) fn get(&mut self, key: &str) -> Option<&'i Item> {
        self.entry(key).map(|entry| &entry.item)
    }

    /// Reads a string that is not empty.
    pub(crate) fn text(&mut self, key: &str) -> Option<&'i str> {
        self.get(key).and_then(Item::text).filter(|text| !text.is_empty())
    }

    /// Marks keys as read, because nothing has to be carried over.
    pub(crate) fn skip(&mut self, keys: &[&str]) {
        for key in keys {
            let _ = self.entry(key);
        }
    }

    /// Returns the entries that were not read.
    pub(crate) fn rest(self) -> impl Iterator<Item = &'i Entry> {
        self.entries.iter().filter(move |entry| !self.read.contains(entry.key.as_str()))
    }
}

/// Returns whether a value is `true`, also as the word of a file without types.
pub(crate) fn is_true(item: &Item) -> bool {
    matches!(&item.value, Value::Bool(true)) || item.text() == Some("true")
}

/// Returns whether a value is `false`, also as the word of a file without types.
pub(crate) fn is_false(item: &Item) -> bool {
    matches!(&item.value, Value::Bool(false)) || item.text() == Some("false")
}
