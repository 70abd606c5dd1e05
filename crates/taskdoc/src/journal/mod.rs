//! Who changed what: a line for each change, which names the lines before it.
//!
//! A line says its own hash and those of the lines that were the last ones when it was written, so lines can stand in any
//! order and twice: the journals of two branches are merged by putting one behind the other.

mod entry;
mod find;
mod graph;
mod read;
mod tail;

pub use entry::{Draft, Entry, Operation};
pub use graph::Heads;
pub use read::{Journal, JournalLine};
pub use tail::{Last, Tail, TailLine};
