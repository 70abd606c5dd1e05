//! `mind.toml`: how a source describes itself.

mod decode;
mod file;
mod interpretation;
mod model;

pub(crate) use file::MAX_MANIFEST_BYTES;
pub use file::{MANIFEST_FILE, ManifestFile, scope};
pub use interpretation::{DeclaredItem, NestedSource, Selection};
pub use model::{
    AuthFailureAction, AuthFailureEntry, Discover, Globs, HookEntry, ItemEntry, Manifest, NestedEntry,
    PinFields, SourceTable,
};
