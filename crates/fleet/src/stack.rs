//! The layers of a fleet and the files that are read from them.

use minds_vfs::{DirectoryScope, Location, MountId, Scope, Snapshot, WorkspacePath};

/// The directory of a layer.
pub const FOLDER: &str = ".ateam";

/// The file of the project.
pub const PROJECT_FILE: &str = ".ateam/project.yaml";
/// The file with the models.
pub const MODELS_FILE: &str = ".ateam/models.yaml";
/// The file with the transport and the lists of tools.
pub const TOOLS_FILE: &str = ".ateam/tools.yaml";
/// The file with the name of the default agent.
pub const DEFAULT_AGENT_FILE: &str = ".ateam/defaults/agent";
/// The directory with a directory for each agent.
pub const AGENTS_FOLDER: &str = ".ateam/agents";
/// The file of an agent, in its directory.
pub const AGENT_FILE: &str = "agent.yaml";
/// The file with all agents in the older form.
pub const LEGACY_AGENTS_FILE: &str = ".ateam/agents.yaml";

/// The name of the mount of the home directory.
const HOME: &str = "home";

/// The prefix of mounts above the workspace, followed by the number of directories.
const ANCESTOR: &str = "ancestor-";

/// The maximum number of entries in all agent directories of a layer, and the maximum size of one file and of all files.
const MAX_ENTRIES: usize = 10_000;
const MAX_BYTES: u64 = 16 << 20;
const MAX_TOTAL_BYTES: u64 = 64 << 20;

/// Returns the mount of the home directory, whose layer is the lowest.
pub fn home() -> MountId {
    MountId::new(HOME)
}

/// Returns the mount of the directory `steps` levels above the workspace, from 1.
pub fn ancestor(steps: usize) -> MountId {
    MountId::new(format!("{ANCESTOR}{steps}"))
}

/// Returns the layers in a snapshot, highest first: the workspace, its parent directories, nearest first, and the home
/// directory.
pub fn layers(snapshot: &Snapshot) -> Vec<MountId> {
    let mut layers: Vec<(usize, MountId)> = Vec::new();
    let places = snapshot.iter().map(|(location, _)| location);
    for location in places.chain(snapshot.invalid_names().map(|(directory, _)| directory)) {
        let is_known = layers.iter().any(|(_, mount)| *mount == location.mount);
        let is_ours = location.path.as_str().split('/').next() == Some(FOLDER);
        if let Some(rank) = rank(&location.mount).filter(|_| is_ours && !is_known) {
            layers.push((rank, location.mount.clone()));
        }
    }
    layers.sort();
    layers.into_iter().map(|(_, mount)| mount).collect()
}

/// Returns the distance of a layer; `None` if the mount is not a layer.
fn rank(mount: &MountId) -> Option<usize> {
    if *mount == MountId::WORKSPACE {
        return Some(0);
    }
    if mount.as_str() == HOME {
        return Some(usize::MAX);
    }
    mount.as_str().strip_prefix(ANCESTOR)?.parse().ok()
}

/// Returns the files of a layer that are read first: its own and those of its agents. For the files that they refer to, see
/// [`FleetFamily::named_scope`](crate::FleetFamily::named_scope).
pub fn scope(mount: &MountId) -> Scope {
    let files = [PROJECT_FILE, MODELS_FILE, TOOLS_FILE, DEFAULT_AGENT_FILE, LEGACY_AGENTS_FILE];
    let files = files.into_iter().filter_map(|path| location(mount, path));
    let below = location(mount, AGENTS_FOLDER).map(|directory| DirectoryScope {
        directory,
        depth: 2,
        wants: is_file_of_agent,
        names: |_| false,
        max_entries: MAX_ENTRIES,
        max_bytes: MAX_BYTES,
        max_total_bytes: MAX_TOTAL_BYTES,
    });
    Scope { directories: below.into_iter().collect(), ..Scope::of_files(files) }
}

/// Returns whether a file in the directory of an agent is its `agent.yaml`, or may be part of its prompt.
fn is_file_of_agent(path: &WorkspacePath) -> bool {
    let Some((_, name)) = in_agent(path) else { return false };
    // The plan of an agent is not part of its prompt.
    name == AGENT_FILE || (is_prompt(name) && name != "plan.md")
}

fn is_prompt(name: &str) -> bool {
    name.rsplit_once('.').is_some_and(|(_, extension)| matches!(extension, "md" | "txt"))
}

/// Returns the name of the agent in whose directory a path lies, and the rest of the path.
pub(crate) fn in_agent(path: &WorkspacePath) -> Option<(&str, &str)> {
    let rest = path.as_str().strip_prefix(AGENTS_FOLDER)?.strip_prefix('/')?;
    Some(rest.split_once('/').unwrap_or((rest, "")))
}

pub(crate) fn location(mount: &MountId, path: &str) -> Option<Location> {
    Some(Location::new(mount.clone(), WorkspacePath::parse(path).ok()?))
}

#[cfg(test)]
mod tests {
    use minds_vfs::{FileMode, SnapshotEntry};

    use super::*;

    #[test]
    fn the_nearest_layer_comes_first() {
        let mut snapshot = Snapshot::new();
        let file = || SnapshotEntry::File { bytes: b"".as_slice().into(), mode: FileMode::Regular };
        let mut add = |mount: MountId, path: &str| snapshot.insert(location(&mount, path).unwrap(), file());
        for steps in [10, 2] {
            add(ancestor(steps), PROJECT_FILE);
        }
        add(home(), MODELS_FILE);
        add(MountId::new("elsewhere"), MODELS_FILE);
        add(ancestor(3), ".minds/team.yaml");
        add(MountId::WORKSPACE, ".ateam/agents/a/agent.yaml");
        add(MountId::WORKSPACE, MODELS_FILE);
        let found: Vec<String> = layers(&snapshot).iter().map(|mount| mount.as_str().to_owned()).collect();
        assert_eq!(found, ["workspace", "ancestor-2", "ancestor-10", "home"]);
    }

    #[test]
    fn the_scope_contains_the_files_of_agents() {
        let scope = scope(&home());
        for (path, expected) in [
            (".ateam/project.yaml", true),
            (".ateam/agents/a/agent.yaml", true),
            (".ateam/agents/a/system_base.md", true),
            (".ateam/agents/a/notes.txt", true),
            (".ateam/agents/a/plan.md", false),
            (".ateam/agents/a/queue.jsonl", false),
            (".ateam/agents/agent.yaml", false),
            (".ateam/other.yaml", false),
        ] {
            assert_eq!(scope.has(&location(&home(), path).unwrap()), expected, "{path}");
        }
    }
}
