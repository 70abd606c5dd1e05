//! What makes a directory a workspace, and what is read of it.

use minds_document::Scope;

/// What makes a directory a workspace: the paths of which one must be there, one for each family that has a place of its
/// own. That it is a directory or file, as it should be, is a question of the check.
pub const MARKERS: &[&str] = &[".minds", ".team/team-compose.yaml", ".ateam", "mind.toml"];

/// Returns what a check reads, if it is there.
pub fn scope() -> Scope {
    minds_core::scope()
}
