//! Finding a change by its id.

use minds_vfs::ContentHash;

use super::entry::Entry;
use super::read::Journal;
use crate::{TaskCode, TaskError};

/// The prefix of a complete id.
const PREFIX: &str = "sha256:";
/// The minimum number of digits that identify a change.
const MIN_DIGITS: usize = 6;
/// The number of digits shown to users.
const SHOWN_DIGITS: usize = 12;
/// The maximum number of suggested changes.
const MAX_SUGGESTIONS: usize = 5;

impl Entry {
    /// Returns the abbreviated id that is shown to users.
    pub fn short_id(&self) -> String {
        abbreviate(&self.id)
    }
}

/// Returns the first digits of a hash.
fn abbreviate(hash: &ContentHash) -> String {
    hash.to_string().trim_start_matches(PREFIX).chars().take(SHOWN_DIGITS).collect()
}

impl Journal {
    /// Returns whether a string can be the id of a change: a complete id, or at least its first six
    /// hexadecimal digits.
    pub fn is_change_id(text: &str) -> bool {
        let digits = text.strip_prefix(PREFIX).unwrap_or(text);
        let has_prefix = text.starts_with(PREFIX);
        (has_prefix || digits.len() >= MIN_DIGITS) && digits.bytes().all(|byte| byte.is_ascii_hexdigit())
    }

    /// Returns the change with a complete or abbreviated id.
    ///
    /// # Errors
    ///
    /// Refuses ids of no change or of several changes, and suggests similar ids.
    pub fn resolve_change(&self, text: &str) -> Result<&Entry, TaskError> {
        let refused = |message: String| TaskError::new(TaskCode::ChangeNotFound, message);
        let shown = text.escape_debug();
        let digits = text.strip_prefix(PREFIX).unwrap_or(text).to_ascii_lowercase();
        if !Self::is_change_id(text) || digits.is_empty() {
            return Err(refused(format!("`{shown}` is not the id of a change"))
                .next("pass at least six digits of an id from `minds task log`"));
        }
        match self.find(&digits) {
            Ok(entry) => Ok(entry),
            Err(0) => {
                Err(refused(format!("the journal has no change `{shown}`")).next(self.suggest(&digits)))
            }
            Err(count) => {
                let ids = self.ids_starting_with(&digits);
                Err(refused(format!("`{shown}` matches {count} changes"))
                    .next(format!("pass more digits: {ids}")))
            }
        }
    }

    /// Returns the ids that start with these digits, for a message.
    fn ids_starting_with(&self, digits: &str) -> String {
        let longer = (digits.len() + 4).max(SHOWN_DIGITS);
        let ids = self.entries.iter().map(|entry| entry.id.to_string());
        let matching = ids.filter_map(|id| {
            let id = id.strip_prefix(PREFIX)?;
            id.starts_with(digits).then(|| format!("`{}`", id.get(..longer).unwrap_or(id)))
        });
        matching.take(MAX_SUGGESTIONS).collect::<Vec<_>>().join(", ")
    }

    /// Returns the next step for an unknown id.
    fn suggest(&self, digits: &str) -> String {
        let prefixes = (4..digits.len()).rev().filter_map(|length| digits.get(..length));
        match prefixes.map(|prefix| self.ids_starting_with(prefix)).find(|ids| !ids.is_empty()) {
            Some(ids) => format!("did you mean {ids}?"),
            None => "`minds task log` lists the changes".to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Section;
    use crate::journal::{Draft, Operation};

    fn journal(count: u64) -> Journal {
        let draft = |size| Draft {
            parents: Vec::new(),
            time: "2026-01-01T00:00:00.000Z".to_owned(),
            actor: "user:ann".to_owned(),
            operation: Operation::Set,
            section: Section::GOALS,
            before: None,
            after: None,
            size,
            undoes: None,
            at: 0,
        };
        let entries = (0..count).map(|size| Entry::new(draft(size))).collect();
        Journal { entries, problems: Vec::new() }
    }

    #[test]
    fn a_change_is_found_by_its_complete_or_abbreviated_id() {
        let journal = journal(20);
        for entry in &journal.entries {
            let id = entry.id.to_string();
            let digits = id.trim_start_matches(PREFIX);
            for text in [
                id.as_str(),
                digits,
                digits.get(..6).unwrap(),
                id.get(..13).unwrap(),
                &digits.get(..8).unwrap().to_uppercase(),
            ] {
                assert!(Journal::is_change_id(text), "{text}");
                assert_eq!(journal.resolve_change(text).unwrap().id, entry.id, "{text}");
            }
        }
        for text in ["", "12345", "goals", "facade-x", "sha256:", "sha256:xyz", "abcdefg"] {
            let refused = journal.resolve_change(text).unwrap_err();
            assert_eq!(refused.code, TaskCode::ChangeNotFound, "{text}");
        }
    }

    #[test]
    fn unknown_and_ambiguous_ids_are_answered_with_suggestions() {
        let journal = journal(3_000);
        let first = journal.entries[0].short_id();
        // Among three thousand changes, some share their first two digits.
        let several = journal.resolve_change(&format!("{PREFIX}{}", first.get(..2).unwrap())).unwrap_err();
        assert!(several.message.contains("matches") && several.next.unwrap().matches('`').count() == 10);
        let wrong = format!("{}{}", first.get(..8).unwrap(), "0000");
        let near = journal.resolve_change(&wrong).unwrap_err().next.unwrap();
        assert!(near.starts_with("did you mean `") && near.contains(&first), "{near}");
        let none = Journal::default().resolve_change("abcdef").unwrap_err();
        assert_eq!(none.next.as_deref(), Some("`minds task log` lists the changes"));
    }
}
