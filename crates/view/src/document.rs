//! What the page is told, as JSON.

use minds_document::ContentHash;
use minds_operations::task::Package;
use minds_taskdoc::{Entry, Section, TaskError};
use serde::{Serialize, Serializer};

/// A package.
#[derive(Debug, Serialize)]
pub(crate) struct Document {
    pub(crate) version: u32,
    pub(crate) name: String,
    pub(crate) path: String,
    /// As whom the page changes something.
    pub(crate) actor: String,
    pub(crate) revision: String,
    /// Those that agents are always given, in their order, there or not; then the others.
    pub(crate) sections: Vec<Part>,
    /// Whether there are more than are told.
    pub(crate) more_sections: bool,
    /// What agents are given.
    pub(crate) effective: Frame,
    /// What could not be read besides sections.
    pub(crate) problem: Option<Trouble>,
}

/// One section.
#[derive(Debug, Serialize)]
pub(crate) struct Part {
    pub(crate) section: String,
    pub(crate) category: Option<String>,
    pub(crate) selector: String,
    pub(crate) file: String,
    /// Whether agents are always given it.
    pub(crate) is_injected: bool,
    /// What it holds; none if it is not there, or cannot be shown.
    pub(crate) text: Option<String>,
    #[serde(serialize_with = "as_text")]
    pub(crate) hash: Option<ContentHash>,
    pub(crate) bytes: usize,
    pub(crate) last: Option<Last>,
    /// Why it cannot be shown.
    pub(crate) problem: Option<Trouble>,
}

/// Who changed a section last.
#[derive(Debug, Serialize)]
pub(crate) struct Last {
    actor: String,
    time: String,
    operation: &'static str,
    /// Whether the section holds what it held then.
    is_current: bool,
}

/// The text that agents are given.
#[derive(Debug, Serialize)]
pub(crate) struct Frame {
    pub(crate) bytes: usize,
    pub(crate) budget: usize,
    pub(crate) cut: Vec<CutPart>,
    /// The files and directories that could not be read; a line in the text replaces each.
    pub(crate) unread: Vec<String>,
}

/// A section of which not all is in that text.
#[derive(Debug, Serialize)]
pub(crate) struct CutPart {
    pub(crate) section: String,
    pub(crate) left_out: usize,
}

/// Why something is not shown.
#[derive(Debug, Serialize)]
pub(crate) struct Trouble {
    code: &'static str,
    message: String,
    next: Option<String>,
}

impl Part {
    /// Reads a section. Its text is taken out of `room`, and left out if it does not fit.
    pub(crate) fn new(section: &Section, package: &Package<'_>, room: &mut u64) -> Self {
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
            Ok(Some(found)) => {
                let bytes = found.text.len();
                let left = room.checked_sub(bytes as u64);
                *room = left.unwrap_or(*room);
                let problem = left.is_none().then(|| Trouble {
                    code: "TOO_LARGE",
                    message: "there is more in this package than a page should hold".to_owned(),
                    next: Some(format!("read it with `minds task show{}`", asked(section))),
                });
                Self { text: left.map(|_| found.text), hash: Some(found.hash), bytes, problem, ..part }
            }
            Err(error) => Self { problem: Some(Trouble::of(&error)), ..part },
        }
    }
}

/// Returns how the command is asked for a section.
fn asked(section: &Section) -> String {
    let category = section.category().map(|category| format!(" --category {category}"));
    format!(" --section {}{}", section.selector(), category.unwrap_or_default())
}

impl Last {
    /// Picks the change that made a section what it is; where there is none, the latest.
    pub(crate) fn of(changes: &[&Entry], hash: Option<ContentHash>) -> Option<Self> {
        let current = changes.iter().rev().find(|entry| entry.after == hash);
        let entry = current.or_else(|| changes.last())?;
        Some(Self {
            actor: entry.actor.clone(),
            time: entry.time.clone(),
            operation: entry.operation.as_str(),
            is_current: current.is_some(),
        })
    }
}

impl Trouble {
    pub(crate) fn of(error: &TaskError) -> Self {
        Self { code: error.code.as_str(), message: error.message.clone(), next: error.next.clone() }
    }
}

#[expect(clippy::ref_option, reason = "what serialization calls it with")]
fn as_text<S: Serializer>(hash: &Option<ContentHash>, serializer: S) -> Result<S::Ok, S::Error> {
    hash.map(|hash| hash.to_string()).serialize(serializer)
}
