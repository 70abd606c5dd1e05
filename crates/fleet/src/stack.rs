//! Which directories hold a part of a fleet's configuration, and what of them is read.

use minds_document::{Below, Scope, Snapshot};
use minds_paths::{Location, MountId, WorkspacePath};

/// The directory of a layer.
pub const FOLDER: &str = ".ateam";

/// The file that says what the project is.
pub const PROJECT_FILE: &str = ".ateam/project.yaml";
/// The file that says which models there are.
pub const MODELS_FILE: &str = ".ateam/models.yaml";
/// The file that says how agents are reached and which tools they may have.
pub const TOOLS_FILE: &str = ".ateam/tools.yaml";
/// The file that names the agent that is meant where none is named.
pub const DEFAULT_AGENT_FILE: &str = ".ateam/defaults/agent";
/// The directory that holds a directory for each agent.
pub const AGENTS_FOLDER: &str = ".ateam/agents";
/// The file of an agent, in its directory.
pub const AGENT_FILE: &str = "agent.yaml";
/// The file in which all agents stood once.
pub const LEGACY_AGENTS_FILE: &str = ".ateam/agents.yaml";

/// The name of the mount with the layer of the user.
const HOME: &str = "home";

/// What the name of a mount above the workspace begins with; the rest says how many directories above.
const ANCESTOR: &str = "ancestor-";

/// How many entries the directories of all agents of a layer hold at most, and how many bytes are read of one file and of
/// all together.
const MAX_ENTRIES: usize = 10_000;
const MAX_BYTES: u64 = 16 << 20;
const MAX_TOTAL_BYTES: u64 = 64 << 20;

/// Returns the mount of the user's home, whose layer is behind all others.
pub fn home() -> MountId {
    MountId::new(HOME)
}

/// Returns the mount of the directory so many steps above the workspace, from 1.
pub fn ancestor(steps: usize) -> MountId {
    MountId::new(format!("{ANCESTOR}{steps}"))
}

/// Returns the layers of which a snapshot holds something, the one with the last word first: the workspace, the
/// directories above it, nearest first, and the user's home.
pub fn layers(snapshot: &Snapshot) -> Vec<MountId> {
    let mut layers: Vec<(usize, MountId)> = Vec::new();
    let places = snapshot.iter().map(|(location, _)| location);
    for location in places.chain(snapshot.unnamed().map(|(directory, _)| directory)) {
        let is_known = layers.iter().any(|(_, mount)| *mount == location.mount);
        let is_ours = location.path.as_str().split('/').next() == Some(FOLDER);
        if let Some(rank) = rank(&location.mount).filter(|_| is_ours && !is_known) {
            layers.push((rank, location.mount.clone()));
        }
    }
    layers.sort();
    layers.into_iter().map(|(_, mount)| mount).collect()
}

/// Returns how far back a layer stands; none if the mount is no layer.
fn rank(mount: &MountId) -> Option<usize> {
    if *mount == MountId::WORKSPACE {
        return Some(0);
    }
    if mount.as_str() == HOME {
        return Some(usize::MAX);
    }
    mount.as_str().strip_prefix(ANCESTOR)?.parse().ok()
}

/// Returns what is read of a layer at first: its files, and those of its agents. What they name comes after; see
/// [`FleetFamily::named_scope`](crate::FleetFamily::named_scope).
pub fn scope(mount: &MountId) -> Scope {
    let files = [PROJECT_FILE, MODELS_FILE, TOOLS_FILE, DEFAULT_AGENT_FILE, LEGACY_AGENTS_FILE];
    let files = files.into_iter().filter_map(|path| location(mount, path));
    let below = location(mount, AGENTS_FOLDER).map(|directory| Below {
        directory,
        depth: 2,
        wants: is_file_of_agent,
        names: |_| false,
        most_entries: MAX_ENTRIES,
        most_bytes: MAX_BYTES,
        most_bytes_together: MAX_TOTAL_BYTES,
    });
    Scope { below: below.into_iter().collect(), ..Scope::of_files(files) }
}

/// Returns whether a file in the directory of an agent is its own, or may be a part of its prompt.
fn is_file_of_agent(path: &WorkspacePath) -> bool {
    let Some((_, name)) = in_agent(path) else { return false };
    // The plan of an agent is no part of its prompt.
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
    use minds_document::{FileMode, SnapshotEntry};

    use super::*;

    #[test]
    fn the_nearest_layer_has_the_last_word() {
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
    fn what_is_read_at_first() {
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
