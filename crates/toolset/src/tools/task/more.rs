//! Appending to a section.

use minds_operations::task::Edit;
use minds_taskdoc::tools::{CHANGE_MIND, DO_MIND, MIND_MORE as NAME};

use super::{CATEGORY, CHANGE_OUTPUT, CONTROL, PREVIOUS, SELECTOR, TASK, change};
use crate::Area;
use crate::answer::{Refusal, Success};
use crate::arguments::{Argument, Kind};
use crate::call::Call;
use crate::tool::{Annotations, Tool};

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
    arguments: &[
        SELECTOR,
        Argument::required("content", Kind::Text, "the text to append"),
        CATEGORY,
        Argument::optional("separator", Kind::Text, "inserted before it; default: a line break"),
        PREVIOUS,
        TASK,
    ],
    output: CHANGE_OUTPUT,
    annotations: Annotations::ADDS,
    run,
};

fn run(call: &Call<'_>) -> Result<Success, Refusal> {
    let text = call.arguments.text("content").unwrap_or_default().to_owned();
    let separator = call.arguments.text("separator").map(ToOwned::to_owned);
    change(call, Edit::Append { text, separator })
}
