//! What identifies a workspace, and which of its files are read.

#[cfg(feature = "fleet")]
use minds_fleet::FleetFamily;
#[cfg(any(feature = "fleet", feature = "sources"))]
use minds_vfs::MountId;
use minds_vfs::Scope;
#[cfg(feature = "fleet")]
use minds_vfs::Snapshot;

/// Paths that identify a workspace: a directory is a workspace if one of them exists in it. There is one for each family
/// with its own location. The check verifies that it is a directory or a file, as required.
pub const MARKERS: &[&str] = &[".minds", ".team/team-compose.yaml", ".ateam", "mind.toml"];

/// Patterns that identify a workspace if neither the directory nor any of its ancestors contains one of [`MARKERS`]: a task
/// package in the default task home. `*` stands for any name.
pub const WEAK_MARKERS: &[&str] = &["tasks/*.tsk"];

/// Returns the files of the workspace that a check reads first. Files that these refer to are read afterwards: see
/// [`Reader`](minds_compose::Reader) and [`named_scope`].
pub fn scope() -> Scope {
    #[cfg(feature = "compose")]
    let [in_workspace, _] = minds_compose::ROOTS;
    join_scopes([
        minds_core::scope(),
        #[cfg(feature = "compose")]
        minds_compose::scope(in_workspace),
        #[cfg(feature = "fleet")]
        minds_fleet::scope(&MountId::WORKSPACE),
        #[cfg(feature = "sources")]
        minds_sources::scope(&MountId::WORKSPACE),
    ])
}

/// Returns the additional files of fleets that a check reads: the files that those in `snapshot` refer to, in any mount.
#[cfg(feature = "fleet")]
pub fn named_scope(snapshot: &Snapshot) -> Scope {
    FleetFamily::load(snapshot).value.named_scope()
}

/// Returns only the files of the team family.
pub fn team_scope() -> Scope {
    minds_core::scope()
}

/// Returns the files that are read first of a compose root on its own.
#[cfg(feature = "compose")]
pub fn compose_scope() -> Scope {
    let [_, by_itself] = minds_compose::ROOTS;
    minds_compose::scope(by_itself)
}

fn join_scopes(scopes: impl IntoIterator<Item = Scope>) -> Scope {
    scopes.into_iter().fold(Scope::default(), |mut all, scope| {
        all.files.extend(scope.files);
        all.directories.extend(scope.directories);
        all
    })
}
