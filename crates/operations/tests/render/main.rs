//! Rendering a compose root: recorded results, obstacles, removal.
#![allow(
    clippy::disallowed_methods,
    clippy::expect_used,
    clippy::format_collect,
    clippy::format_push_string,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test reads what it needs, and may stop at once"
)]

mod clients;
mod plan;
mod recorded;
mod tree;
mod verdicts;
