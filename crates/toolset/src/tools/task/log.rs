//! Listing changes.

use minds_taskdoc::tools::{TASK_LOG as NAME, TASK_UNDO};
use minds_taskdoc::{Entry, Section};
use serde_json::{Value, json};

use super::{CONTROL, TASK, package};
use crate::Area;
use crate::answer::{Fields, Refusal, Success};
use crate::arguments::{Argument, Kind};
use crate::call::Call;
use crate::tool::{Annotations, OutputField, Tool};

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
        "` takes the `change` of an entry. `truncated`: there are more. INVALID_JOURNAL: ask a person to look.",
    ),
    arguments: &[
        Argument::optional(
            "selector",
            Kind::Text,
            "only changes of this section, a name without `.md`; default: all",
        ),
        Argument::optional(
            "category",
            Kind::Text,
            "the category of that section; empty for goals, constraints, progress",
        ),
        Argument::optional("limit", Kind::Count, "default 20, at most 200"),
        TASK,
    ],
    output: &[
        OutputField { name: "task", kind: "string" },
        OutputField { name: "entries", kind: "array" },
        OutputField { name: "total", kind: "integer" },
        OutputField { name: "truncated", kind: "boolean" },
        OutputField { name: "unreadable_lines", kind: "integer" },
    ],
    annotations: Annotations::READS,
    run,
};

fn run(call: &Call<'_>) -> Result<Success, Refusal> {
    let selector = call.arguments.word("selector");
    let section =
        selector.map(|selector| Section::parse(selector, call.arguments.text("category"))).transpose()?;
    let limit = call.arguments.count("limit").filter(|limit| *limit > 0);
    let limit =
        limit.map_or(DEFAULT_ENTRIES, |limit| usize::try_from(limit).unwrap_or(MAX_ENTRIES)).min(MAX_ENTRIES);
    let package = package(call)?;
    package.maintainers().permit(&call.caller.label(), package.name().as_str())?;
    let journal = package.journal()?;
    let mut entries = journal.in_order();
    entries.retain(|entry| section.as_ref().is_none_or(|section| entry.section == *section));
    let total = entries.len();
    let shown: Vec<Value> = entries.iter().rev().take(limit).map(|entry| document(entry)).collect();
    let task = package.name().as_str();
    let summary = match (shown.len(), total) {
        (0, _) => format!("no recorded changes of the task `{task}`"),
        (1, 1) => format!("1 change of the task `{task}`"),
        (count, total) if count == total => format!("{count} changes of the task `{task}`, the newest first"),
        (count, total) => format!("the newest {count} of {total} changes of the task `{task}`"),
    };
    let fields = Fields::new()
        .with("task", task)
        .with("truncated", shown.len() < total)
        .with("entries", shown)
        .with("total", total)
        .with("unreadable_lines", journal.problems.len());
    Ok(Tool::done(summary, fields))
}

fn document(entry: &Entry) -> Value {
    json!({
        "change": entry.short_id(),
        "time": entry.time,
        "actor": entry.actor,
        "operation": entry.operation.as_str(),
        "section": entry.section.to_string(),
        "size_bytes": entry.after.map(|_| entry.size),
        "undoes": entry.undoes.map(|undone| undone.to_string()),
    })
}
