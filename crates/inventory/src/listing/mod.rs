//! Lists of offered and installed items, and dependency trees, for people and programs.

mod probe;
mod recall;
mod tree;

pub use self::probe::{ProbeFilter, ProbeRow, probe, probe_unmanaged};
pub use self::recall::{RecallItem, RecallSource, RecallState, recall};
pub use self::tree::{TreeItem, roots, tree_lines, trees};
