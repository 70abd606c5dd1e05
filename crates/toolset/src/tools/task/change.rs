//! Replacing a section.

use minds_task_store::Edit;
use minds_taskdoc::tools::{CHANGE_MIND as NAME, DO_MIND, MIND_MORE};
use schemars::JsonSchema;
use serde::Deserialize;

use super::{CATEGORY, CONTROL, ChangeOutput, PREVIOUS, SELECTOR, TASK, Target, change};
use crate::answer::Refusal;
use crate::call::Call;
use crate::tool::{Annotations, Body, Function, Outcome, Tool};
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
         changed concurrently; merge with `current_content`. NOT_MAINTAINER: ask a maintainer."
    ),
    annotations: Annotations::CHANGES,
    body: Body::of::<ChangeMind>(),
};

struct ChangeMind;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    #[schemars(description = SELECTOR)]
    selector: String,
    /// the whole new text
    content: Option<String>,
    #[schemars(description = CATEGORY)]
    category: Option<String>,
    /// true empties the section; omit `content`
    #[serde(default)]
    clear: bool,
    #[schemars(description = PREVIOUS)]
    previous_content_hash: Option<String>,
    #[schemars(description = TASK)]
    task: Option<String>,
}

impl Function for ChangeMind {
    type Arguments = Arguments;
    type Output = ChangeOutput;

    fn run(call: &Call<'_>, arguments: Arguments) -> Result<Outcome<ChangeOutput>, Refusal> {
        let Arguments { selector, content, category, clear, previous_content_hash, task } = arguments;
        let target = Target { selector, category, previous_content_hash, task };
        // Models tend to pass every argument, so a blank `content` next to `clear` is not a contradiction.
        let content = content.unwrap_or_default();
        match (clear, content.trim().is_empty()) {
            (true, true) => change(call, &target, Edit::Clear),
            (true, false) => {
                let refusal =
                    Refusal::new(Code::InvalidArgs, "`content` and `clear: true` contradict each other");
                Err(refusal.next("pass either `content`, or `clear: true` to empty the section"))
            }
            (false, _) => change(call, &target, Edit::Set(content)),
        }
    }
}
