//! Adding to a section.

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
        "Write behind what a section of the task holds; what is there stays as it is. SECTION_NOT_FOUND: make it with `",
        DO_MIND,
        "`. To replace or shorten a section use `",
        CHANGE_MIND,
        "`.",
    ),
    arguments: &[
        SELECTOR,
        Argument::required("content", Kind::Text, "what is added"),
        CATEGORY,
        Argument::optional("separator", Kind::Text, "what comes before it; default: a new line"),
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
