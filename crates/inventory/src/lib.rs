#![doc = include_str!("../README.md")]

mod dump;
mod inventory;
mod listing;
mod place;
pub mod plan;
mod reference;
mod state;
mod verify;

pub use dump::{DUMP_DESCRIPTION, Dump, SourceState, dump, lock};
pub use inventory::{Inventory, Position};
pub use listing::{
    ProbeFilter, ProbeRow, RecallItem, RecallSource, RecallState, TreeItem, probe, probe_unmanaged, recall,
    roots, tree_lines, trees,
};
pub use place::{AbsolutePath, AbsolutePathError, LinkError, check_link, placement};
pub use plan::{AgentHome, InstallRequest, InventoryContext, Occupant, Places, Plan, RemoveRequest};
pub use reference::{Reference, matches_pattern, select_sources};
pub use state::{
    Alias, CONFIG_FILE, Config, HookRecord, INSTALLED_FILE, InstalledItem, InstalledItemDocument,
    InstalledItems, LOCK_FILE, Lobe, LobeMode, Lock, LockRefusal, LockedItem, LockedSource, Placement,
    REGISTRY_FILE, RegisteredSource, Registry, RegistryDocument, StateError,
};
pub use verify::{Finding, FindingKind, verify, verify_places};
