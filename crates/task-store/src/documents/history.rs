//! `minds task log`, `minds task blame`, `minds task diff` and `minds task undo`

use minds_diagnostics::JsonDocument;
use minds_taskdoc::{Entry, Journal, Operation, Section};
use schemars::JsonSchema;
use serde::Serialize;

use super::SuccessStatus;
use crate::{BlamedLine, UndoResult};

/// The changes of a task package, the newest first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct TaskLogDocument {
    /// The changes.
    pub entries: Vec<ChangeEntry>,
    /// The name of the package.
    pub name: String,
    /// The number of lines of the journal that cannot be read.
    pub unreadable_lines: usize,
}

impl TaskLogDocument {
    /// Returns the document of the journal of a package.
    pub fn new(name: String, journal: &Journal) -> Self {
        let entries = journal.in_order().into_iter().rev().map(ChangeEntry::from).collect();
        Self { entries, name, unreadable_lines: journal.problems.len() }
    }
}

impl JsonDocument for TaskLogDocument {
    const NAME: &'static str = "task-log";
}

/// A change of a section.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ChangeEntry {
    /// The author.
    pub actor: String,
    /// The hash of the new content; `null` if the section was removed.
    pub after: Option<String>,
    /// The hash of the previous content; `null` if the section did not exist.
    pub before: Option<String>,
    /// The id of the change.
    pub id: String,
    /// The kind of change.
    pub operation: Operation,
    /// The ids of the preceding changes.
    pub parents: Vec<String>,
    /// The section with its category.
    pub section: String,
    /// The size of the new content in bytes.
    pub size: u64,
    /// The time, as RFC 3339 in UTC.
    pub time: String,
    /// The id of the change that was undone, for an undo.
    pub undoes: Option<String>,
}

impl From<&Entry> for ChangeEntry {
    fn from(entry: &Entry) -> Self {
        Self {
            actor: entry.actor.clone(),
            after: entry.after.map(|hash| hash.to_string()),
            before: entry.before.map(|hash| hash.to_string()),
            id: entry.id.to_string(),
            operation: entry.operation,
            parents: entry.parents.iter().map(ToString::to_string).collect(),
            section: entry.section.to_string(),
            size: entry.size,
            time: entry.time.clone(),
            undoes: entry.undoes.map(|hash| hash.to_string()),
        }
    }
}

/// A change of a section as a unified diff.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct TaskDiffDocument {
    /// The author.
    pub actor: String,
    /// The hash of the new content; `null` if the section was removed.
    pub after: Option<String>,
    /// The hash of the previous content; `null` if the section did not exist.
    pub before: Option<String>,
    /// The unified diff.
    pub diff: String,
    /// The id of the change.
    pub id: String,
    /// The name of the package.
    pub name: String,
    /// The kind of change.
    pub operation: Operation,
    /// The ids of the preceding changes.
    pub parents: Vec<String>,
    /// The section with its category.
    pub section: String,
    /// The size of the new content in bytes.
    pub size: u64,
    /// The time, as RFC 3339 in UTC.
    pub time: String,
    /// The id of the change that was undone, for an undo.
    pub undoes: Option<String>,
}

impl TaskDiffDocument {
    /// Returns the document of a change of a package.
    pub fn new(name: String, change: &Entry, diff: String) -> Self {
        let change = ChangeEntry::from(change);
        let ChangeEntry { actor, after, before, id, operation, parents, section, size, time, undoes } =
            change;
        Self { actor, after, before, diff, id, name, operation, parents, section, size, time, undoes }
    }
}

impl JsonDocument for TaskDiffDocument {
    const NAME: &'static str = "task-diff";
}

/// The lines of a section, each with the change that last modified it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct TaskBlameDocument {
    /// The lines.
    pub lines: Vec<BlamedLineEntry>,
    /// The name of the package.
    pub name: String,
    /// The section with its category.
    pub section: String,
}

/// A line of a section, and the change that last modified it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct BlamedLineEntry {
    /// The author; `null` if the journal does not contain the change.
    pub actor: Option<String>,
    /// The id of the change; `null` if the journal does not contain it.
    pub change: Option<String>,
    /// Whether this change certainly modified the line; otherwise it may be an older change.
    pub is_certain: bool,
    /// The line number, which begins at 1.
    pub line: usize,
    /// The line without its line break.
    pub text: String,
    /// The time of the change, as RFC 3339 in UTC; `null` if the journal does not contain it.
    pub time: Option<String>,
}

impl TaskBlameDocument {
    /// Returns the document of the lines of a section.
    pub fn new(name: String, section: &Section, lines: &[BlamedLine]) -> Self {
        let entry = |(index, line): (usize, &BlamedLine)| BlamedLineEntry {
            actor: line.change.as_ref().map(|change| change.actor.clone()),
            change: line.change.as_ref().map(|change| change.id.to_string()),
            is_certain: line.is_certain,
            line: index + 1,
            text: line.text.clone(),
            time: line.change.as_ref().map(|change| change.time.clone()),
        };
        let lines = lines.iter().enumerate().map(entry).collect();
        Self { lines, name, section: section.to_string() }
    }
}

impl JsonDocument for TaskBlameDocument {
    const NAME: &'static str = "task-blame";
}

/// An undone change.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct TaskUndoDocument {
    /// The id of the change that the undo made; `null` if the section already had the content.
    pub change: Option<String>,
    /// Whether the section was changed.
    pub changed: bool,
    /// The hash of the content; `null` if the section does not exist.
    pub content_hash: Option<String>,
    /// The section with its category.
    pub section: String,
    /// The size in bytes.
    pub size_bytes: u64,
    /// Always `ok`.
    pub status: SuccessStatus,
    /// The ids of later changes of the section that were undone too, the oldest first.
    pub taken_back: Vec<String>,
    /// The name of the package.
    pub task: String,
    /// The id of the change that was undone.
    pub undoes: String,
}

impl TaskUndoDocument {
    /// Returns the document of an undo in a package.
    pub fn new(task: String, undone: &UndoResult) -> Self {
        let changed = &undone.changed;
        Self {
            change: changed.entry.as_ref().map(|entry| entry.id.to_string()),
            changed: changed.entry.is_some(),
            content_hash: changed.hash.map(|hash| hash.to_string()),
            section: undone.undoes.section.to_string(),
            size_bytes: changed.size,
            status: SuccessStatus::Ok,
            taken_back: undone.taken_back.iter().map(|entry| entry.id.to_string()).collect(),
            task,
            undoes: undone.undoes.id.to_string(),
        }
    }
}

impl JsonDocument for TaskUndoDocument {
    const NAME: &'static str = "task-undo";
}
