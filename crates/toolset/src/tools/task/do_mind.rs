//! Making a section.

use minds_operations::task::Edit;

use super::{CATEGORY, CHANGE_OUTPUT, CONTROL, SELECTOR, TASK, change};
use crate::Area;
use crate::answer::{Refusal, Success};
use crate::arguments::{Argument, Kind};
use crate::call::Call;
use crate::tool::{Annotations, Tool};

pub(in crate::tools) static DO_MIND: Tool = Tool {
    name: "do_mind",
    toolsets: CONTROL,
    area: Area::Workspace,
    description: "Make a section of the task that is not there yet.",
    arguments: &[SELECTOR, Argument::required("content", Kind::Text, "the whole section"), CATEGORY, TASK],
    output: CHANGE_OUTPUT,
    annotations: Annotations::CHANGES,
    run,
};

fn run(call: &Call<'_>) -> Result<Success, Refusal> {
    change(call, Edit::Create(call.arguments.text("content").unwrap_or_default().to_owned()))
}
