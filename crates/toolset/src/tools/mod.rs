//! One file for each thing that is done, for both areas.

mod apply;
mod create;
mod preview;
mod read;
mod shown;
mod text;

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
    &preview::modification::TEAM_MGMT_PREVIEW_FILE_MODIFICATION,
    &preview::append::TEAM_MGMT_PREVIEW_FILE_APPEND,
    &preview::insert::TEAM_MGMT_PREVIEW_INSERT_AFTER,
    &preview::insert::TEAM_MGMT_PREVIEW_INSERT_BEFORE,
    &preview::block::TEAM_MGMT_PREVIEW_BLOCK_REPLACE,
    &apply::TEAM_MGMT_APPLY_FILE_MODIFICATION,
    &read::READ_FILE,
    &create::CREATE_NEW_FILE,
    &preview::modification::PREVIEW_FILE_MODIFICATION,
    &preview::append::PREVIEW_FILE_APPEND,
    &preview::insert::PREVIEW_INSERT_AFTER,
    &preview::insert::PREVIEW_INSERT_BEFORE,
    &preview::block::PREVIEW_BLOCK_REPLACE,
    &apply::APPLY_FILE_MODIFICATION,
];
