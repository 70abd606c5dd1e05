//! Reading a section.

use minds_taskdoc::{Section, TaskCode, TaskError};

use super::{CATEGORY, CONTROL, SELECTOR, TASK, package, section};
use crate::Area;
use crate::answer::{Fields, Refusal, Success};
use crate::call::Call;
use crate::tool::{Annotations, OutputField, Tool};

pub(in crate::tools) static RECALL_TASKDOC: Tool = Tool {
    name: "recall_taskdoc",
    toolsets: CONTROL,
    area: Area::Workspace,
    description: "Read one section of the task that is not in your context.",
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
    let section = section(call)?;
    if matches!(section, Section::Top(_)) {
        let message = format!("`{section}` is in your context already");
        let error = TaskError::new(TaskCode::TopLevelIsInjected, message);
        return Err(error.next("read it there; change it with `change_mind`").into());
    }
    let package = package(call)?;
    let Some(found) = package.section(&section)? else {
        let message = format!("the task `{}` has no section `{section}`", package.name().as_str());
        let error = TaskError::new(TaskCode::SectionNotFound, message);
        return Err(error.next("`change_mind` with this selector and category writes it").into());
    };
    let fields = Fields::new()
        .with("task", package.name().as_str())
        .with("section", section.to_string())
        .with("content", found.text.as_str())
        .with("content_hash", found.hash.to_string())
        .with("size_bytes", found.text.len());
    Ok(Tool::done(format!("`{section}` has {} bytes", found.text.len()), fields))
}
