//! One change.

use minds_document::ContentHash;
use serde::{Deserialize, Serialize};

use crate::Section;

/// What was done to a section.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Operation {
    /// It got a content, and may have had one before.
    Set,
    /// It was made.
    Create,
    /// Something was written behind what it held.
    Append,
    /// It was emptied.
    Clear,
    /// It was removed.
    Remove,
    /// It got back what it held before a change.
    Undo,
    /// It was found to hold something else than the journal says: nobody knows who did that.
    Outside,
}

impl Operation {
    /// Returns the word.
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

/// A change that is about to be written down.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Draft {
    /// The last changes before it.
    pub parents: Vec<ContentHash>,
    /// When, as RFC 3339 in UTC.
    pub time: String,
    /// Who.
    pub actor: String,
    /// What.
    pub operation: Operation,
    /// The section.
    pub section: Section,
    /// What it held; none if it was not there.
    pub before: Option<ContentHash>,
    /// What it holds then; none if it is gone.
    pub after: Option<ContentHash>,
    /// How many bytes that is.
    pub size: u64,
    /// The change that is undone, if one is.
    pub undoes: Option<ContentHash>,
    /// How many bytes of the journal come before its line. A journal that ends with a line for which this is true was only
    /// ever appended to behind the parents of that line, so the line is its only head. It is a hint, and no more.
    pub at: u64,
}

/// A change as it stands in a journal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The hash of its line without this field: its name.
    pub id: ContentHash,
    /// What it says.
    pub draft: Draft,
}

impl std::ops::Deref for Entry {
    type Target = Draft;

    fn deref(&self) -> &Draft {
        &self.draft
    }
}

/// The line as JSON. The order of the fields is a contract: the id is the hash of what is written.
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
    /// Returns the change with its name.
    pub fn new(draft: Draft) -> Self {
        let id = ContentHash::of(line(&draft, None).as_bytes());
        Self { id, draft }
    }

    /// Returns its line, without the line break.
    pub fn to_line(&self) -> String {
        line(&self.draft, Some(self.id))
    }

    /// Reads a line without its line break; none if [`Entry::read`] refuses it.
    pub fn of_line(line: &[u8]) -> Option<Self> {
        Self::read(std::str::from_utf8(line).ok()?).ok()
    }

    /// Reads a line without its line break.
    ///
    /// # Errors
    ///
    /// Returns what is wrong with it, in words: it is no such line, or not as it was written.
    pub fn read(text: &str) -> Result<Self, String> {
        let line: Line =
            serde_json::from_str(text).map_err(|error| format!("it is no line of a journal: {error}"))?;
        let hash = |text: &str| text.parse::<ContentHash>().map_err(|error| error.to_string());
        let option = |text: &Option<String>| text.as_deref().map(hash).transpose();
        let id = hash(line.id.as_deref().ok_or("it has no id")?)?;
        let section = Section::parse_whole(&line.section).map_err(|error| error.message)?;
        if section.to_string() != line.section {
            return Err(format!("`{}` is no section", line.section.escape_debug()));
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
            return Err("it was changed after it was written".to_owned());
        }
        if entry.to_line() != text {
            return Err("it is not written as it was".to_owned());
        }
        Ok(entry)
    }
}

fn line(draft: &Draft, id: Option<ContentHash>) -> String {
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
    // Only texts, numbers and lists of them are in it, so this cannot fail.
    serde_json::to_string(&line).unwrap_or_default()
}
