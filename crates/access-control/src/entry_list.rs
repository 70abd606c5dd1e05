//! A list of entries, or why there is none.

/// What a member's configuration says about one access list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum EntryList<T> {
    /// Nothing: no restriction of that list.
    #[default]
    Absent,
    /// These entries, in order. An empty list restricts nothing.
    Given(Vec<T>),
    /// A list with an entry that cannot be read, or something that is no list: whatever the list is for is denied.
    Unreadable {
        /// The first entry that cannot be read, as it was written; none if it is no list, or nobody knows.
        entry: Option<Box<str>>,
    },
}

impl<T> EntryList<T> {
    /// Returns the list of `entries`; it is unreadable if one of them is. Such an entry says how it was written.
    pub fn from_entries<E: Into<Box<str>>>(entries: impl IntoIterator<Item = Result<T, E>>) -> Self {
        match entries.into_iter().collect() {
            Ok(entries) => Self::Given(entries),
            Err(entry) => Self::Unreadable { entry: Some(entry.into()) },
        }
    }

    /// Returns something that should have been a list and is none.
    pub fn unreadable() -> Self {
        Self::Unreadable { entry: None }
    }

    /// Returns whether nobody knows what the list says.
    pub fn is_unreadable(&self) -> bool {
        matches!(self, Self::Unreadable { .. })
    }

    /// Returns the entries that can be relied on; none if the list is absent or unreadable.
    pub fn entries(&self) -> &[T] {
        match self {
            Self::Given(entries) => entries,
            Self::Absent | Self::Unreadable { .. } => &[],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::EntryList;

    #[test]
    fn one_bad_entry_makes_a_list_unreadable_wherever_it_stands() {
        for bad in 0..3 {
            let entries = (0..3).map(|at| if at == bad { Err("bad") } else { Ok(at) });
            assert_eq!(EntryList::from_entries(entries), EntryList::Unreadable { entry: Some("bad".into()) });
        }
        assert_eq!(EntryList::<u8>::from_entries::<&str>([]), EntryList::Given(vec![]));
    }
}
