//! A change recorded in a journal.

use minds_vfs::ContentHash;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Section;

/// The kind of a change of a section.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Operation {
    /// The content was set; the section may have existed before.
    Set,
    /// The section was created.
    Create,
    /// Text was appended.
    Append,
    /// The content was emptied.
    Clear,
    /// The section was removed.
    Remove,
    /// The content before an earlier change was restored.
    Undo,
    /// The content differed from the journal: it was changed by an unknown author.
    Outside,
}

impl Operation {
    /// Returns the name of the operation in the journal.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Set => "set",
            Self::Create => "create",
            Self::Append => "append",
            Self::Clear => "clear",
            Self::Remove => "remove",
            Self::Undo => "undo",
            Self::Outside => "outside",
        }
    }
}

/// A change that is about to be recorded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Draft {
    /// The heads of the journal before this change.
    pub parents: Vec<ContentHash>,
    /// The time of the change, as RFC 3339 in UTC.
    pub time: String,
    /// The author of the change.
    pub actor: String,
    /// The kind of the change.
    pub operation: Operation,
    /// The changed section.
    pub section: Section,
    /// The previous content; none if the section did not exist.
    pub before: Option<ContentHash>,
    /// The new content; none if the section was removed.
    pub after: Option<ContentHash>,
    /// The size of the new content in bytes.
    pub size: u64,
    /// The change that is undone, if any.
    pub undoes: Option<ContentHash>,
    /// The offset of the line in the journal in bytes. If the last line is at its recorded offset, the
    /// journal was only appended to after the parents of that line, so the line is the only head. It is only
    /// a hint.
    pub at: u64,
}

/// A change as recorded in a journal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The hash of the line without this field, which identifies the change.
    pub id: ContentHash,
    /// The content of the line.
    pub draft: Draft,
}

impl std::ops::Deref for Entry {
    type Target = Draft;

    fn deref(&self) -> &Draft {
        &self.draft
    }
}

/// A line as JSON. The order of the fields is a contract: the id is the hash of the serialized line.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<String>,
    parents: Vec<String>,
    time: String,
    actor: String,
    operation: Operation,
    section: String,
    before: Option<String>,
    after: Option<String>,
    size: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    undoes: Option<String>,
    at: u64,
}

impl Entry {
    /// Returns the change with its id.
    pub fn new(draft: Draft) -> Self {
        let id = ContentHash::of(serialize(&draft, None).as_bytes());
        Self { id, draft }
    }

    /// Returns the line without its line break.
    pub fn to_line(&self) -> String {
        serialize(&self.draft, Some(self.id))
    }

    /// Parses a line without its line break; none if [`Entry::parse`] refuses it.
    pub fn of_line(line: &[u8]) -> Option<Self> {
        Self::parse(std::str::from_utf8(line).ok()?).ok()
    }

    /// Parses a line without its line break.
    ///
    /// # Errors
    ///
    /// Returns the reason, as text for a message: it is not a journal line, or was modified.
    pub fn parse(text: &str) -> Result<Self, String> {
        let line: Line =
            serde_json::from_str(text).map_err(|error| format!("it is not a journal line: {error}"))?;
        let hash = |text: &str| text.parse::<ContentHash>().map_err(|error| error.to_string());
        let option = |text: &Option<String>| text.as_deref().map(hash).transpose();
        let id = hash(line.id.as_deref().ok_or("it has no id")?)?;
        let section = Section::parse_qualified(&line.section).map_err(|error| error.message)?;
        if section.to_string() != line.section {
            return Err(format!("`{}` is not a section", line.section.escape_debug()));
        }
        let draft = Draft {
            parents: line.parents.iter().map(|parent| hash(parent)).collect::<Result<_, _>>()?,
            before: option(&line.before)?,
            after: option(&line.after)?,
            undoes: option(&line.undoes)?,
            section,
            time: line.time,
            actor: line.actor,
            operation: line.operation,
            size: line.size,
            at: line.at,
        };
        let entry = Self::new(draft);
        if entry.id != id {
            return Err("the line was modified after it was written".to_owned());
        }
        if entry.to_line() != text {
            return Err("the line is not in its original form".to_owned());
        }
        Ok(entry)
    }
}

fn serialize(draft: &Draft, id: Option<ContentHash>) -> String {
    let text = |hash: &ContentHash| hash.to_string();
    let line = Line {
        id: id.map(|id| id.to_string()),
        parents: draft.parents.iter().map(text).collect(),
        time: draft.time.clone(),
        actor: draft.actor.clone(),
        operation: draft.operation,
        section: draft.section.to_string(),
        before: draft.before.as_ref().map(text),
        after: draft.after.as_ref().map(text),
        size: draft.size,
        undoes: draft.undoes.as_ref().map(text),
        at: draft.at,
    };
    // The line consists of strings, numbers and lists of them, so this cannot fail.
    serde_json::to_string(&line).unwrap_or_default()
}
