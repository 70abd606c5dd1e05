//! Rendering a compose root: recorded results, obstacles, removal.

mod clients;
mod plan;
mod recorded;
pub(crate) mod tree;
mod verdicts;
