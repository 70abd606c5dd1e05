//! Making a file.

use minds_document::FileMode;
use minds_paths::WorkspacePath;

use super::{CHANGES, TEAM_MGMT};
use crate::Area;
use crate::answer::{Fields, Refusal, Success};
use crate::arguments::{Argument, Kind};
use crate::call::Call;
use crate::tool::{Annotations, OutputField, Tool};

pub(super) static TEAM_MGMT_CREATE_NEW_FILE: Tool = Tool {
    name: "team_mgmt_create_new_file",
    toolsets: TEAM_MGMT,
    area: Area::Minds,
    description: "Create a text file below `.minds/`; refused if it exists.",
    arguments: ARGUMENTS,
    output: OUTPUT,
    annotations: Annotations::ADDS,
    run,
};

pub(super) static CREATE_NEW_FILE: Tool = Tool {
    name: "create_new_file",
    toolsets: CHANGES,
    area: Area::Workspace,
    description: "Create a text file of the workspace; refused if it exists. `**/*.tsk/**` is refused.",
    ..TEAM_MGMT_CREATE_NEW_FILE
};

const ARGUMENTS: &[Argument] =
    &[Argument::required("path", Kind::Text, ""), Argument::optional("content", Kind::Text, "")];

const OUTPUT: &[OutputField] = &[OutputField { name: "new_total_bytes", kind: "integer" }];

fn run(call: &Call<'_>) -> Result<Success, Refusal> {
    let path = call.path("path")?;
    let content = call.arguments.text("content").unwrap_or_default();
    make_parents(call, &path)?;
    let created = call.entry(&path)?.create(content.as_bytes(), FileMode::Regular);
    created.map_err(|error| call.fault(&error, &path))?;
    let fields = Fields::new().with("path", path.as_str()).with("new_total_bytes", content.len());
    Ok(Tool::done(format!("created {path}"), fields))
}

/// Makes the directories above a path that are not there yet.
pub(crate) fn make_parents(call: &Call<'_>, path: &WorkspacePath) -> Result<(), Refusal> {
    let parents: Vec<_> = std::iter::successors(path.parent(), WorkspacePath::parent).collect();
    for parent in parents.iter().rev().filter(|parent| !parent.is_root()) {
        let place = call.entry(parent)?;
        if place.metadata().map_err(|error| call.fault(&error, parent))?.is_none() {
            place.make_directory().map_err(|error| call.fault(&error, parent))?;
        }
    }
    Ok(())
}
