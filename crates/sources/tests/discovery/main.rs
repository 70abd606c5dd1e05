//! Tests of discovery: the items of a source, and the problems.
#![allow(
    clippy::disallowed_methods,
    clippy::expect_used,
    clippy::format_collect,
    clippy::format_push_string,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test compares text, and may panic"
)]

mod convention;
mod listed_items;
mod patterns;
mod tree;
