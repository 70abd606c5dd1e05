//! The state files in the data directory.
//!
//! A file is read completely or refused with the line of the error: an unreadable file is never treated as
//! empty. Unknown keys are refused as well, because a newer version wrote them and rewriting the file would
//! lose them.

mod config;
mod document;
mod installed_items;
mod lock;
mod lock_text;
mod registry;

pub use self::config::{CONFIG_FILE, Config, Lobe, LobeMode};
pub use self::document::StateError;
pub use self::installed_items::{
    INSTALLED_FILE, InstalledItem, InstalledItemDocument, InstalledItems, Placement,
};
pub use self::lock::{LOCK_FILE, Lock, LockRefusal, LockedItem, LockedSource};
pub(crate) use self::lock_text::{array, quote, root};
pub use self::registry::{Alias, HookRecord, REGISTRY_FILE, RegisteredSource, Registry, RegistryDocument};
