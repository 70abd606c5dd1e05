//! Which change somebody means.

use minds_document::ContentHash;

use super::entry::Entry;
use super::read::Journal;
use crate::{TaskCode, TaskError};

/// How a whole id begins.
const PREFIX: &str = "sha256:";
/// The fewest digits by which a change is named.
const FEWEST_DIGITS: usize = 6;
/// How many digits people are shown.
const SHOWN_DIGITS: usize = 12;
/// How many changes are offered where none or several are meant.
const MAX_OFFERED: usize = 5;

impl Entry {
    /// Returns the beginning of the id, by which people name the change.
    pub fn short(&self) -> String {
        short(&self.id)
    }
}

/// Returns the first digits of a hash.
fn short(hash: &ContentHash) -> String {
    hash.to_string().trim_start_matches(PREFIX).chars().take(SHOWN_DIGITS).collect()
}

impl Journal {
    /// Returns whether a text can name a change: an id, or at least its first six hexadecimal digits.
    pub fn can_name_change(text: &str) -> bool {
        let digits = text.strip_prefix(PREFIX).unwrap_or(text);
        let is_whole = text.starts_with(PREFIX);
        (is_whole || digits.len() >= FEWEST_DIGITS) && digits.bytes().all(|byte| byte.is_ascii_hexdigit())
    }

    /// Returns the change that a text names.
    ///
    /// # Errors
    ///
    /// Refuses what names no change, or several, and says which are near.
    pub fn change(&self, text: &str) -> Result<&Entry, TaskError> {
        let refused = |message: String| TaskError::new(TaskCode::ChangeNotFound, message);
        let shown = text.escape_debug();
        let digits = text.strip_prefix(PREFIX).unwrap_or(text).to_ascii_lowercase();
        if !Self::can_name_change(text) || digits.is_empty() {
            return Err(refused(format!("`{shown}` names no change"))
                .next("give at least six digits of an id that `minds task log` shows"));
        }
        match self.find(&digits) {
            Ok(entry) => Ok(entry),
            Err(0) => Err(refused(format!("the journal has no change `{shown}`")).next(self.near(&digits))),
            Err(count) => {
                let near = self.begun(&digits);
                Err(refused(format!("`{shown}` names {count} changes"))
                    .next(format!("give more digits: {near}")))
            }
        }
    }

    /// Returns the ids of the changes that begin so, in words.
    fn begun(&self, digits: &str) -> String {
        let longer = (digits.len() + 4).max(SHOWN_DIGITS);
        let ids = self.entries.iter().map(|entry| entry.id.to_string());
        let begun = ids.filter_map(|id| {
            let id = id.strip_prefix(PREFIX)?;
            id.starts_with(digits).then(|| format!("`{}`", id.get(..longer).unwrap_or(id)))
        });
        begun.take(MAX_OFFERED).collect::<Vec<_>>().join(", ")
    }

    /// Returns what to do about an id that no change has.
    fn near(&self, digits: &str) -> String {
        let near = (4..digits.len()).rev().filter_map(|length| digits.get(..length));
        match near.map(|begun| self.begun(begun)).find(|begun| !begun.is_empty()) {
            Some(near) => format!("did you mean {near}?"),
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
    fn a_change_is_named_by_its_id_or_by_how_it_begins() {
        let journal = journal(20);
        for entry in &journal.entries {
            let whole = entry.id.to_string();
            let digits = whole.trim_start_matches(PREFIX);
            for text in [
                whole.as_str(),
                digits,
                digits.get(..6).unwrap(),
                whole.get(..13).unwrap(),
                &digits.get(..8).unwrap().to_uppercase(),
            ] {
                assert!(Journal::can_name_change(text), "{text}");
                assert_eq!(journal.change(text).unwrap().id, entry.id, "{text}");
            }
        }
        for text in ["", "12345", "goals", "facade-x", "sha256:", "sha256:xyz", "abcdefg"] {
            let refused = journal.change(text).unwrap_err();
            assert_eq!(refused.code, TaskCode::ChangeNotFound, "{text}");
        }
    }

    #[test]
    fn what_names_none_or_several_is_answered_with_those_that_are_near() {
        let journal = journal(3_000);
        let first = journal.entries[0].short();
        // Among three thousand some share their first two digits; the shortest name is taken as a whole id here.
        let several = journal.change(&format!("{PREFIX}{}", first.get(..2).unwrap())).unwrap_err();
        assert!(several.message.contains("names") && several.next.unwrap().matches('`').count() == 10);
        let wrong = format!("{}{}", first.get(..8).unwrap(), "0000");
        let near = journal.change(&wrong).unwrap_err().next.unwrap();
        assert!(near.starts_with("did you mean `") && near.contains(&first), "{near}");
        let none = Journal::default().change("abcdef").unwrap_err();
        assert_eq!(none.next.as_deref(), Some("`minds task log` lists the changes"));
    }
}
