//! `mind.toml`: how a source describes itself.

mod declared;
mod decode;
mod file;
mod model;
mod whole;

pub use declared::{DeclaredItem, Nested, Selection};
pub(crate) use file::MAX_MANIFEST_BYTES;
pub use file::{MANIFEST_FILE, ManifestFile, scope};
pub use model::{
    AuthFailureAction, AuthFailureEntry, Discover, Globs, HookEntry, ItemEntry, Manifest, NestedEntry,
    PinFields, SourceHead,
};
