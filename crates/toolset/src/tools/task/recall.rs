//! Reading a section.

use minds_task_store::Package;
use minds_taskdoc::tools::{CHANGE_MIND, INJECTION_NOTE, RECALL_TASKDOC as NAME};
use minds_taskdoc::{DEFAULT_BUDGET, Language, Section, TaskCode, TaskError, effective_text};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{CATEGORY, CONTROL, SELECTOR, TASK, package};
use crate::Area;
use crate::answer::Refusal;
use crate::call::Call;
use crate::problems::plural;
use crate::tool::{Annotations, Body, Function, Outcome, Tool};

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
    annotations: Annotations::READS,
    body: Body::of::<RecallTaskdoc>(),
};

struct RecallTaskdoc;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    #[schemars(description = SELECTOR)]
    selector: String,
    #[schemars(description = CATEGORY)]
    category: Option<String>,
    #[schemars(description = TASK)]
    task: Option<String>,
}

#[derive(Serialize, JsonSchema)]
struct Output {
    task: String,
    section: String,
    content: String,
    content_hash: String,
    size_bytes: usize,
}

impl Function for RecallTaskdoc {
    type Arguments = Arguments;
    type Output = Output;

    fn run(call: &Call<'_>, arguments: Arguments) -> Result<Outcome<Output>, Refusal> {
        let section = Section::parse(&arguments.selector, arguments.category.as_deref())?;
        let package = package(call, arguments.task.as_deref())?;
        if call.context.injects_task() && is_complete_in_context(&package, &section) {
            let message = format!("`{section}` is already in your context");
            let error = TaskError::new(TaskCode::TopLevelIsInjected, message);
            return Err(error.next(format!("read it there; change it with `{CHANGE_MIND}`")).into());
        }
        let task = package.name().as_str();
        let Some(found) = package.section(&section)? else {
            let message = format!("the task `{task}` has no section `{section}`");
            let error = TaskError::new(TaskCode::SectionNotFound, message);
            let next = format!("`{CHANGE_MIND}` with this selector and category creates it");
            return Err(error.next(next).into());
        };
        let size_bytes = found.text.len();
        let output = Output {
            task: task.to_owned(),
            section: section.to_string(),
            content: found.text,
            content_hash: found.hash.to_string(),
            size_bytes,
        };
        Ok(Outcome::new(format!("`{section}` has {}", plural(size_bytes, "byte")), output))
    }
}

/// Returns whether a program that injects the text of the task injects a section completely.
fn is_complete_in_context(package: &Package<'_>, section: &Section) -> bool {
    let Section::Top(_) = section else { return false };
    let bodies = package.bodies();
    let cut = effective_text(&bodies, Language::default(), DEFAULT_BUDGET).cut;
    bodies.get(section).is_some() && cut.iter().all(|cut| cut.section != *section)
}
