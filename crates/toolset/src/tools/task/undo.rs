//! Taking a change back.

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
        "Give a section back what it held before a change. Later changes of the section are taken back with it and named \
         in `taken_back`. It is a change itself, so it can be undone. CHANGE_NOT_FOUND: `",
        TASK_LOG,
        "` lists the changes. CONTENT_GONE: what it held is no longer kept. NOT_MAINTAINER: tell a maintainer.",
    ),
    arguments: &[
        Argument::required(
            "change",
            Kind::Text,
            "the `change` of an entry or of an answer, or its first six digits or more",
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
            format!("`{section}` of the task `{task}` holds already what it held before {}", undoes.short())
        }
        (Some(_), 0) => format!("`{section}` of the task `{task}` is as before {}", undoes.short()),
        (Some(_), 1) => {
            format!(
                "`{section}` of the task `{task}` is as before {}, without one later change",
                undoes.short()
            )
        }
        (Some(_), count) => format!(
            "`{section}` of the task `{task}` is as before {}, without {count} later changes",
            undoes.short()
        ),
    };
    let taken_back: Vec<String> =
        taken_back.iter().map(|entry| format!("{} by {}", entry.short(), entry.actor)).collect();
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
