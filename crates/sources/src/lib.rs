//! The source family: what a repository offers to agents, and the plan to install it.
//!
//! A source is a repository, or a folder, that offers items: skills, agents, rules and tools. What it offers is found by
//! convention, from the heads of Markdown files, and from an optional `mind.toml` at its root. All of this crate are
//! functions from values to values: files come in as a snapshot, and effects go out as data.

mod catalog;
mod dependencies;
mod dump;
mod files;
mod hook;
mod inventory;
mod item;
mod kind;
mod listing;
mod manifest;
mod name;
mod pin;
mod place;
pub mod plan;
mod reference;
mod refusal;
mod render;
#[cfg(test)]
mod sample;
mod spec;
mod state;
mod tokens;
mod verify;

pub use catalog::Catalog;
pub use dependencies::Graph;
pub use dump::{DUMP_DESCRIPTION, Dump, SourceState, dump, lock};
pub use files::{ItemContent, ItemFile};
pub use hook::{Hook, HookEvent};
pub use inventory::{Inventory, Offered, Position, SourceItems};
pub use item::{Item, ItemKey};
pub use kind::ItemKind;
pub use listing::{
    ProbeFilter, ProbeRow, RecallItem, RecallSource, RecallState, probe, recall, tree_json, tree_lines,
};
pub use manifest::{
    AuthFailure, Discover, Globs, HookEntry, ItemEntry, Manifest, NestedSource, PinFields, SourceHead,
};
pub use name::{ItemName, NameError, Prefix};
pub use pin::{Pin, RevisionError, RevisionName};
pub use place::{AbsolutePath, AbsolutePathError, LinkError, check_link, placement, stored_at};
pub use plan::{AgentHome, InstallRequest, Occupant, Places, Plan, RemoveRequest, World};
pub use reference::{Reference, matches_pattern, select_sources};
pub use refusal::{Refusal, RefusalKind};
pub use render::Renderer;
pub use spec::{Identity, Remote, SourceSpec, SpecError};
pub use state::{
    Alias, CONFIG_FILE, Config, HookRecord, INSTALLED_FILE, Installed, InstalledItem, LOCK_FILE, Lobe,
    LobeMode, Lock, LockRefusal, LockedItem, LockedSource, Placed, REGISTRY_FILE, Registered, Registry,
    StateError,
};
pub use verify::{Finding, FindingKind, verify, verify_places};
