//! Reading a section.

use minds_taskdoc::tools::{CHANGE_MIND, CLOSED, INJECTED, RECALL_TASKDOC as NAME};
use minds_taskdoc::{TaskCode, TaskError, TopLevel};

use super::{CATEGORY, CONTROL, SELECTOR, TASK, package, section};
use crate::Area;
use crate::answer::{Fields, Refusal, Success};
use crate::call::Call;
use crate::tool::{Annotations, OutputField, Tool};

pub(in crate::tools) static RECALL_TASKDOC: Tool = Tool {
    name: NAME,
    toolsets: CONTROL,
    area: Area::Workspace,
    description: minds_taskdoc::text!(
        "Read one section of the task that is not in your context, as it is, with its `content_hash`. ",
        CLOSED,
        " ",
        INJECTED,
        " TOP_LEVEL_IS_INJECTED: read it there. SECTION_NOT_FOUND: `",
        CHANGE_MIND,
        "` writes it."
    ),
    arguments: &[SELECTOR, CATEGORY, TASK],
    output: &[
        OutputField { name: "task", kind: "string" },
        OutputField { name: "section", kind: "string" },
        OutputField { name: "content", kind: "string" },
        OutputField { name: "content_hash", kind: "string" },
        OutputField { name: "size_bytes", kind: "integer" },
    ],
    annotations: Annotations::READS,
    run,
};

fn run(call: &Call<'_>) -> Result<Success, Refusal> {
    // These are in the context whatever else is asked for, so nothing else is looked at.
    let selector = call.arguments.text("selector").unwrap_or_default().trim();
    if let Some(top) = TopLevel::find(selector.strip_prefix('!').unwrap_or(selector).trim()) {
        let message = format!("`{}` is in your context already", top.name());
        let error = TaskError::new(TaskCode::TopLevelIsInjected, message);
        return Err(error.next(format!("read it there; change it with `{CHANGE_MIND}`")).into());
    }
    let section = section(call)?;
    let package = package(call)?;
    let Some(found) = package.section(&section)? else {
        let message = format!("the task `{}` has no section `{section}`", package.name().as_str());
        let error = TaskError::new(TaskCode::SectionNotFound, message);
        return Err(error.next(format!("`{CHANGE_MIND}` with this selector and category writes it")).into());
    };
    let fields = Fields::new()
        .with("task", package.name().as_str())
        .with("section", section.to_string())
        .with("content", found.text.as_str())
        .with("content_hash", found.hash.to_string())
        .with("size_bytes", found.text.len());
    Ok(Tool::done(format!("`{section}` has {} bytes", found.text.len()), fields))
}
