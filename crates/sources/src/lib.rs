//! Sources: what a repository offers to agents, and the plan to install it.
//!
//! A source is a repository or a directory that offers items: skills, agents, rules and tools. The items are
//! found by convention, from the front matter of Markdown files, and from an optional `mind.toml` at the
//! root. This crate does no I/O: files come in as a snapshot, and effects go out as data.
//!
//! ```
//! use minds_diagnostics::SourceFile;
//! use minds_sources::{ManifestFile, Selection};
//!
//! let text = "[source]\nprefix = \"jk\"\n\n[[discover.sources]]\nsource = \"o/r\"\ninstall = true\n";
//! let parsed = ManifestFile::read(&SourceFile::new("mind.toml", text));
//! assert!(parsed.value.is_valid());
//!
//! let manifest = parsed.value.manifest();
//! assert_eq!(manifest.prefix().map(ToString::to_string).as_deref(), Some("jk"));
//! assert!(!manifest.is_authoritative());
//! assert_eq!(manifest.nested_sources()[0].selection, Selection::All);
//!
//! let parsed = ManifestFile::read(&SourceFile::new("mind.toml", "[source]\npin-tag = \"-x\"\n"));
//! assert!(!parsed.value.is_valid());
//! assert_eq!(parsed.problems.into_sorted()[0].rule.code, "source/invalid-revision");
//! ```

mod catalog;
mod compatibility;
mod dependencies;
pub mod discovery;
mod dump;
mod files;
mod front_matter;
mod glob;
mod hook;
mod inventory;
mod item;
mod kind;
mod listing;
mod manifest;
mod mentions;
mod name;
mod name_search;
mod pin;
mod place;
pub mod plan;
mod reference;
mod refusal;
mod render;
pub mod review;
pub mod rules;
#[cfg(test)]
mod sample;
pub mod schema;
mod spec;
mod state;
mod tokens;
mod verify;

pub use catalog::Catalog;
pub use compatibility::{COMPATIBILITY, is_compatible};
pub use dependencies::Graph;
pub use dump::{DUMP_DESCRIPTION, Dump, SourceState, dump, lock};
pub use files::{ItemContent, ItemFile};
pub use front_matter::ItemFrontMatter;
pub use glob::{GlobError, GlobPattern};
pub use hook::{Hook, HookEvent};
pub use inventory::{Inventory, OfferedItem, Position, SourceItems};
pub use item::{Item, ItemKey, KeyError};
pub use kind::ItemKind;
pub use listing::{
    ProbeFilter, ProbeRow, RecallItem, RecallSource, RecallState, TreeItem, forest, probe, probe_unmanaged,
    recall, tree_lines, trees,
};
pub use manifest::{
    AuthFailureAction, AuthFailureEntry, DeclaredItem, Discover, Globs, HookEntry, ItemEntry, MANIFEST_FILE,
    Manifest, ManifestFile, NestedEntry, NestedSource, PinFields, Selection, SourceTable, scope,
};
pub use mentions::{ItemMentions, Mention, ReferenceRewrite, find_mentions, rewrite_bare_names};
pub use name::{ItemName, NameError, Prefix};
pub use pin::{Pin, PinKind, RevisionError, RevisionName};
pub use place::{AbsolutePath, AbsolutePathError, LinkError, check_link, placement, store_path};
pub use plan::{AgentHome, InstallRequest, Occupant, Places, Plan, RemoveRequest, World};
pub use reference::{Reference, matches_pattern, select_sources};
pub use refusal::{Refusal, RefusalKind};
pub use render::{Renderer, referenced_tools};
pub use spec::{Identity, Remote, SourceSpec, SpecError};
pub use state::{
    Alias, CONFIG_FILE, Config, HookRecord, INSTALLED_FILE, InstalledItem, InstalledItemDocument,
    InstalledItems, LOCK_FILE, Lobe, LobeMode, Lock, LockRefusal, LockedItem, LockedSource, Placement,
    REGISTRY_FILE, RegisteredSource, Registry, RegistryDocument, StateError,
};
pub use verify::{Finding, FindingKind, verify, verify_places};
