//! The source family: what a repository offers to agents, and the plan to install it.
//!
//! A source is a repository, or a folder, that offers items: skills, agents, rules and tools. What it offers is found by
//! convention, from the heads of Markdown files, and from an optional `mind.toml` at its root. All of this crate are
//! functions from values to values: files come in as a snapshot, and effects go out as data.

mod catalog;
pub mod discovery;
mod head;
mod hook;
mod item;
mod kind;
mod manifest;
mod name;
mod pin;
mod spec;

pub use catalog::Catalog;
pub use head::ItemHead;
pub use hook::{Hook, HookEvent};
pub use item::{Item, ItemKey};
pub use kind::ItemKind;
pub use manifest::{
    AuthFailure, Discover, Globs, HookEntry, ItemEntry, Manifest, NestedSource, PinFields, SourceHead,
};
pub use name::{ItemName, NameError, Prefix};
pub use pin::{Pin, RevisionError, RevisionName};
pub use spec::{Identity, Remote, SourceSpec, SpecError};
