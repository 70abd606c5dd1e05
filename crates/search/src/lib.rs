#![doc = include_str!("../README.md")]

mod glob;
mod needle;
mod walk;

pub use glob::Glob;
pub use needle::Needle;
pub use walk::{Limit, MAX_ENTRIES, ReadAccess, Search, SearchResult, SkippedEntries};
