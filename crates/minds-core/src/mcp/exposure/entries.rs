//! The entries of a whitelist or blacklist.

use std::collections::BTreeSet;

use minds_access_control::matches_glob;

/// The distinct entries of a list. Names are indexed, because a file can contain a hundred thousand.
#[derive(Clone, Debug, Default)]
pub(super) struct Entries<'r> {
    /// All entries in file order.
    ordered: Vec<&'r str>,
    /// The entries without `*`.
    names: BTreeSet<&'r str>,
    /// The entries with `*`.
    patterns: Vec<&'r str>,
}

impl<'r> Entries<'r> {
    pub(super) fn is_empty(&self) -> bool {
        self.ordered.is_empty()
    }

    /// Returns whether an entry matches the complete name.
    pub(super) fn matches(&self, name: &str) -> bool {
        self.names.contains(name) || self.patterns.iter().any(|pattern| matches_glob(pattern, name))
    }

    /// Returns the entries that match none of the names.
    pub(super) fn find_unmatched(&self, names: &BTreeSet<&str>) -> impl Iterator<Item = &'r str> {
        self.ordered.iter().copied().filter(|entry| {
            if is_pattern(entry) {
                !names.iter().any(|name| matches_glob(entry, name))
            } else {
                !names.contains(entry)
            }
        })
    }
}

impl<'r> FromIterator<&'r str> for Entries<'r> {
    fn from_iter<I: IntoIterator<Item = &'r str>>(entries: I) -> Self {
        let mut all = Self::default();
        let mut seen = BTreeSet::new();
        for entry in entries.into_iter().filter(|entry| seen.insert(*entry)) {
            all.ordered.push(entry);
            if is_pattern(entry) {
                all.patterns.push(entry);
            } else {
                all.names.insert(entry);
            }
        }
        all
    }
}

/// Returns whether an entry can match more than one name.
fn is_pattern(entry: &str) -> bool {
    entry.contains('*')
}
