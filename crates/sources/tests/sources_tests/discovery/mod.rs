//! Tests of discovery: the items of a source, and the problems.

mod convention;
mod listed_items;
mod patterns;
pub(crate) mod tree;
