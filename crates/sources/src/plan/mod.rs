//! What a command is going to do, as a value.
//!
//! A plan is computed whole before anything happens, from what is offered, what is remembered, and what stands in the agent
//! homes. It holds the final bytes of every item and every place that is changed, with what was found there: whoever applies
//! it changes a place only if that is still there.
//!
//! ```text
//! let world = World { inventory, registry, installed, lobes, store_root, shown_root };
//! let request = InstallRequest::select(&world, …)?;      which items, and what they need
//! let places = request.places(&world);                    where to look
//! let plan = install(&world, &request, &seen);            what will be done, and what not
//! ```

mod claims;
mod consent;
mod install;
mod places;
mod remove;
mod select;
mod step;
mod upgrade;

pub use self::consent::{HookOwner, PlannedHook};
pub use self::install::install;
pub use self::places::{Occupant, Places};
pub use self::remove::{RemoveRequest, remove};
pub use self::select::{InstallRequest, Selected};
pub use self::step::{InstallStep, Kept, LinkStep, Plan, Reason, RemoveStep, Unlink};
pub use self::upgrade::{Staleness, staleness, upgrade_request};

use crate::{AbsolutePath, Installed, Inventory, LobeMode, Registry};

/// An agent home, and how items are placed in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AgentHome {
    /// Where it is.
    pub path: AbsolutePath,
    /// How items are placed in it.
    pub mode: LobeMode,
}

/// All that a plan is made of, except what stands in the agent homes.
#[derive(Clone, Copy, Debug)]
pub struct World<'w> {
    /// What the melded sources offer.
    pub inventory: &'w Inventory,
    /// The melded sources.
    pub registry: &'w Registry,
    /// The items that are installed.
    pub installed: &'w Installed,
    /// The agent homes.
    pub lobes: &'w [AgentHome],
    /// The folder of this program.
    pub home: &'w AbsolutePath,
    /// The home directory of the user, if there is one: texts name what lies in it with `~`.
    pub user_home: Option<&'w AbsolutePath>,
}

impl World<'_> {
    /// Returns where an item is stored.
    pub fn stored_at(&self, key: &crate::ItemKey) -> AbsolutePath {
        self.home.join(&crate::stored_at(key.kind, &key.name))
    }
}
