//! Creating a section.

use minds_task_store::Edit;
use minds_taskdoc::tools::{CHANGE_MIND, DO_MIND as NAME};
use schemars::JsonSchema;
use serde::Deserialize;

use super::{CATEGORY, CONTROL, ChangeOutput, SELECTOR, TASK, Target, change};
use crate::Area;
use crate::answer::Refusal;
use crate::call::Call;
use crate::tool::{Annotations, Body, Function, Outcome, Tool};

pub(in crate::tools) static DO_MIND: Tool = Tool {
    name: NAME,
    toolsets: CONTROL,
    area: Area::Workspace,
    description: minds_taskdoc::text!(
        "Create a section of the task, or fill an empty one. SECTION_EXISTS: it is not empty, and nothing was written; `",
        CHANGE_MIND,
        "` replaces it. NAME_COLLISION: an existing name differs only in letter case.",
    ),
    annotations: Annotations::ADDS,
    body: Body::of::<DoMind>(),
};

struct DoMind;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    #[schemars(description = SELECTOR)]
    selector: String,
    /// its complete text
    content: String,
    #[schemars(description = CATEGORY)]
    category: Option<String>,
    #[schemars(description = TASK)]
    task: Option<String>,
}

impl Function for DoMind {
    type Arguments = Arguments;
    type Output = ChangeOutput;

    fn run(call: &Call<'_>, arguments: Arguments) -> Result<Outcome<ChangeOutput>, Refusal> {
        let Arguments { selector, content, category, task } = arguments;
        let target = Target { selector, category, previous_content_hash: None, task };
        change(call, &target, Edit::Create(content))
    }
}
