//! What makes a directory a workspace, and what is read of it.

use minds_document::Scope;

/// What makes a directory a workspace: the paths of which one must be there, one for each family that has a place of its
/// own. That it is a directory or file, as it should be, is a question of the check.
pub const MARKERS: &[&str] = &[".minds", ".team/team-compose.yaml", ".ateam", "mind.toml"];

/// What makes a directory a workspace where nothing of [`MARKERS`] is there, neither in it nor above: a task package in the
/// usual task home. The `*` stands for any name.
pub const WEAK_MARKERS: &[&str] = &["tasks/*.tsk"];

/// Returns what a check reads, if it is there.
pub fn scope() -> Scope {
    minds_core::scope()
}
