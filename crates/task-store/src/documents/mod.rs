//! The JSON documents of `minds task`, as types.
//!
//! Fields are in alphabetical order, which is the order in which they are written.

mod history;
mod listing;
mod package;
mod section;

pub use history::{
    BlamedLineEntry, ChangeEntry, TaskBlameDocument, TaskDiffDocument, TaskLogDocument, TaskUndoDocument,
};
pub use listing::{LastChangeEntry, ListedTask, ReadableTask, TaskListDocument, UnreadableTask};
pub use package::{MigratedSectionEntry, TaskMigrateDocument, TaskNewDocument, TaskPromptDocument};
pub use section::{
    ExtraSectionEntry, SectionChangeEntry, SectionEntry, SectionProblem, TaskSectionDocument,
    TaskShowDocument, TaskUnchangedDocument,
};

use minds_taskdoc::{TaskCode, TaskError};
use schemars::JsonSchema;
use serde::Serialize;

/// A part that could not be read, next to parts that could.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct TaskProblem {
    /// The stable code of the reason.
    pub code: TaskCode,
    /// The reason.
    pub message: String,
    /// What to do.
    pub next: Option<String>,
    /// The part, by its path or a description.
    pub what: String,
}

impl TaskProblem {
    /// Returns the problem with a part.
    pub fn new(what: impl Into<String>, error: TaskError) -> Self {
        Self { code: error.code, message: error.message, next: error.next, what: what.into() }
    }
}

/// The status of a successful operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SuccessStatus {
    /// The operation succeeded.
    Ok,
}
