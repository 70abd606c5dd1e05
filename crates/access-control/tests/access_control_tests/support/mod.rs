//! A short notation for access lists in test tables.

use minds_access_control::{EntryList, Extension, Lists, Pattern};

/// Parses lists: `-` denies and `+` allows the directory that follows, `~` and `=` the extension. An invalid entry makes its
/// list unreadable.
pub(crate) fn lists(entries: &str) -> Lists {
    Lists {
        deny: list(entries, "-", |entry| Pattern::parse(entry).ok()),
        deny_extensions: list(entries, "~", |entry| Extension::parse(entry).ok()),
        allow: list(entries, "+", |entry| Pattern::parse(entry).ok()),
        allow_extensions: list(entries, "=", |entry| Extension::parse(entry).ok()),
    }
}

fn list<T>(entries: &str, sign: &str, parse: fn(&str) -> Option<T>) -> EntryList<T> {
    let written: Vec<&str> = entries.split(' ').filter_map(|entry| entry.strip_prefix(sign)).collect();
    if written.is_empty() {
        return EntryList::Absent;
    }
    EntryList::from_entries(written.into_iter().map(|entry| parse(entry).ok_or(entry)))
}
