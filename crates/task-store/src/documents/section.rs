//! `minds task show` and `minds task edit`

use minds_diagnostics::JsonDocument;
use minds_taskdoc::{Entry, Operation, Section, TaskCode, TaskError};
use schemars::JsonSchema;
use serde::Serialize;

use super::{SuccessStatus, TaskProblem};
use crate::{Package, SectionText};

/// The sections of a task package, and the task prompt.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct TaskShowDocument {
    /// The task prompt.
    pub effective: String,
    /// The sections of custom categories.
    pub extra_sections: Vec<ExtraSectionEntry>,
    /// The name.
    pub name: String,
    /// The path in the workspace.
    pub path: String,
    /// The parts that cannot be read, if there are any.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub problems: Vec<TaskProblem>,
    /// The standard sections, and all other sections that exist.
    pub sections: Vec<SectionEntry>,
    /// Whether there are more sections of custom categories than listed.
    pub truncated: bool,
}

impl JsonDocument for TaskShowDocument {
    const NAME: &'static str = "task-show";
}

/// A section of a custom category.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ExtraSectionEntry {
    /// The category.
    pub category: Option<String>,
    /// The name in the category.
    pub selector: String,
}

impl From<&Section> for ExtraSectionEntry {
    fn from(section: &Section) -> Self {
        Self { category: section.category().map(ToOwned::to_owned), selector: section.selector().to_owned() }
    }
}

/// A section of a package.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SectionEntry {
    /// The category; `null` for goals, constraints and progress.
    pub category: Option<String>,
    /// The hash of the content, if the section exists and can be read.
    pub content_hash: Option<String>,
    /// Whether the journal records the current content.
    pub is_recorded: bool,
    /// The last change, if the journal has one.
    pub last_change: Option<SectionChangeEntry>,
    /// Why the section cannot be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problem: Option<SectionProblem>,
    /// The section with its category.
    pub section: String,
    /// The name in the category.
    pub selector: String,
    /// The size in bytes, if the section exists and can be read.
    pub size_bytes: Option<u64>,
}

/// The last change of a section.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SectionChangeEntry {
    /// The author.
    pub actor: String,
    /// The id of the change.
    pub id: String,
    /// The kind of change.
    pub operation: Operation,
    /// The time, as RFC 3339 in UTC.
    pub time: String,
}

impl From<&Entry> for SectionChangeEntry {
    fn from(entry: &Entry) -> Self {
        Self {
            actor: entry.actor.clone(),
            id: entry.id.to_string(),
            operation: entry.operation,
            time: entry.time.clone(),
        }
    }
}

/// Why a section cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SectionProblem {
    /// The stable code of the reason.
    pub code: TaskCode,
    /// The reason.
    pub message: String,
}

impl From<&TaskError> for SectionProblem {
    fn from(error: &TaskError) -> Self {
        Self { code: error.code, message: error.message.clone() }
    }
}

/// A section of a task package with its content.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct TaskSectionDocument {
    /// The content, byte for byte.
    pub content: String,
    /// The hash of the content.
    pub content_hash: String,
    /// The name of the package.
    pub name: String,
    /// The section with its category.
    pub section: String,
}

impl TaskSectionDocument {
    /// Returns the document of a section with this content.
    pub fn new(package: &Package<'_>, section: &Section, content: SectionText) -> Self {
        Self {
            content_hash: content.hash.to_string(),
            content: content.text,
            name: package.name().as_str().to_owned(),
            section: section.to_string(),
        }
    }
}

impl JsonDocument for TaskSectionDocument {
    const NAME: &'static str = "task-section";
}

/// A section that the editor did not change.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct TaskUnchangedDocument {
    /// Whether the content has changed, which is always false.
    changed: bool,
    /// The section with its category.
    section: String,
    /// Always `ok`.
    status: SuccessStatus,
    /// The name of the package.
    task: String,
}

impl TaskUnchangedDocument {
    /// Returns the document of a section of a package.
    pub fn new(task: String, section: &Section) -> Self {
        Self { changed: false, section: section.to_string(), status: SuccessStatus::Ok, task }
    }
}

impl JsonDocument for TaskUnchangedDocument {
    const NAME: &'static str = "task-unchanged";
}
