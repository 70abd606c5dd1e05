#![doc = include_str!("../README.md")]

mod catalog;
mod compatibility;
mod dependencies;
pub mod discovery;
mod files;
mod front_matter;
mod glob;
mod hook;
mod item;
mod kind;
mod manifest;
mod mentions;
mod name;
mod name_search;
mod pin;
mod refusal;
mod render;
pub mod review;
pub mod rules;
#[cfg(test)]
mod sample;
pub mod schema;
mod source_items;
mod spec;
mod tokens;

pub use catalog::Catalog;
pub use compatibility::{COMPATIBILITY, is_compatible};
pub use dependencies::Graph;
pub use files::{ItemContent, ItemFile};
pub use front_matter::ItemFrontMatter;
pub use glob::{GlobError, GlobPattern};
pub use hook::{Hook, HookEvent};
pub use item::{Item, ItemKey, KeyError};
pub use kind::ItemKind;
pub use manifest::{
    AuthFailureAction, AuthFailureEntry, DeclaredItem, Discover, Globs, HookEntry, ItemEntry, MANIFEST_FILE,
    Manifest, ManifestFile, NestedEntry, NestedSource, PinFields, Selection, SourceTable, scope,
};
pub use mentions::{ItemMentions, Mention, ReferenceRewrite, find_mentions, rewrite_bare_names};
pub use name::{ItemName, NameError, Prefix};
pub use pin::{Pin, PinKind, RevisionError, RevisionName};
pub use refusal::{Refusal, RefusalKind};
pub use render::{Renderer, referenced_tools, store_path};
pub use source_items::{OfferedItem, SourceItems};
pub use spec::{Identity, Remote, SourceSpec, SpecError};
