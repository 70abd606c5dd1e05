//! One file for each thing that is done, for both areas.

mod access_explain;
mod apply;
mod create;
mod line_counts;
mod list;
mod make_directory;
mod manual;
mod overwrite;
mod preview;
mod read;
mod relocate;
mod remove;
mod search;
mod server_admin;
pub(crate) mod task;
mod text;
mod then_validate;
mod validate;

use crate::Tool;

/// The name of the toolset that manages a team.
pub(crate) const TEAM_MGMT_TOOLSET: &str = "team-mgmt";
/// The toolset that manages a team.
pub(crate) const TEAM_MGMT: &[&str] = &[TEAM_MGMT_TOOLSET];
/// The toolsets that read the workspace.
pub(crate) const READS: &[&str] = &["ws_read", "ws_mod"];
/// The toolset that changes the workspace.
pub(crate) const CHANGES: &[&str] = &["ws_mod"];

/// The toolset that manages MCP servers.
pub(crate) const MCP_ADMIN_TOOLSET: &str = "mcp_admin";
/// The toolset that manages MCP servers.
pub(crate) const MCP_ADMIN: &[&str] = &[MCP_ADMIN_TOOLSET];

/// All tools, in the order in which they are listed.
pub(crate) static ALL: &[&Tool] = &[
    &list::TEAM_MGMT_LIST_DIR,
    &read::TEAM_MGMT_READ_FILE,
    &search::TEAM_MGMT_SEARCH_TEXT,
    &create::TEAM_MGMT_CREATE_NEW_FILE,
    &overwrite::TEAM_MGMT_OVERWRITE_ENTIRE_FILE,
    &preview::modification::TEAM_MGMT_PREVIEW_FILE_MODIFICATION,
    &preview::append::TEAM_MGMT_PREVIEW_FILE_APPEND,
    &preview::insert::TEAM_MGMT_PREVIEW_INSERT_AFTER,
    &preview::insert::TEAM_MGMT_PREVIEW_INSERT_BEFORE,
    &preview::block::TEAM_MGMT_PREVIEW_BLOCK_REPLACE,
    &apply::TEAM_MGMT_APPLY_FILE_MODIFICATION,
    &make_directory::TEAM_MGMT_MK_DIR,
    &relocate::TEAM_MGMT_MOVE_FILE,
    &relocate::TEAM_MGMT_MOVE_DIR,
    &remove::TEAM_MGMT_RM_FILE,
    &remove::TEAM_MGMT_RM_DIR,
    &validate::TEAM_MGMT_VALIDATE,
    &validate::TEAM_MGMT_VALIDATE_TEAM_CFG,
    &validate::TEAM_MGMT_VALIDATE_LLM_CFG,
    &validate::TEAM_MGMT_VALIDATE_MCP_CFG,
    &manual::TEAM_MGMT_MANUAL,
    &list::LIST_DIR,
    &read::READ_FILE,
    &search::SEARCH_TEXT,
    &create::CREATE_NEW_FILE,
    &overwrite::OVERWRITE_ENTIRE_FILE,
    &preview::modification::PREVIEW_FILE_MODIFICATION,
    &preview::append::PREVIEW_FILE_APPEND,
    &preview::insert::PREVIEW_INSERT_AFTER,
    &preview::insert::PREVIEW_INSERT_BEFORE,
    &preview::block::PREVIEW_BLOCK_REPLACE,
    &apply::APPLY_FILE_MODIFICATION,
    &make_directory::MK_DIR,
    &relocate::MOVE_FILE,
    &relocate::MOVE_DIR,
    &remove::RM_FILE,
    &remove::RM_DIR,
    &access_explain::ACCESS_EXPLAIN,
    &task::CHANGE_MIND,
    &task::DO_MIND,
    &task::MIND_MORE,
    &task::NEVER_MIND,
    &task::RECALL_TASKDOC,
    &task::TASK_NEW,
    &task::TASK_MIGRATE,
    &task::TASK_LOG,
    &task::TASK_UNDO,
    &server_admin::MCP_RESTART,
    &server_admin::MCP_RELEASE,
    &server_admin::MCP_DISABLE,
];
