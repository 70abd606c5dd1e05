//! The result of each operation for each kind of entry; nothing outside is ever read or changed.
#![cfg(unix)]
#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test reads what it needs, and may stop at once"
)]

mod errors;
mod interference;
mod races;
#[path = "../support/mod.rs"]
mod support;
mod tree;
mod trees;
mod verbs;
