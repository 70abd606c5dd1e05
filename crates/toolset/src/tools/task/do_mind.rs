//! Making a section.

use minds_operations::task::Edit;
use minds_taskdoc::tools::{CHANGE_MIND, DO_MIND as NAME};

use super::{CATEGORY, CHANGE_OUTPUT, CONTROL, SELECTOR, TASK, change};
use crate::Area;
use crate::answer::{Refusal, Success};
use crate::arguments::{Argument, Kind};
use crate::call::Call;
use crate::tool::{Annotations, Tool};

pub(in crate::tools) static DO_MIND: Tool = Tool {
    name: NAME,
    toolsets: CONTROL,
    area: Area::Workspace,
    description: minds_taskdoc::text!(
        "Make a section of the task that is not there yet, or fill one that is empty. SECTION_EXISTS: it holds something, \
         and nothing was written: `",
        CHANGE_MIND,
        "` replaces it. NAME_COLLISION: the name differs from one that is there in letter case alone.",
    ),
    arguments: &[SELECTOR, Argument::required("content", Kind::Text, "its whole text"), CATEGORY, TASK],
    output: CHANGE_OUTPUT,
    annotations: Annotations::ADDS,
    run,
};

fn run(call: &Call<'_>) -> Result<Success, Refusal> {
    let content = call.arguments.text("content").unwrap_or_default();
    change(call, Edit::Create(content.to_owned()))
}
