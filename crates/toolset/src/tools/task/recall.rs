//! Reading a section.

use minds_operations::task::Package;
use minds_taskdoc::tools::{CHANGE_MIND, INJECTION_NOTE, RECALL_TASKDOC as NAME};
use minds_taskdoc::{DEFAULT_BUDGET, Language, Section, TaskCode, TaskError, effective_text};

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
        "Read one section of the task, with its `content_hash`: one that your context lacks, or has truncated or \
         outdated, also `goals`, `constraints` and `progress`. ",
        INJECTION_NOTE,
        " SECTION_NOT_FOUND: `",
        CHANGE_MIND,
        "` creates it."
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
    let section = section(call)?;
    let package = package(call)?;
    if call.context.injects_task() && is_complete_in_context(&package, &section) {
        let message = format!("`{section}` is already in your context");
        let error = TaskError::new(TaskCode::TopLevelIsInjected, message);
        return Err(error.next(format!("read it there; change it with `{CHANGE_MIND}`")).into());
    }
    let Some(found) = package.section(&section)? else {
        let message = format!("the task `{}` has no section `{section}`", package.name().as_str());
        let error = TaskError::new(TaskCode::SectionNotFound, message);
        return Err(error.next(format!("`{CHANGE_MIND}` with this selector and category creates it")).into());
    };
    let fields = Fields::new()
        .with("task", package.name().as_str())
        .with("section", section.to_string())
        .with("content", found.text.as_str())
        .with("content_hash", found.hash.to_string())
        .with("size_bytes", found.text.len());
    Ok(Tool::done(format!("`{section}` has {} bytes", found.text.len()), fields))
}

/// Returns whether a program that injects the text of the task injects a section completely.
fn is_complete_in_context(package: &Package<'_>, section: &Section) -> bool {
    let Section::Top(_) = section else { return false };
    let bodies = package.bodies();
    let cut = effective_text(&bodies, Language::default(), DEFAULT_BUDGET).cut;
    bodies.get(section).is_some() && cut.iter().all(|cut| cut.section != *section)
}
