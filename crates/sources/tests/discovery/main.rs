//! What is found in a source, and what is said about what is not.
#![allow(
    clippy::disallowed_methods,
    clippy::expect_used,
    clippy::format_collect,
    clippy::format_push_string,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test says what it expects as text, and may stop at once"
)]

mod convention;
mod listed;
mod patterns;
mod tree;
