//! Undoing a change.

use minds_operations::task::Undone;
use minds_taskdoc::tools::{TASK_LOG, TASK_UNDO as NAME};

use super::{CONTROL, TASK, author, package};
use crate::Area;
use crate::answer::{Fields, Refusal, Success};
use crate::arguments::{Argument, Kind};
use crate::call::Call;
use crate::tool::{Annotations, OutputField, Tool};

pub(in crate::tools) static TASK_UNDO: Tool = Tool {
    name: NAME,
    toolsets: CONTROL,
    area: Area::Workspace,
    description: minds_taskdoc::text!(
        "Restore a section to its text before a change. Later changes of the section are undone with it and listed in \
         `taken_back`. This is a change itself, so it can be undone. CHANGE_NOT_FOUND: `",
        TASK_LOG,
        "` lists the changes. CONTENT_GONE: the earlier text is no longer kept. NOT_MAINTAINER: tell a maintainer.",
    ),
    arguments: &[
        Argument::required(
            "change",
            Kind::Text,
            "the `change` of an entry or answer, or at least its first six digits",
        ),
        TASK,
    ],
    output: &[
        OutputField { name: "task", kind: "string" },
        OutputField { name: "section", kind: "string" },
        OutputField { name: "undoes", kind: "string" },
        OutputField { name: "taken_back", kind: "array" },
        OutputField { name: "change", kind: "string" },
        OutputField { name: "content_hash", kind: "string" },
        OutputField { name: "size_bytes", kind: "integer" },
        OutputField { name: "changed", kind: "boolean" },
    ],
    annotations: Annotations::CHANGES,
    run,
};

fn run(call: &Call<'_>) -> Result<Success, Refusal> {
    let package = package(call)?;
    let change = call.arguments.text("change").unwrap_or_default();
    let Undone { changed, undoes, taken_back } = package.undo(&author(call), Some(change))?;
    let (task, section) = (package.name().as_str(), &undoes.section);
    let summary = match (&changed.entry, taken_back.len()) {
        (None, _) => {
            format!("`{section}` of the task `{task}` already has its text from before {}", undoes.short_id())
        }
        (Some(_), 0) => format!("restored `{section}` of the task `{task}` to before {}", undoes.short_id()),
        (Some(_), 1) => {
            format!(
                "restored `{section}` of the task `{task}` to before {}, which undoes one later change",
                undoes.short_id()
            )
        }
        (Some(_), count) => format!(
            "restored `{section}` of the task `{task}` to before {}, which undoes {count} later changes",
            undoes.short_id()
        ),
    };
    let taken_back: Vec<String> =
        taken_back.iter().map(|entry| format!("{} by {}", entry.short_id(), entry.actor)).collect();
    let fields = Fields::new()
        .with("task", task)
        .with("section", section.to_string())
        .with("undoes", undoes.id.to_string())
        .with("taken_back", taken_back)
        .with_some("change", changed.entry.as_ref().map(|entry| entry.id.to_string()))
        .with_some("content_hash", changed.hash.map(|hash| hash.to_string()))
        .with("size_bytes", changed.size)
        .with("changed", changed.entry.is_some());
    Ok(Tool::done(summary, fields))
}
