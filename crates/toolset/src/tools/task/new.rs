//! Creating a package.

use minds_operations::task::Tasks;
use minds_taskdoc::tools::{CHANGE_MIND, TASK_NEW as NAME};

use super::{CONTROL, author, expect_open};
use crate::Area;
use crate::answer::{Fields, Refusal, Success};
use crate::arguments::{Argument, Kind};
use crate::call::Call;
use crate::tool::{Annotations, OutputField, Tool};

pub(in crate::tools) static TASK_NEW: Tool = Tool {
    name: NAME,
    toolsets: CONTROL,
    area: Area::Workspace,
    description: minds_taskdoc::text!(
        "Create a task package with empty goals, constraints and progress; `",
        CHANGE_MIND,
        "` fills them. TASKDOC_EXISTS: the name is taken, in any letter case. NOT_MAINTAINER: tell a maintainer.",
    ),
    arguments: &[Argument::required("name", Kind::Text, "the name of the package, such as `ship-it`")],
    output: &[OutputField { name: "task", kind: "string" }, OutputField { name: "path", kind: "string" }],
    annotations: Annotations::ADDS,
    run,
};

fn run(call: &Call<'_>) -> Result<Success, Refusal> {
    let name = call.arguments.text("name").unwrap_or_default();
    expect_open(call, name)?;
    let package = Tasks::open(call.context.root())?.create_as(name, &author(call))?;
    let (name, path) = (package.name().as_str(), package.path().as_str());
    let fields = Fields::new().with("task", name).with("path", path);
    Ok(Tool::done(format!("created the task `{name}` at `{path}`"), fields))
}
