//! `minds task ls`

use minds_diagnostics::JsonDocument;
use minds_taskdoc::{Entry, TaskCode, TaskError};
use schemars::JsonSchema;
use serde::Serialize;

use super::TaskProblem;
use crate::Package;

/// The task packages of a workspace.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct TaskListDocument {
    /// The packages that cannot be read, if there are any.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub problems: Vec<TaskProblem>,
    /// All packages.
    pub tasks: Vec<ListedTask>,
}

/// A listed package.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum ListedTask {
    /// A package that was read.
    Readable(ReadableTask),
    /// A package that cannot be read.
    Unreadable(UnreadableTask),
}

/// A package that was read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ReadableTask {
    /// The last change, if the journal has one.
    pub last_change: Option<LastChangeEntry>,
    /// The name.
    pub name: String,
    /// The path in the workspace.
    pub path: String,
    /// The number of sections.
    pub sections: usize,
    /// The size of all sections in bytes.
    pub size_bytes: u64,
}

/// A package that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct UnreadableTask {
    /// The stable code of the reason.
    pub code: TaskCode,
    /// The reason.
    pub message: String,
    /// The name.
    pub name: String,
    /// The path in the workspace.
    pub path: String,
}

/// The last change of a package.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct LastChangeEntry {
    /// The author.
    pub actor: String,
    /// The id of the change.
    pub id: String,
    /// The time, as RFC 3339 in UTC.
    pub time: String,
}

impl ReadableTask {
    /// Reads the sections and the journal of a package.
    ///
    /// # Errors
    ///
    /// Fails if one of them cannot be read.
    pub fn read(package: &Package<'_>) -> Result<Self, TaskError> {
        let sections = package.sections()?;
        let mut size_bytes = 0_u64;
        for section in &sections {
            size_bytes += package.section(section)?.map_or(0, |section| section.text.len() as u64);
        }
        let last_change = package.journal()?.in_order().pop().map(LastChangeEntry::from);
        let (name, path) = (package.name().as_str().to_owned(), package.path().as_str().to_owned());
        Ok(Self { last_change, name, path, sections: sections.len(), size_bytes })
    }
}

impl UnreadableTask {
    /// Returns the entry of a package that cannot be read because of an error.
    pub fn new(package: &Package<'_>, error: &TaskError) -> Self {
        let (name, path) = (package.name().as_str().to_owned(), package.path().as_str().to_owned());
        Self { code: error.code, message: error.message.clone(), name, path }
    }
}

impl From<&Entry> for LastChangeEntry {
    fn from(entry: &Entry) -> Self {
        Self { actor: entry.actor.clone(), id: entry.id.to_string(), time: entry.time.clone() }
    }
}

impl JsonDocument for TaskListDocument {
    const NAME: &'static str = "task-ls";
}
