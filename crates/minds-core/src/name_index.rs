//! Names in file order with fast lookup.

use std::collections::BTreeMap;

/// Names in file order with an index, because a file can contain a hundred thousand names and as many references.
#[derive(Debug, Default)]
pub(crate) struct NameIndex {
    ordered: Vec<String>,
    places: BTreeMap<String, usize>,
}

impl NameIndex {
    /// Returns the position of the first occurrence of a name in file order.
    pub(crate) fn position(&self, name: &str) -> Option<usize> {
        self.places.get(name).copied()
    }

    /// Returns whether the index contains a name.
    pub(crate) fn contains(&self, name: &str) -> bool {
        self.places.contains_key(name)
    }

    /// Returns the names in file order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &str> {
        self.ordered.iter().map(String::as_str)
    }

    /// Returns whether the index is empty.
    pub(crate) fn is_empty(&self) -> bool {
        self.ordered.is_empty()
    }
}

impl<'n> FromIterator<&'n str> for NameIndex {
    fn from_iter<I: IntoIterator<Item = &'n str>>(names: I) -> Self {
        let mut all = Self::default();
        for (place, name) in names.into_iter().enumerate() {
            all.places.entry(name.to_owned()).or_insert(place);
            all.ordered.push(name.to_owned());
        }
        all
    }
}
