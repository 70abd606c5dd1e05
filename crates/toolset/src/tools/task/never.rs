//! Removing a section.

use minds_operations::task::Edit;
use minds_taskdoc::tools::{CHANGE_MIND, NEVER_MIND as NAME};

use super::{CATEGORY, CHANGE_OUTPUT, CONTROL, PREVIOUS, SELECTOR, TASK, change};
use crate::Area;
use crate::answer::{Refusal, Success};
use crate::call::Call;
use crate::tool::{Annotations, Tool};

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
    arguments: &[SELECTOR, CATEGORY, PREVIOUS, TASK],
    output: CHANGE_OUTPUT,
    annotations: Annotations::REMOVES,
    run,
};

fn run(call: &Call<'_>) -> Result<Success, Refusal> {
    change(call, Edit::Remove)
}
