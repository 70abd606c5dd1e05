//! The steps of a plan.

use minds_document::ContentHash;
use minds_paths::WorkspacePath;

use super::{Occupant, Places, PlannedHook};
use crate::{AbsolutePath, InstalledItem, ItemContent, ItemKey, LobeMode, Refusal};

/// What a command is going to do to items.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Plan {
    /// The items that are installed, in order: what an item needs is installed before it.
    pub installs: Vec<InstallStep>,
    /// The items that are removed, in order: what an item needs is removed after it.
    pub removals: Vec<RemoveStep>,
    /// The items that are left as they are because there is nothing to do.
    pub unchanged: Vec<ItemKey>,
    /// The items that are not installed because another one of their source is refused, and a source is installed as it was
    /// asked for or not at all.
    pub withheld: Vec<ItemKey>,
    /// What is not done, and why.
    pub refusals: Vec<(ItemKey, Refusal)>,
}

/// Why an item is installed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// Somebody asked for it.
    Selected,
    /// An item that is installed needs it.
    Needed,
    /// It is installed already, and is brought up to date.
    Outdated,
}

/// An item that is going to be installed.
#[derive(Clone, Debug, PartialEq)]
pub struct InstallStep {
    /// Why.
    pub reason: Reason,
    /// What is remembered of it afterwards. `stored` and the hashes of copies are those of `content`; where something was
    /// built or hooks ran, whoever applies the plan replaces them by what is there in the end.
    pub record: InstalledItem,
    /// The bytes that are installed.
    pub content: ItemContent,
    /// What is in its place in the store; [`Occupant::Nothing`] if it is new.
    pub found: Occupant,
    /// The name under which it was installed before, if that was another. A [`RemoveStep`] of the plan removes it.
    pub renamed_from: Option<ItemKey>,
    /// Where it is placed in agent homes.
    pub links: Vec<LinkStep>,
    /// Where it stood in agent homes and does not any more.
    pub unlinks: Vec<Unlink>,
    /// What makes the item, run on the staged content.
    pub build: Option<PlannedHook>,
    /// What runs once it is in its place.
    pub hooks: Vec<PlannedHook>,
}

/// A place of an agent home that is going to hold an item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinkStep {
    /// Where.
    pub at: AbsolutePath,
    /// As a link to the store, or as a copy of the content.
    pub mode: LobeMode,
    /// Where the store has the item: the target of the link.
    pub target: AbsolutePath,
    /// What stands there now. It is replaced only if it is still the same.
    pub found: Occupant,
    /// Whether that belongs to somebody else, and is replaced because that was asked for.
    pub is_forced: bool,
}

/// A place of an agent home that belongs to this program and is going to be cleared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unlink {
    /// Where.
    pub at: AbsolutePath,
    /// What stands there now, which proves whose it is: a link with this target, or a copy with this hash. It is removed
    /// only if it is still the same.
    pub found: Occupant,
}

/// A place that is remembered and is left alone, because what stands there is not what was put there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kept {
    /// Where.
    pub at: AbsolutePath,
    /// What stands there; none if it is not known.
    pub found: Option<Occupant>,
}

/// An item that is going to be removed.
#[derive(Clone, Debug, PartialEq)]
pub struct RemoveStep {
    /// What is remembered of it.
    pub record: InstalledItem,
    /// Where it is stored, from the folder of this program.
    pub store: WorkspacePath,
    /// What stands there.
    pub found: Occupant,
    /// The hash of what was stored, if what stands there is another: somebody changed it.
    pub drifted_from: Option<ContentHash>,
    /// The places that are cleared.
    pub unlinks: Vec<Unlink>,
    /// The places that are left alone.
    pub kept: Vec<Kept>,
    /// What runs before.
    pub hooks: Vec<PlannedHook>,
}

impl Plan {
    /// Returns whether nothing is going to change.
    pub fn is_empty(&self) -> bool {
        self.installs.is_empty() && self.removals.is_empty()
    }

    /// Returns the files and folders that are replaced or removed, each with the content for which that was planned. `home` is
    /// the folder of this program.
    pub fn replaced(&self, home: &AbsolutePath) -> Places {
        let mut replaced = Places::new();
        let mut add = |at: AbsolutePath, found: &Occupant| {
            if matches!(found, Occupant::Content(_)) {
                replaced.insert(at, found.clone());
            }
        };
        for step in &self.installs {
            add(home.join(&step.record.stored_at()), &step.found);
            step.links.iter().for_each(|link| add(link.at.clone(), &link.found));
            step.unlinks.iter().for_each(|unlink| add(unlink.at.clone(), &unlink.found));
        }
        for step in &self.removals {
            add(home.join(&step.store), &step.found);
            step.unlinks.iter().for_each(|unlink| add(unlink.at.clone(), &unlink.found));
        }
        replaced
    }

    /// Returns the hooks, in the order in which they run.
    pub fn hooks(&self) -> impl Iterator<Item = &PlannedHook> {
        let removals = self.removals.iter().flat_map(|step| &step.hooks);
        let installs = self.installs.iter().flat_map(|step| step.build.iter().chain(&step.hooks));
        removals.chain(installs)
    }
}
