//! What there is, for people and programs: lists of items, and trees of what needs what.

mod probe;
mod recall;
mod tree;

pub use self::probe::{ProbeFilter, ProbeRow, probe, probe_unmanaged};
pub use self::recall::{RecallItem, RecallSource, RecallState, recall};
pub use self::tree::{Tree, forest, tree_json, tree_lines};
