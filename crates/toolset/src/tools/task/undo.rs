//! Undoing a change.

use minds_task_store::UndoResult;
use minds_taskdoc::tools::{TASK_LOG, TASK_UNDO as NAME};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{CONTROL, TASK, author, package};
use crate::Area;
use crate::answer::Refusal;
use crate::call::Call;
use crate::tool::{Annotations, Body, Function, Outcome, Tool};

pub(in crate::tools) static TASK_UNDO: Tool = Tool {
    name: NAME,
    toolsets: CONTROL,
    area: Area::Workspace,
    description: minds_taskdoc::text!(
        "Restore a section to its text before a change. Later changes of the section are undone with it and listed in \
         `taken_back`. This is a change itself, so it can be undone. CHANGE_NOT_FOUND: `",
        TASK_LOG,
        "` lists the changes. CONTENT_GONE: the earlier text is no longer kept. NOT_MAINTAINER: ask a maintainer.",
    ),
    annotations: Annotations::CHANGES,
    body: Body::of::<Undo>(),
};

struct Undo;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    /// the `change` of an entry or answer, or at least its first six digits
    change: String,
    #[schemars(description = TASK)]
    task: Option<String>,
}

#[derive(Serialize, JsonSchema)]
struct Output {
    task: String,
    section: String,
    undoes: String,
    /// The later changes that were undone with it.
    taken_back: Vec<String>,
    /// Only if the section was changed.
    change: Option<String>,
    /// Only if there is content.
    content_hash: Option<String>,
    size_bytes: u64,
    changed: bool,
}

impl Function for Undo {
    type Arguments = Arguments;
    type Output = Output;

    fn run(call: &Call<'_>, arguments: Arguments) -> Result<Outcome<Output>, Refusal> {
        let package = package(call, arguments.task.as_deref())?;
        let UndoResult { changed, undoes, taken_back } =
            package.undo(&author(call)?, Some(&arguments.change))?;
        let (task, section) = (package.name().as_str(), &undoes.section);
        let summary = match (&changed.entry, taken_back.len()) {
            (None, _) => {
                format!(
                    "`{section}` of the task `{task}` already has its text from before {}",
                    undoes.short_id()
                )
            }
            (Some(_), 0) => {
                format!("restored `{section}` of the task `{task}` to before {}", undoes.short_id())
            }
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
        let output = Output {
            task: task.to_owned(),
            section: section.to_string(),
            undoes: undoes.id.to_string(),
            taken_back,
            change: changed.entry.as_ref().map(|entry| entry.id.to_string()),
            content_hash: changed.hash.map(|hash| hash.to_string()),
            size_bytes: changed.size,
            changed: changed.entry.is_some(),
        };
        Ok(Outcome::new(summary, output))
    }
}
