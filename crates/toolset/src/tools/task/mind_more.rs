//! Appending to a section.

use minds_task_store::Edit;
use minds_taskdoc::tools::{CHANGE_MIND, DO_MIND, MIND_MORE as NAME};
use schemars::JsonSchema;
use serde::Deserialize;

use super::{CATEGORY, CONTROL, ChangeOutput, PREVIOUS, SELECTOR, TASK, Target, change};
use crate::Area;
use crate::answer::Refusal;
use crate::call::Call;
use crate::tool::{Annotations, Body, Function, Outcome, Tool};

pub(in crate::tools) static MIND_MORE: Tool = Tool {
    name: NAME,
    toolsets: CONTROL,
    area: Area::Workspace,
    description: minds_taskdoc::text!(
        "Append text to a section of the task. SECTION_NOT_FOUND: create it with `",
        DO_MIND,
        "`. To replace or shorten a section use `",
        CHANGE_MIND,
        "`.",
    ),
    annotations: Annotations::ADDS,
    body: Body::of::<MindMore>(),
};

struct MindMore;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    #[schemars(description = SELECTOR)]
    selector: String,
    /// the text to append
    content: String,
    #[schemars(description = CATEGORY)]
    category: Option<String>,
    /// inserted before it; default: a line break
    separator: Option<String>,
    #[schemars(description = PREVIOUS)]
    previous_content_hash: Option<String>,
    #[schemars(description = TASK)]
    task: Option<String>,
}

impl Function for MindMore {
    type Arguments = Arguments;
    type Output = ChangeOutput;

    fn run(call: &Call<'_>, arguments: Arguments) -> Result<Outcome<ChangeOutput>, Refusal> {
        let Arguments { selector, content: text, category, separator, previous_content_hash, task } =
            arguments;
        let target = Target { selector, category, previous_content_hash, task };
        change(call, &target, Edit::Append { text, separator })
    }
}
