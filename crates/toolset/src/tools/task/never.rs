//! Removing a section.

use minds_operations::task::Edit;

use super::{CATEGORY, CHANGE_OUTPUT, CONTROL, SELECTOR, TASK, change};
use crate::Area;
use crate::answer::{Refusal, Success};
use crate::arguments::{Argument, Kind};
use crate::call::Call;
use crate::tool::{Annotations, Tool};

pub(in crate::tools) static NEVER_MIND: Tool = Tool {
    name: "never_mind",
    toolsets: CONTROL,
    area: Area::Workspace,
    description: "Remove a section of the task that is in a category.",
    arguments: &[
        SELECTOR,
        CATEGORY,
        Argument::optional("previous_content_hash", Kind::Text, "refuse if it is another by now"),
        TASK,
    ],
    output: CHANGE_OUTPUT,
    annotations: Annotations::CHANGES,
    run,
};

fn run(call: &Call<'_>) -> Result<Success, Refusal> {
    change(call, Edit::Remove)
}
