//! The steps of a plan.

use minds_sources::{ItemContent, ItemKey, Refusal};
use minds_vfs::{ContentHash, WorkspacePath};

use super::{Occupant, Places, PlannedHook};
use crate::{AbsolutePath, InstalledItem, LobeMode};

/// The planned changes to items.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Plan {
    /// The items to install, in order: dependencies are installed first.
    pub installs: Vec<InstallStep>,
    /// The items to remove, in order: dependencies are removed last.
    pub removals: Vec<RemoveStep>,
    /// The items that are up to date.
    pub unchanged: Vec<ItemKey>,
    /// The items that are not installed because another item of their source is refused, and the items of a
    /// source are installed together or not at all.
    pub withheld: Vec<ItemKey>,
    /// The refused items, with the reasons.
    pub refusals: Vec<(ItemKey, Refusal)>,
}

/// Why an item is installed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// It was selected.
    Selected,
    /// An installed item depends on it.
    Needed,
    /// It is already installed, and is upgraded.
    Outdated,
}

/// An item to install.
#[derive(Clone, Debug, PartialEq)]
pub struct InstallStep {
    /// The reason.
    pub reason: Reason,
    /// Its record after the installation. `stored` and the hashes of copies are those of `content`; after
    /// builds and hooks they have to be replaced by the final hashes.
    pub record: InstalledItem,
    /// The content that is installed.
    pub content: ItemContent,
    /// The occupant of its path in the store; [`Occupant::Nothing`] if it is new.
    pub found: Occupant,
    /// The previous name of the item, if it is renamed. A [`RemoveStep`] of the plan removes it.
    pub renamed_from: Option<ItemKey>,
    /// The paths in agent homes at which it is placed.
    pub links: Vec<LinkStep>,
    /// The paths in agent homes from which it is removed.
    pub unlinks: Vec<Unlink>,
    /// The build commands, which run in the staged content.
    pub build: Option<PlannedHook>,
    /// The hooks that run after the installation.
    pub hooks: Vec<PlannedHook>,
}

/// A path in an agent home at which an item is placed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinkStep {
    /// The path.
    pub at: AbsolutePath,
    /// As a link to the store, or as a copy of the content.
    pub mode: LobeMode,
    /// The path in the store: the target of the link.
    pub target: AbsolutePath,
    /// The current occupant. It is replaced only if it is still the same.
    pub found: Occupant,
    /// Whether the occupant is foreign, and is replaced because of `--force`.
    pub is_forced: bool,
}

/// A path in an agent home that belongs to this program and is cleared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unlink {
    /// The path.
    pub at: AbsolutePath,
    /// The current occupant, which proves that the path belongs to this program: a link with this target, or
    /// a copy with this hash. It is removed only if it is still the same.
    pub found: Occupant,
}

/// A recorded path that is not changed, because its occupant was not placed by this program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeptPath {
    /// The path.
    pub at: AbsolutePath,
    /// The occupant; `None` if it is not known.
    pub found: Option<Occupant>,
}

/// An item to remove.
#[derive(Clone, Debug, PartialEq)]
pub struct RemoveStep {
    /// Its record.
    pub record: InstalledItem,
    /// The path relative to the data directory where it is stored.
    pub store: WorkspacePath,
    /// The current occupant of that path.
    pub found: Occupant,
    /// The recorded hash, if the occupant has another one because it was modified.
    pub drifted_from: Option<ContentHash>,
    /// The paths that are cleared.
    pub unlinks: Vec<Unlink>,
    /// The paths that are not changed.
    pub kept: Vec<KeptPath>,
    /// The hooks that run before the removal.
    pub hooks: Vec<PlannedHook>,
}

impl Plan {
    /// Returns whether the plan does not change anything.
    pub fn is_empty(&self) -> bool {
        self.installs.is_empty() && self.removals.is_empty()
    }

    /// Returns the files and folders that are replaced or removed, each with the occupant that the plan
    /// expects. `home` is the data directory.
    pub fn replaced_occupants(&self, home: &AbsolutePath) -> Places {
        let mut replaced = Places::new();
        let mut add = |at: AbsolutePath, found: &Occupant| {
            if matches!(found, Occupant::Content(_)) {
                replaced.insert(at, found.clone());
            }
        };
        for step in &self.installs {
            add(home.join(&step.record.store_path()), &step.found);
            step.links.iter().for_each(|link| add(link.at.clone(), &link.found));
            step.unlinks.iter().for_each(|unlink| add(unlink.at.clone(), &unlink.found));
        }
        for step in &self.removals {
            add(home.join(&step.store), &step.found);
            step.unlinks.iter().for_each(|unlink| add(unlink.at.clone(), &unlink.found));
        }
        replaced
    }

    /// Returns the hooks in the order in which they run.
    pub fn hooks(&self) -> impl Iterator<Item = &PlannedHook> {
        let removals = self.removals.iter().flat_map(|step| &step.hooks);
        let installs = self.installs.iter().flat_map(|step| step.build.iter().chain(&step.hooks));
        removals.chain(installs)
    }
}
