//! Items of one installation are installed completely, or not at all.
#![cfg(unix)]
#![allow(
    clippy::disallowed_methods,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test reads what it needs, and may stop at once"
)]

mod faults;
mod journal;
#[path = "../support/mod.rs"]
mod support;
mod verbs;
mod world;
