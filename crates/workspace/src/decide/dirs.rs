//! Parses the access lists of a line.

use minds_access_control::{Access, EntryList, Extension, ListKey, ListKind, Lists, Pattern, Policy};
use serde::Serialize;
use serde_json::value::RawValue;

use super::line::{Entries, Name, message_without_position, string};

/// The maximum number of reported problems.
const MAX_PROBLEMS: usize = 1_000;

/// The content of `dirs`.
#[derive(Debug)]
pub(super) struct Dirs {
    pub(super) policy: Policy,
    pub(super) problems: Vec<Problem>,
}

/// Why a list cannot be read.
#[derive(Debug, Serialize)]
pub(super) struct Problem {
    list: ListKey,
    entry: Option<String>,
    message: String,
}

impl Name for ListKey {
    fn find(text: &str) -> Option<Self> {
        Self::all().find(|key| key.as_str() == text)
    }
}

impl Dirs {
    /// Parses an object of lists. Invalid lists deny; an error is only returned if the object itself is invalid.
    pub(super) fn read(text: &str) -> Result<Self, String> {
        if !text.starts_with('{') {
            return Err("`dirs` must be an object".to_owned());
        }
        let entries: Entries<'_, ListKey> = serde_json::from_str(text)
            .map_err(|error| format!("`dirs`: {}", message_without_position(&error)))?;
        let mut problems = Vec::new();
        let (mut read, mut write) = (Lists::default(), Lists::default());
        for (key, value) in entries.0 {
            let lists = match key.access {
                Access::Read => &mut read,
                Access::Write => &mut write,
            };
            let pattern = |entry: &str| Pattern::parse(entry).map_err(|error| error.kind().to_string());
            let extension = |entry: &str| Extension::parse(entry).map_err(|error| error.to_string());
            match key.kind {
                ListKind::Deny => lists.deny = list(key, value, pattern, &mut problems),
                ListKind::DenyExtension => {
                    lists.deny_extensions = list(key, value, extension, &mut problems);
                }
                ListKind::Allow => lists.allow = list(key, value, pattern, &mut problems),
                ListKind::AllowExtension => {
                    lists.allow_extensions = list(key, value, extension, &mut problems);
                }
            }
        }
        Ok(Self { policy: Policy::new(read, write), problems })
    }
}

/// Parses a list, and adds a problem if it is invalid.
fn list<T>(
    key: ListKey,
    value: &RawValue,
    parse: impl Fn(&str) -> Result<T, String>,
    problems: &mut Vec<Problem>,
) -> EntryList<T> {
    let mut report = |entry, message: &str| {
        if problems.len() < MAX_PROBLEMS {
            problems.push(Problem { list: key, entry, message: message.to_owned() });
        }
    };
    let Some(items) = items(value) else {
        report(None, "it must be a list of strings");
        return EntryList::unreadable();
    };
    let mut entries = Vec::with_capacity(items.len());
    let mut unreadable: Option<Option<Box<str>>> = None;
    for item in items {
        let (entry, message) = match string("entry", item) {
            Err(_) => (None, "every entry must be a string".to_owned()),
            Ok(written) => match parse(&written) {
                Ok(entry) => {
                    entries.push(entry);
                    continue;
                }
                Err(message) => (Some(written.into_owned()), message),
            },
        };
        unreadable.get_or_insert_with(|| entry.clone().map(Into::into));
        report(entry, &message);
    }
    match unreadable {
        None => EntryList::Given(entries),
        Some(entry) => EntryList::Unreadable { entry },
    }
}

/// Returns the items of a list; `None` if the value is not a list.
fn items(value: &RawValue) -> Option<Vec<&RawValue>> {
    if value.get().starts_with('[') { serde_json::from_str(value.get()).ok() } else { None }
}
