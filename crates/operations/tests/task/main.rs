//! Changing task packages: nothing is lost, torn or believed.
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
mod history;
mod readers;
mod strangers;
#[path = "../task_support/mod.rs"]
mod task_support;
