//! One file for each thing that is done, for both areas.

mod create;
mod manual;
mod read;
mod validate;

use crate::Tool;

/// The toolset that manages a team.
pub(crate) const TEAM_MGMT: &[&str] = &["team-mgmt"];
/// The toolsets that read the workspace.
pub(crate) const READS: &[&str] = &["ws_read", "ws_mod"];
/// The toolset that changes the workspace.
pub(crate) const CHANGES: &[&str] = &["ws_mod"];

/// All tools, in the order in which they are listed.
pub(crate) static ALL: &[&Tool] = &[
    &read::TEAM_MGMT_READ_FILE,
    &create::TEAM_MGMT_CREATE_NEW_FILE,
    &validate::TEAM_MGMT_VALIDATE_TEAM_CFG,
    &validate::TEAM_MGMT_VALIDATE_LLM_CFG,
    &validate::TEAM_MGMT_VALIDATE_MCP_CFG,
    &manual::TEAM_MGMT_MANUAL,
    &read::READ_FILE,
    &create::CREATE_NEW_FILE,
];
