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
    Unreadable,
}

impl<T> EntryList<T> {
    /// Returns the list of `entries`; it is unreadable if one of them is.
    pub fn from_entries<E>(entries: impl IntoIterator<Item = Result<T, E>>) -> Self {
        entries.into_iter().collect::<Result<_, _>>().map_or(Self::Unreadable, Self::Given)
    }

    /// Returns the entries that can be relied on; none if the list is absent or unreadable.
    pub fn entries(&self) -> &[T] {
        match self {
            Self::Given(entries) => entries,
            Self::Absent | Self::Unreadable => &[],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::EntryList;

    #[test]
    fn one_bad_entry_makes_a_list_unreadable_wherever_it_stands() {
        for bad in 0..3 {
            let entries = (0..3).map(|at| if at == bad { Err(()) } else { Ok(at) });
            assert_eq!(EntryList::from_entries(entries), EntryList::Unreadable);
        }
        assert_eq!(EntryList::<u8>::from_entries::<()>([]), EntryList::Given(vec![]));
    }
}
