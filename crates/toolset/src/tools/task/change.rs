//! Replacing a section.

use minds_operations::task::Edit;
use minds_taskdoc::tools::{CHANGE_MIND as NAME, DO_MIND, MIND_MORE};

use super::{CATEGORY, CHANGE_OUTPUT, CONTROL, PREVIOUS, SELECTOR, TASK, change};
use crate::answer::{Refusal, Success};
use crate::arguments::{Argument, Kind};
use crate::call::Call;
use crate::tool::{Annotations, Tool};
use crate::{Area, Code};

pub(in crate::tools) static CHANGE_MIND: Tool = Tool {
    name: NAME,
    toolsets: CONTROL,
    area: Area::Workspace,
    description: minds_taskdoc::text!(
        "Replace one whole section of the task. Pass the complete new text, including what stays. `",
        MIND_MORE,
        "` appends, `",
        DO_MIND,
        "` creates and never overwrites. CONTENT_REQUIRED: it is blank; `clear: true` empties it. HASH_MISMATCH: it was \
         changed concurrently; merge with `current_content`. NOT_MAINTAINER: tell a maintainer."
    ),
    arguments: &[
        SELECTOR,
        Argument::optional("content", Kind::Text, "the whole new text"),
        CATEGORY,
        Argument::optional("clear", Kind::Flag, "true empties the section; omit `content`"),
        PREVIOUS,
        TASK,
    ],
    output: CHANGE_OUTPUT,
    annotations: Annotations::CHANGES,
    run,
};

fn run(call: &Call<'_>) -> Result<Success, Refusal> {
    // Models tend to pass every argument, so a blank `content` next to `clear` is not a contradiction.
    let content = call.arguments.text("content");
    let is_blank = content.is_none_or(|content| content.trim().is_empty());
    match (content, call.arguments.flag("clear", false)) {
        (_, true) if is_blank => change(call, Edit::Clear),
        (_, true) => {
            let refusal =
                Refusal::new(Code::InvalidArgs, "`content` and `clear: true` contradict each other");
            Err(refusal.next("pass either `content`, or `clear: true` to empty the section"))
        }
        (content, false) => change(call, Edit::Set(content.unwrap_or_default().to_owned())),
    }
}
