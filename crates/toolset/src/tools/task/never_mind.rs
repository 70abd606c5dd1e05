//! Removing a section.

use minds_task_store::Edit;
use minds_taskdoc::tools::{CHANGE_MIND, NEVER_MIND as NAME};
use schemars::JsonSchema;
use serde::Deserialize;

use super::{CATEGORY, CONTROL, ChangeOutput, PREVIOUS, SELECTOR, TASK, Target, change};
use crate::Area;
use crate::answer::Refusal;
use crate::call::Call;
use crate::tool::{Annotations, Body, Function, Outcome, Tool};

pub(in crate::tools) static NEVER_MIND: Tool = Tool {
    name: NAME,
    toolsets: CONTROL,
    area: Area::Workspace,
    description: minds_taskdoc::text!(
        "Remove a section of a category from the task; its text is kept for a while, so that people can undo this. \
         TOP_LEVEL_IS_REQUIRED: every task has this section; empty it with `",
        CHANGE_MIND,
        "` and `clear: true`.",
    ),
    annotations: Annotations::REMOVES,
    body: Body::of::<NeverMind>(),
};

struct NeverMind;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    #[schemars(description = SELECTOR)]
    selector: String,
    #[schemars(description = CATEGORY)]
    category: Option<String>,
    #[schemars(description = PREVIOUS)]
    previous_content_hash: Option<String>,
    #[schemars(description = TASK)]
    task: Option<String>,
}

impl Function for NeverMind {
    type Arguments = Arguments;
    type Output = ChangeOutput;

    fn run(call: &Call<'_>, arguments: Arguments) -> Result<Outcome<ChangeOutput>, Refusal> {
        let Arguments { selector, category, previous_content_hash, task } = arguments;
        change(call, &Target { selector, category, previous_content_hash, task }, Edit::Remove)
    }
}
