//! `mind.toml`: what a source says about itself.

mod model;

pub use model::{
    AuthFailure, Discover, Globs, HookEntry, ItemEntry, Manifest, NestedSource, PinFields, SourceHead,
};
