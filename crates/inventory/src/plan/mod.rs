//! Planning what a command will do, as a value.
//!
//! A plan is computed completely before anything happens, from the offered items, the recorded state, and the
//! current files in the agent homes. It contains the final bytes of every item and every path that is
//! changed, with its current occupant; it must only be applied to paths whose occupant is still the same.
//!
//! ```text
//! let context = InventoryContext { inventory, registry, installed, lobes, home, user_home };
//! let request = InstallRequest::select(&context, …)?;   which items, and their dependencies
//! let places = request.places(&context);                which paths to read
//! let plan = install(&context, &request, &occupants);   what will be done, and what is refused
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
pub use self::select::{InstallRequest, SelectedItem};
pub use self::step::{InstallStep, KeptPath, LinkStep, Plan, Reason, RemoveStep, Unlink};
pub use self::upgrade::{Staleness, staleness, upgrade_request};

use minds_sources::{ItemKey, store_path};

use crate::{AbsolutePath, InstalledItems, Inventory, LobeMode, Registry};

/// An agent home, and how items are placed in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AgentHome {
    /// Its path.
    pub path: AbsolutePath,
    /// How items are placed in it.
    pub mode: LobeMode,
}

/// The input of lists and plans, except the files in the agent homes.
#[derive(Clone, Copy, Debug)]
pub struct InventoryContext<'w> {
    /// The offered items.
    pub inventory: &'w Inventory,
    /// The registered sources.
    pub registry: &'w Registry,
    /// The installed items.
    pub installed: &'w InstalledItems,
    /// The agent homes.
    pub lobes: &'w [AgentHome],
    /// The data directory.
    pub home: &'w AbsolutePath,
    /// The home directory of the user, if it is known: paths in it are written with `~` in text.
    pub user_home: Option<&'w AbsolutePath>,
}

impl InventoryContext<'_> {
    /// Returns where an item is stored.
    pub fn store_path(&self, key: &ItemKey) -> AbsolutePath {
        self.home.join(&store_path(key.kind, &key.name))
    }
}
