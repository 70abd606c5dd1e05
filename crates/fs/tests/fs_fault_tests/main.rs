//! Operations in which single calls fail, in a program of its own that starts no other process.
//!
//! A process that another test starts has the locks of this one until it executes its program; a recovery in between
//! would leave files to their apparent owner.
#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    dead_code,
    reason = "a test reads what it needs, and may stop at once"
)]

mod faults;
#[path = "../fs_tests/operations.rs"]
mod operations;
#[path = "../fs_tests/support/mod.rs"]
mod support;
