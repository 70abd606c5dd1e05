//! What makes a directory a workspace, and what is read of it.

use minds_document::{Scope, Snapshot};
use minds_fleet::FleetFamily;
use minds_paths::MountId;

/// What makes a directory a workspace: the paths of which one must be there, one for each family that has a place of its
/// own. That it is a directory or file, as it should be, is a question of the check.
pub const MARKERS: &[&str] = &[".minds", ".team/team-compose.yaml", ".ateam", "mind.toml"];

/// What makes a directory a workspace where nothing of [`MARKERS`] is there, neither in it nor above: a task package in the
/// usual task home. The `*` stands for any name.
pub const WEAK_MARKERS: &[&str] = &["tasks/*.tsk"];

/// Returns what a check reads first of the workspace itself, if it is there. What files name is read after them: see
/// [`Reader`](minds_compose::Reader) and [`named_scope`].
pub fn scope() -> Scope {
    let [in_workspace, _] = minds_compose::ROOTS;
    let fleet = minds_fleet::scope(&MountId::WORKSPACE);
    let source = minds_sources::scope(&MountId::WORKSPACE);
    joined([minds_core::scope(), minds_compose::scope(in_workspace), fleet, source])
}

/// Returns what a check reads besides for fleets: the files that those in `snapshot` name, in whichever mount.
pub fn named_scope(snapshot: &Snapshot) -> Scope {
    FleetFamily::load(snapshot).value.named_scope()
}

/// Returns the files of the team alone, for those who work with the team.
pub fn team_scope() -> Scope {
    minds_core::scope()
}

/// Returns what is read first of a compose root that is opened by itself.
pub fn compose_scope() -> Scope {
    let [_, by_itself] = minds_compose::ROOTS;
    minds_compose::scope(by_itself)
}

fn joined(scopes: impl IntoIterator<Item = Scope>) -> Scope {
    scopes.into_iter().fold(Scope::default(), |mut all, scope| {
        all.files.extend(scope.files);
        all.below.extend(scope.below);
        all
    })
}
