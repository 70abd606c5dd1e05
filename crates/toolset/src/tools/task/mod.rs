//! The tools about task packages.

mod change;
mod do_mind;
mod log;
mod migrate;
mod mind_more;
mod never_mind;
mod new;
mod recall;
mod undo;

use minds_task_store::{Author, ChangeResult, Edit, Package, Request, Tasks};
use minds_taskdoc::tools as names;
use minds_taskdoc::{PackageName, Section, TaskCode, TaskError};
use schemars::JsonSchema;
use serde::Serialize;

pub(super) use change::CHANGE_MIND;
pub(super) use do_mind::DO_MIND;
pub(super) use log::TASK_LOG;
pub(super) use migrate::TASK_MIGRATE;
pub(super) use mind_more::MIND_MORE;
pub(super) use never_mind::NEVER_MIND;
pub(super) use new::TASK_NEW;
pub(super) use recall::RECALL_TASKDOC;
pub(super) use undo::TASK_UNDO;

use crate::Code;
use crate::answer::{Fields, Refusal};
use crate::call::Call;
use crate::file_refusal::quote;
use crate::problems::plural;
use crate::tool::{Outcome, Tool};

/// All tools about task packages, in the order in which they are listed.
pub(crate) static ALL: &[&Tool] = &[
    &CHANGE_MIND,
    &DO_MIND,
    &MIND_MORE,
    &NEVER_MIND,
    &RECALL_TASKDOC,
    &TASK_NEW,
    &TASK_MIGRATE,
    &TASK_LOG,
    &TASK_UNDO,
];

/// The toolset that every member has.
const CONTROL: &[&str] = &["control"];

/// The descriptions of arguments that several tools have.
const SELECTOR: &str = "The name of a section without `.md`: `goals`, `constraints` or `progress`; in the category `bearinmind` one of \
     `contracts` (what other work relies on), `acceptance` (when it is done), `grants` (what is permitted), `runbook` (how to \
     do it), `decisions` (what was decided, and why), `risks`; in any other category a name of your choice.";
const CATEGORY: &str =
    "`bearinmind` or a name of your choice, such as `research`; none for goals, constraints, progress";
const PREVIOUS: &str = "the `content_hash` that you know; refused if it has changed";
const TASK: &str = "the name or path of the package; default: the only one, or that of the session";

/// The section that a call changes, and the content that the caller knows.
struct Target {
    selector: String,
    category: Option<String>,
    previous_content_hash: Option<String>,
    task: Option<String>,
}

/// The result of a change.
#[derive(Serialize, JsonSchema)]
struct ChangeOutput {
    task: String,
    section: String,
    /// Only if the section was changed.
    change: Option<String>,
    /// Only if there is content.
    content_hash: Option<String>,
    size_bytes: u64,
    changed: bool,
}

/// Returns the package that a call is about, which is the fixed one if there is one.
fn package<'c>(call: &'c Call<'_>, named: Option<&str>) -> Result<Package<'c>, Refusal> {
    let tasks = Tasks::open(call.context.root())?;
    let named = named.filter(|name| !name.is_empty());
    let Some(fixed) = call.context.task() else { return Ok(tasks.find(named)?) };
    let package = tasks.find(Some(fixed)).map_err(|error| match error.code {
        // The caller cannot name another package, so this can only be fixed where the server is started.
        TaskCode::TaskdocAmbiguous => Refusal::new(error.code, error.message)
            .next("ask a person to start the server with the path of one of them instead of the name"),
        _ => error.into(),
    })?;
    let is_another = |named: &str| !tasks.find(Some(named)).is_ok_and(|named| named.path() == package.path());
    if named.is_some_and(is_another) {
        let message = format!("only the task {} is open here", quote(package.name().as_str()));
        return Err(Refusal::new(Code::AccessDenied, message).next("omit `task`"));
    }
    Ok(package)
}

/// Refuses to create a package with another name than the fixed one.
fn expect_open(call: &Call<'_>, name: &str) -> Result<(), Refusal> {
    let name = PackageName::parse(name)?;
    let Some(fixed) = call.context.task() else { return Ok(()) };
    if PackageName::parse(fixed.rsplit('/').next().unwrap_or(fixed)).is_ok_and(|fixed| fixed == name) {
        return Ok(());
    }
    let message = format!("only the task {} is open here", quote(fixed));
    Err(Refusal::new(Code::AccessDenied, message).next("work on that task"))
}

