//! Creating a package.

use minds_task_store::Tasks;
use minds_taskdoc::tools::{CHANGE_MIND, TASK_NEW as NAME};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{CONTROL, author, expect_open};
use crate::Area;
use crate::answer::Refusal;
use crate::call::Call;
use crate::tool::{Annotations, Body, Function, Outcome, Tool};

pub(in crate::tools) static TASK_NEW: Tool = Tool {
    name: NAME,
    toolsets: CONTROL,
    area: Area::Workspace,
    description: minds_taskdoc::text!(
        "Create a task package with empty goals, constraints and progress; `",
        CHANGE_MIND,
        "` fills them. TASKDOC_EXISTS: the name is taken, in any letter case. NOT_MAINTAINER: ask a maintainer.",
    ),
    annotations: Annotations::ADDS,
    body: Body::of::<NewTask>(),
};

struct NewTask;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    /// the name of the package, such as `ship-it`
    name: String,
}

#[derive(Serialize, JsonSchema)]
struct Output {
    task: String,
    path: String,
}

impl Function for NewTask {
    type Arguments = Arguments;
    type Output = Output;

    fn run(call: &Call<'_>, arguments: Arguments) -> Result<Outcome<Output>, Refusal> {
        expect_open(call, &arguments.name)?;
        let package = Tasks::open(call.context.root())?.create(&arguments.name, &author(call)?)?;
        let (task, path) = (package.name().as_str().to_owned(), package.path().as_str().to_owned());
        Ok(Outcome::new(format!("created the task `{task}` at `{path}`"), Output { task, path }))
    }
}
