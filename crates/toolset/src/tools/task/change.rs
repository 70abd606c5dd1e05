//! Replacing a section.

use minds_operations::task::Edit;

use super::{CATEGORY, CHANGE_OUTPUT, CONTROL, SELECTOR, TASK, change};
use crate::Area;
use crate::answer::{Refusal, Success};
use crate::arguments::{Argument, Kind};
use crate::call::Call;
use crate::tool::{Annotations, Tool};

pub(in crate::tools) static CHANGE_MIND: Tool = Tool {
    name: "change_mind",
    toolsets: CONTROL,
    area: Area::Workspace,
    description: "Replace one whole section of the task.",
    arguments: &[
        SELECTOR,
        Argument::optional("content", Kind::Text, "the whole new section"),
        CATEGORY,
        Argument::optional("clear", Kind::Flag, "empty it"),
        Argument::optional("previous_content_hash", Kind::Text, "refuse if it is another by now"),
        TASK,
    ],
    output: CHANGE_OUTPUT,
    annotations: Annotations::CHANGES,
    run,
};

fn run(call: &Call<'_>) -> Result<Success, Refusal> {
    let content = call.arguments.text("content").unwrap_or_default();
    let edit = if call.arguments.flag("clear", false) { Edit::Clear } else { Edit::Set(content.to_owned()) };
    change(call, edit)
}
