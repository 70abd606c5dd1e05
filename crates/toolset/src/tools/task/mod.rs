//! The tools about task packages.

mod change;
mod do_mind;
mod more;
mod never;
mod recall;

use minds_operations::task::{Author, Changed, Edit, Package, Request, Tasks};
use minds_taskdoc::{Section, TaskCode, TaskError};

pub(super) use change::CHANGE_MIND;
pub(super) use do_mind::DO_MIND;
pub(super) use more::MIND_MORE;
pub(super) use never::NEVER_MIND;
pub(super) use recall::RECALL_TASKDOC;

use crate::Code;
use crate::answer::{Fields, Refusal, Success};
use crate::arguments::{Argument, Kind};
use crate::call::Call;
use crate::tool::{OutputField, Tool};

/// The toolset of what every agent has.
const CONTROL: &[&str] = &["control"];

const SELECTOR: Argument = Argument::required("selector", Kind::Text, "");
const CATEGORY: Argument =
    Argument::optional("category", Kind::Text, "none for goals, constraints, progress");
const TASK: Argument = Argument::optional("task", Kind::Text, "the package; default: the only one");

const CHANGE_OUTPUT: &[OutputField] = &[
    OutputField { name: "task", kind: "string" },
    OutputField { name: "section", kind: "string" },
    OutputField { name: "change", kind: "string" },
    OutputField { name: "content_hash", kind: "string" },
    OutputField { name: "size_bytes", kind: "integer" },
    OutputField { name: "changed", kind: "boolean" },
];

/// Returns the package that a call is about.
fn package<'c>(call: &'c Call<'_>) -> Result<Package<'c>, Refusal> {
    let named = call.arguments.word("task").or_else(|| call.bench.task());
    Ok(Tasks::open(call.bench.root())?.find(named)?)
}

/// Returns the section that a call is about.
fn section(call: &Call<'_>) -> Result<Section, Refusal> {
    Ok(Section::parse(call.arguments.text("selector").unwrap_or_default(), call.arguments.text("category"))?)
}

/// Changes a section, and says what was done.
fn change(call: &Call<'_>, edit: Edit) -> Result<Success, Refusal> {
    let section = section(call)?;
    let package = package(call)?;
    let expected = match call.arguments.word("previous_content_hash") {
        Some(hash) => Some(hash.parse().map_err(|error: minds_document::ContentHashError| {
            Refusal::new(Code::InvalidHash, error.to_string())
                .next("give the `content_hash` of an earlier answer")
        })?),
        None => None,
    };
    let author = Author { actor: call.caller.label(), time: call.bench.now() };
    let request = Request { section, edit, expected };
    let changed = package.change(&author, &request)?;
    Ok(done(&package, &request.section, &changed))
}

fn done(package: &Package<'_>, section: &Section, changed: &Changed) -> Success {
    let task = package.name().as_str();
    let summary = match (&changed.entry, changed.hash) {
        (None, _) => format!("`{section}` of the task `{task}` holds this already"),
        (Some(_), None) => format!("removed `{section}` of the task `{task}`"),
        (Some(entry), Some(_)) => {
            let size = changed.size;
            format!("{}: `{section}` of the task `{task}` has {size} bytes now", entry.operation.as_str())
        }
    };
    let fields = Fields::new()
        .with("task", task)
        .with("section", section.to_string())
        .with_some("change", changed.entry.as_ref().map(|entry| entry.id.to_string()))
        .with_some("content_hash", changed.hash.map(|hash| hash.to_string()))
        .with("size_bytes", changed.size)
        .with("changed", changed.entry.is_some());
    Tool::done(summary, fields)
}

impl From<TaskError> for Refusal {
    fn from(error: TaskError) -> Self {
        let details =
            error.details.into_iter().fold(Fields::new(), |fields, (name, value)| fields.with(name, value));
        let refusal = Self::new(Code::from(error.code), error.message);
        let refusal = if details.iter().next().is_some() { refusal.details(details) } else { refusal };
        match error.next {
            Some(next) => refusal.next(next),
            None => refusal,
        }
    }
}

impl From<TaskCode> for Code {
    fn from(code: TaskCode) -> Self {
        // A test holds that every word of packages is one of tools.
        Self::ALL.iter().copied().find(|known| known.as_str() == code.as_str()).unwrap_or(Self::Failed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_of_packages_is_one_of_tools() {
        for code in TaskCode::ALL {
            assert_eq!(Code::from(*code).as_str(), code.as_str());
        }
    }
}
