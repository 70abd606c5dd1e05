//! Names in the order of a file.

use std::collections::BTreeMap;

/// Names in the order of a file, each of which is found without looking at the others: a file may have a hundred
/// thousand of them, and as many references.
#[derive(Debug, Default)]
pub(crate) struct Names {
    ordered: Vec<String>,
    places: BTreeMap<String, usize>,
}

impl Names {
    /// Returns the place of a name in the order of the file, the first one if it is there twice.
    pub(crate) fn place(&self, name: &str) -> Option<usize> {
        self.places.get(name).copied()
    }

    /// Returns whether a name is among these.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.places.contains_key(name)
    }

    /// Returns the names in the order of the file.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &str> {
        self.ordered.iter().map(String::as_str)
    }

    /// Returns whether there is no name.
    pub(crate) fn is_empty(&self) -> bool {
        self.ordered.is_empty()
    }
}

impl<'n> FromIterator<&'n str> for Names {
    fn from_iter<I: IntoIterator<Item = &'n str>>(names: I) -> Self {
        let mut all = Self::default();
        for (place, name) in names.into_iter().enumerate() {
            all.places.entry(name.to_owned()).or_insert(place);
            all.ordered.push(name.to_owned());
        }
        all
    }
}
