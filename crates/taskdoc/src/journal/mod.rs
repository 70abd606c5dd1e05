//! The journal of a package: one line for each change, which contains the ids of the preceding lines.
//!
//! A line contains its own hash and the hashes of the heads at the time it was written, so lines can be in
//! any order and duplicated: the journals of two branches are merged by concatenation.

mod entry;
mod graph;
mod lookup;
mod read;
mod tail;

pub use entry::{Draft, Entry, Operation};
pub use graph::Heads;
pub use read::{Journal, JournalLine};
pub use tail::{JournalEnd, Tail, TailLine};
