//! Listing changes.

use minds_taskdoc::tools::{TASK_LOG as NAME, TASK_UNDO};
use minds_taskdoc::{Entry, Operation, Section};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{CONTROL, TASK, package};
use crate::Area;
use crate::answer::Refusal;
use crate::call::Call;
use crate::input::Count;
use crate::tool::{Annotations, Body, Function, Outcome, Tool};

/// The number of changes listed by default.
const DEFAULT_ENTRIES: usize = 20;
/// The maximum number of changes listed.
const MAX_ENTRIES: usize = 200;

pub(in crate::tools) static TASK_LOG: Tool = Tool {
    name: NAME,
    toolsets: CONTROL,
    area: Area::Workspace,
    description: minds_taskdoc::text!(
        "List who changed what in the task, and when, the newest first. `",
        TASK_UNDO,
        "` takes the `change` of an entry. `truncated`: there are more. INVALID_JOURNAL: ask a person to review it.",
    ),
    annotations: Annotations::READS,
    body: Body::of::<Log>(),
};

struct Log;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    /// only changes of this section, a name without `.md`; default: all
    selector: Option<String>,
    /// the category of that section; empty for goals, constraints, progress
    category: Option<String>,
    /// default 20, at most 200
    limit: Option<Count>,
    #[schemars(description = TASK)]
    task: Option<String>,
}

#[derive(Serialize, JsonSchema)]
struct Output {
    task: String,
    truncated: bool,
    entries: Vec<LoggedChange>,
    total: usize,
    unreadable_lines: usize,
}

#[derive(Serialize, JsonSchema)]
struct LoggedChange {
    change: String,
    time: String,
    actor: String,
    operation: Operation,
    section: String,
    /// `null` if the section was removed.
    size_bytes: Option<u64>,
    undoes: Option<String>,
}

impl Function for Log {
    type Arguments = Arguments;
    type Output = Output;

    fn run(call: &Call<'_>, arguments: Arguments) -> Result<Outcome<Output>, Refusal> {
        let selector = arguments.selector.as_deref().filter(|selector| !selector.is_empty());
        let category = arguments.category.as_deref();
        let section = selector.map(|selector| Section::parse(selector, category)).transpose()?;
        let limit = arguments.limit.and_then(Count::positive).unwrap_or(DEFAULT_ENTRIES).min(MAX_ENTRIES);
        let package = package(call, arguments.task.as_deref())?;
        package.maintainers().permit(&call.caller.label(), package.name().as_str())?;
        let journal = package.journal()?;
        let mut entries = journal.in_order();
        entries.retain(|entry| section.as_ref().is_none_or(|section| entry.section == *section));
        let total = entries.len();
        let entries: Vec<LoggedChange> =
            entries.iter().rev().take(limit).map(|entry| LoggedChange::of(entry)).collect();
        let task = package.name().as_str().to_owned();
        let summary = match (entries.len(), total) {
            (0, _) => format!("no recorded changes of the task `{task}`"),
            (1, 1) => format!("1 change of the task `{task}`"),
            (count, total) if count == total => {
                format!("{count} changes of the task `{task}`, the newest first")
            }
            (count, total) => format!("the newest {count} of {total} changes of the task `{task}`"),
        };
        let truncated = entries.len() < total;
        let unreadable_lines = journal.problems.len();
        Ok(Outcome::new(summary, Output { task, truncated, entries, total, unreadable_lines }))
    }
}

impl LoggedChange {
    fn of(entry: &Entry) -> Self {
        Self {
            change: entry.short_id(),
            time: entry.time.clone(),
            actor: entry.actor.clone(),
            operation: entry.operation,
            section: entry.section.to_string(),
            size_bytes: entry.after.map(|_| entry.size),
            undoes: entry.undoes.map(|undone| undone.to_string()),
        }
    }
}
