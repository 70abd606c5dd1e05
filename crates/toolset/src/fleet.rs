//! The toolset `fleet`, whose tools the gateway has: they are those of another program.

pub use minds_core::catalog::FLEET_TOOLSET;
use minds_core::catalog::{TOOLSETS, is_fleet_tool};
use minds_fs::{Kind, Root};
use minds_vfs::WorkspacePath;

use crate::permissions::Permissions;
use crate::{Caller, ForeignTool, Refusal, ToolContext};

/// The folder of a workspace that has a fleet.
pub const FLEET_FOLDER: &str = ".ateam";

/// Returns whether a workspace has a fleet: a directory for the files of its agents.
pub fn has_fleet(root: &Root) -> bool {
    let folder = WorkspacePath::parse(FLEET_FOLDER).ok();
    let metadata = folder.and_then(|folder| root.resolving().metadata(&folder).ok());
    metadata.is_some_and(|metadata| metadata.kind == Kind::Directory)
}

/// Returns whether a caller has a tool of the toolset `fleet`, by the current files of the team.
pub fn may_use_fleet(context: &ToolContext, caller: &Caller) -> bool {
    let tools = TOOLSETS.iter().filter(|toolset| toolset.name == FLEET_TOOLSET);
    let mut tools = tools.flat_map(|toolset| toolset.tools.iter().copied());
    Permissions::load(context, caller)
        .is_ok_and(|permissions| tools.any(|tool| permissions.has_tool_of(&[FLEET_TOOLSET], tool)))
}

/// Returns whether a tool is one of the toolset `fleet`, from its program. No server of `mcp.yaml` can have its id.
pub(crate) fn is_of_fleet(tool: &ForeignTool) -> bool {
    tool.server == FLEET_TOOLSET && is_fleet_tool(&tool.name)
}

/// Returns the refusal of a tool of the toolset `fleet` that the caller does not have; `None` for any other tool, and if only
/// the program is missing.
pub(crate) fn refuse_withheld(context: &ToolContext, tool: &str, caller: &Caller) -> Option<Refusal> {
    if !is_fleet_tool(tool) {
        return None;
    }
    match Permissions::load(context, caller) {
        Ok(permissions) if permissions.has_tool_of(&[FLEET_TOOLSET], tool) => None,
        Ok(permissions) => Some(permissions.refuse_tool(tool, &[FLEET_TOOLSET], caller)),
        Err(refusal) => Some(refusal),
    }
}

/// Returns the message and the next step for a tool of the toolset `fleet` without its program.
pub(crate) fn explain_missing(tool: &str) -> Option<(String, &'static str)> {
    is_fleet_tool(tool).then(|| {
        let message = format!(
            "`{tool}` is not available: it needs the directory `{FLEET_FOLDER}` in the workspace, the program \
             `minds-fleet`, and a gateway"
        );
        (message, "look at `minds problems`, or use one of your tools")
    })
}
