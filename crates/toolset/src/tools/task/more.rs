//! Writing behind what a section holds.

use minds_operations::task::Edit;

use super::{CATEGORY, CHANGE_OUTPUT, CONTROL, SELECTOR, TASK, change};
use crate::Area;
use crate::answer::{Refusal, Success};
use crate::arguments::{Argument, Kind};
use crate::call::Call;
use crate::tool::{Annotations, Tool};

pub(in crate::tools) static MIND_MORE: Tool = Tool {
    name: "mind_more",
    toolsets: CONTROL,
    area: Area::Workspace,
    description: "Append to a section of the task.",
    arguments: &[
        SELECTOR,
        Argument::required("content", Kind::Text, "what is appended"),
        CATEGORY,
        Argument::optional("separator", Kind::Text, "what comes before it; default: a line break"),
        Argument::optional("previous_content_hash", Kind::Text, "refuse if it is another by now"),
        TASK,
    ],
    output: CHANGE_OUTPUT,
    annotations: Annotations::CHANGES,
    run,
};

fn run(call: &Call<'_>) -> Result<Success, Refusal> {
    let text = call.arguments.text("content").unwrap_or_default().to_owned();
    let separator = call.arguments.text("separator").map(ToOwned::to_owned);
    change(call, Edit::Append { text, separator })
}
