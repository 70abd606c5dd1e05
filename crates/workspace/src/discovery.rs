//! What makes a directory a workspace, and what is read of it.

use minds_document::{Scope, Snapshot};
use minds_fleet::FleetFamily;
use minds_paths::MountId;

/// What makes a directory a workspace: the paths of which one must be there, one for each family that has a place of its
/// own. That it is a directory or file, as it should be, is a question of the check.
pub const MARKERS: &[&str] = &[".minds", ".team/team-compose.yaml", ".ateam", "mind.toml"];

/// Returns what a check reads of the workspace itself, if it is there.
pub fn scope() -> Scope {
    let mut scope = minds_core::scope();
    let fleet = minds_fleet::scope(&MountId::WORKSPACE);
    scope.files.extend(fleet.files);
    scope.below.extend(fleet.below);
    scope
}

/// Returns what a check reads besides: the files that those in `snapshot` name, in whichever mount.
pub fn named_scope(snapshot: &Snapshot) -> Scope {
    FleetFamily::load(snapshot).value.named_scope()
}
