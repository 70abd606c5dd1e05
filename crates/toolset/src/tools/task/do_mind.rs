//! Creating a section.

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
        "Create a section of the task, or fill an empty one. SECTION_EXISTS: it is not empty, and nothing was written; `",
        CHANGE_MIND,
        "` replaces it. NAME_COLLISION: an existing name differs only in letter case.",
    ),
    arguments: &[SELECTOR, Argument::required("content", Kind::Text, "its complete text"), CATEGORY, TASK],
    output: CHANGE_OUTPUT,
    annotations: Annotations::ADDS,
    run,
};

fn run(call: &Call<'_>) -> Result<Success, Refusal> {
    let content = call.arguments.text("content").unwrap_or_default();
    change(call, Edit::Create(content.to_owned()))
}
