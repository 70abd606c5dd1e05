#![doc = include_str!("../README.md")]

mod find;
mod language;
mod manual;
mod parts;
mod shapes;
mod table;
mod topics;

pub use find::{PageMatch, UnknownTopic};
pub use language::Language;
pub use manual::Manual;
pub use topics::{CodeEntry, Pages, ToolEntry, Topic};
