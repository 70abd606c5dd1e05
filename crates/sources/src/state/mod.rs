//! What this program remembers: the files of its own folder.
//!
//! Each is read whole or refused whole, with the line that is wrong: a file that cannot be read is never taken for an
//! empty one. A key that nobody knows is refused as well, because a later version wrote it and rewriting the file would
//! lose it.

mod config;
mod document;
mod installed;
mod lock;
mod lock_text;
mod registry;

pub use self::config::{CONFIG_FILE, Config, Lobe, LobeMode};
pub use self::document::StateError;
pub use self::installed::{INSTALLED_FILE, Installed, InstalledItem, Placed};
pub use self::lock::{LOCK_FILE, Lock, LockRefusal, LockedItem, LockedSource};
pub(crate) use self::lock_text::{array, quoted, root};
pub use self::registry::{Alias, HookRecord, REGISTRY_FILE, Registered, Registry};
