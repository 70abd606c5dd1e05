//! What is found in a source, and what is said about what is not.

mod convention;
mod listed;
mod patterns;
mod tree;
