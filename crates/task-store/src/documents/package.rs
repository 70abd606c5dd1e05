//! `minds task new`, `minds task migrate` and `minds task prompt`

use minds_diagnostics::JsonDocument;
use minds_taskdoc::{Language, Section};
use schemars::JsonSchema;
use serde::Serialize;

use crate::{Package, Source};

/// A new task package.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct TaskNewDocument {
    /// The name.
    pub name: String,
    /// The path in the workspace.
    pub path: String,
}

impl From<&Package<'_>> for TaskNewDocument {
    fn from(package: &Package<'_>) -> Self {
        Self { name: package.name().as_str().to_owned(), path: package.path().as_str().to_owned() }
    }
}

impl JsonDocument for TaskNewDocument {
    const NAME: &'static str = "task-new";
}

/// A task package that was created from a file, now or earlier.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct TaskMigrateDocument {
    /// The file as given.
    pub file: String,
    /// Whether the package is new.
    pub made: bool,
    /// The name as given, or else from the name of the file.
    pub name: String,
    /// The path of the package in the workspace.
    pub path: String,
    /// Whether the file was removed.
    pub removed: bool,
    /// The sections with content.
    pub sections: Vec<MigratedSectionEntry>,
}

/// A section that was created from a part of a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct MigratedSectionEntry {
    /// The section with its category.
    pub section: String,
    /// The size in bytes.
    pub size_bytes: usize,
}

impl MigratedSectionEntry {
    /// Returns the sections of a file.
    pub fn of_source(source: &Source) -> Vec<Self> {
        let entry =
            |(section, size_bytes): (Section, usize)| Self { section: section.to_string(), size_bytes };
        source.sections().into_iter().map(entry).collect()
    }
}

impl JsonDocument for TaskMigrateDocument {
    const NAME: &'static str = "task-migrate";
}

/// The part of the system prompt of an agent about task packages.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct TaskPromptDocument {
    /// The language of the text.
    pub lang: Language,
    /// The name of the package, if there is one.
    pub name: Option<String>,
    /// The text.
    pub prompt: String,
}

impl JsonDocument for TaskPromptDocument {
    const NAME: &'static str = "task-prompt";
}
