//! Lists and trees of items.

mod probe;
mod recall;
mod tree;