/// Returns the author of the change that a call makes.
fn author(call: &Call<'_>) -> Result<Author, Refusal> {
    call.permissions.author(call.tool, call.caller, call.context.now())
}

/// Changes a section, and returns the answer.
fn change(call: &Call<'_>, target: &Target, edit: Edit) -> Result<Outcome<ChangeOutput>, Refusal> {
    let section = Section::parse(&target.selector, target.category.as_deref())?;
    let package = package(call, target.task.as_deref())?;
    let expected = match target.previous_content_hash.as_deref().filter(|hash| !hash.is_empty()) {
        Some(hash) => Some(hash.parse().map_err(|error: minds_vfs::ContentHashError| {
            Refusal::new(TaskCode::InvalidHash, error.to_string())
                .next("pass the `content_hash` of an earlier answer")
        })?),
        None => None,
    };
    let request = Request { section, edit, expected };
    let changed = package.change(&author(call)?, &request)?;
    Ok(done(&package, &request.section, &changed))
}

fn done(package: &Package<'_>, section: &Section, changed: &ChangeResult) -> Outcome<ChangeOutput> {
    let task = package.name().as_str();
    let summary = match (&changed.entry, changed.hash) {
        (None, _) => format!("`{section}` of the task `{task}` already has this text"),
        (Some(_), None) => format!("removed `{section}` of the task `{task}`"),
        (Some(entry), Some(_)) => {
            let (operation, size) = (entry.operation.as_str(), plural(changed.size, "byte"));
            format!("{operation}: `{section}` of the task `{task}` now has {size}")
        }
    };
    let output = ChangeOutput {
        task: task.to_owned(),
        section: section.to_string(),
        change: changed.entry.as_ref().map(|entry| entry.id.to_string()),
        content_hash: changed.hash.map(|hash| hash.to_string()),
        size_bytes: changed.size,
        changed: changed.entry.is_some(),
    };
    Outcome::new(summary, output)
}

impl From<TaskError> for Refusal {
    fn from(error: TaskError) -> Self {
        let details =
            error.details.into_iter().fold(Fields::new(), |fields, (name, value)| fields.with(name, value));
        let refusal = Self::new(error.code, error.message);
        let refusal = if details.iter().next().is_some() { refusal.details(details) } else { refusal };
        match error.next.map(|next| for_agents(error.code, next)) {
            Some(next) => refusal.next(next),
            None => refusal,
        }
    }
}

/// Returns the next step for an agent, which has no command line; the errors of tasks are written for people who have one.
fn for_agents(code: TaskCode, next: String) -> String {
    if !next.contains("`minds ") && !next.contains("--") {
        return next;
    }
    let of_command = |command: &str| next.contains(&format!("`minds task {command}"));
    match code {
        TaskCode::TaskdocAmbiguous => "pass the path of one of them as `task`".to_owned(),
        TaskCode::TaskdocNotFound if of_command("new") => format!("`{}` creates one", names::TASK_NEW),
        TaskCode::TaskdocNotFound => {
            "pass the name of a package as `task`; your instructions list them".to_owned()
        }
        TaskCode::InvalidUtf8 => format!("`{}` replaces the section", names::CHANGE_MIND),
        TaskCode::SectionNotFound => format!("`{}` creates it", names::DO_MIND),
        _ if of_command("migrate") => format!("`{}` converts it to a package", names::TASK_MIGRATE),
        _ if of_command("new") => format!("`{}` creates an empty package", names::TASK_NEW),
        _ if of_command("log") => format!("`{}` lists the changes with their ids", names::TASK_LOG),
        _ => "ask a person to review the task package".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use minds_taskdoc::tools::GENERAL_TOOLS;

    #[test]
    fn general_tools_named_to_agents_exist() {
        for name in GENERAL_TOOLS {
            assert!(crate::tools::ALL.iter().any(|tool| tool.name == *name), "{name}");
        }
    }
}
