//! The JSON documents of the page.

use minds_task_store::Package;
use minds_taskdoc::{Entry, Operation, Section, TaskCode, TaskError};
use minds_vfs::ContentHash;
use serde::{Serialize, Serializer};

/// Whether a request was done.
#[derive(Clone, Copy, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Status {
    Ok,
    Error,
}

/// A package.
#[derive(Debug, Serialize)]
pub(crate) struct Document {
    pub(crate) version: u32,
    pub(crate) name: String,
    pub(crate) path: String,
    /// The author of changes that the page makes.
    pub(crate) actor: String,
    pub(crate) revision: String,
    /// The standard sections in their order, existing or not, followed by the custom sections.
    pub(crate) sections: Vec<Part>,
    /// Whether there are more sections than listed.
    pub(crate) more_sections: bool,
    /// The size of the task prompt.
    pub(crate) effective: PromptSize,
    /// The error, if something besides sections could not be read.
    pub(crate) problem: Option<Problem>,
}

/// One section.
#[derive(Debug, Serialize)]
pub(crate) struct Part {
    pub(crate) section: String,
    pub(crate) category: Option<String>,
    pub(crate) selector: String,
    pub(crate) file: String,
    /// Whether it is part of the task prompt.
    pub(crate) is_injected: bool,
    /// The content; `None` if the section does not exist or cannot be displayed.
    pub(crate) text: Option<String>,
    #[serde(serialize_with = "serialize_hash")]
    pub(crate) hash: Option<ContentHash>,
    pub(crate) bytes: usize,
    pub(crate) last: Option<LastChange>,
    /// Why the section cannot be displayed.
    pub(crate) problem: Option<Problem>,
}

/// The last change of a section.
#[derive(Debug, Serialize)]
pub(crate) struct LastChange {
    actor: String,
    time: String,
    operation: Operation,
    /// Whether the content is still the one of that change.
    is_current: bool,
}

/// The size of the task prompt.
#[derive(Debug, Serialize)]
pub(crate) struct PromptSize {
    pub(crate) bytes: usize,
    pub(crate) budget: usize,
    pub(crate) cut: Vec<CutPart>,
    /// The files and directories that could not be read; the prompt has a line in place of each.
    pub(crate) unread: Vec<String>,
}

/// A section that is shortened in the task prompt.
#[derive(Debug, Serialize)]
pub(crate) struct CutPart {
    pub(crate) section: String,
    pub(crate) left_out: usize,
}

/// The error because of which something is not displayed.
#[derive(Debug, Serialize)]
pub(crate) struct Problem {
    code: TaskCode,
    message: String,
    next: Option<String>,
}

impl Part {
    /// Reads a section. The size of its text in bytes is subtracted from `budget`; larger text is omitted.
    pub(crate) fn new(section: &Section, package: &Package<'_>, budget: &mut u64) -> Self {
        let part = Self {
            section: section.to_string(),
            category: section.category().map(ToOwned::to_owned),
            selector: section.selector().to_owned(),
            file: section.path(),
            is_injected: section.is_injected(),
            text: None,
            hash: None,
            bytes: 0,
            last: None,
            problem: None,
        };
        match package.section(section) {
            Ok(None) => part,
            Ok(Some(content)) => {
                let bytes = content.text.len();
                let rest = budget.checked_sub(bytes as u64);
                *budget = rest.unwrap_or(*budget);
                let problem = rest.is_none().then(|| Problem {
                    code: TaskCode::TooLarge,
                    message: "the package is too large for a page".to_owned(),
                    next: Some(format!("read it with `minds task show{}`", command_arguments(section))),
                });
                Self { text: rest.map(|_| content.text), hash: Some(content.hash), bytes, problem, ..part }
            }
            Err(error) => Self { problem: Some(Problem::of(&error)), ..part },
        }
    }
}

/// Returns the arguments of `minds task show` that select a section.
fn command_arguments(section: &Section) -> String {
    let category = section.category().map(|category| format!(" --category {category}"));
    format!(" --section {}{}", section.selector(), category.unwrap_or_default())
}

impl LastChange {
    /// Returns the change that produced the current content, or else the latest change.
    pub(crate) fn of(changes: &[&Entry], hash: Option<ContentHash>) -> Option<Self> {
        let current = changes.iter().rev().find(|entry| entry.after == hash);
        let entry = current.or_else(|| changes.last())?;
        Some(Self {
            actor: entry.actor.clone(),
            time: entry.time.clone(),
            operation: entry.operation,
            is_current: current.is_some(),
        })
    }
}

impl Problem {
    pub(crate) fn of(error: &TaskError) -> Self {
        Self { code: error.code, message: error.message.clone(), next: error.next.clone() }
    }
}

#[expect(clippy::ref_option, reason = "the signature that serde requires")]
fn serialize_hash<S: Serializer>(hash: &Option<ContentHash>, serializer: S) -> Result<S::Ok, S::Error> {
    hash.map(|hash| hash.to_string()).serialize(serializer)
}
