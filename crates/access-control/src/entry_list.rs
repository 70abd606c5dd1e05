//! An access list: its entries, absent, or unreadable.

/// The configuration of one access list of a member.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum EntryList<T> {
    /// Without a list, nothing is restricted.
    #[default]
    Absent,
    /// These entries, in order. An empty list restricts nothing.
    Given(Vec<T>),
    /// A list with an invalid entry, or a value that is not a list: everything that the list applies to is denied.
    Unreadable {
        /// The first invalid entry, as written; `None` if the value is not a list, or the entry is not known.
        entry: Option<Box<str>>,
    },
}

impl<T> EntryList<T> {
    /// Returns the list of `entries`; it is unreadable if one of them is an `Err`, which holds the entry as written.
    pub fn from_entries<E: Into<Box<str>>>(entries: impl IntoIterator<Item = Result<T, E>>) -> Self {
        match entries.into_iter().collect() {
            Ok(entries) => Self::Given(entries),
            Err(entry) => Self::Unreadable { entry: Some(entry.into()) },
        }
    }

    /// Returns the list for a value that is not a list.
    pub fn unreadable() -> Self {
        Self::Unreadable { entry: None }
    }

    /// Returns whether the list is unreadable.
    pub fn is_unreadable(&self) -> bool {
        matches!(self, Self::Unreadable { .. })
    }

    /// Returns the entries; an empty slice if the list is absent or unreadable.
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
    fn one_invalid_entry_at_any_index_makes_a_list_unreadable() {
        for bad in 0..3 {
            let entries = (0..3).map(|at| if at == bad { Err("bad") } else { Ok(at) });
            assert_eq!(EntryList::from_entries(entries), EntryList::Unreadable { entry: Some("bad".into()) });
        }
        assert_eq!(EntryList::<u8>::from_entries::<&str>([]), EntryList::Given(vec![]));
    }
}
