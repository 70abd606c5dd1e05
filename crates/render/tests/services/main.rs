//! Services that run agents.
#![allow(
    clippy::disallowed_methods,
    clippy::expect_used,
    clippy::format_push_string,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test reads what it needs, and may stop at once"
)]

mod consumers;
mod containers;
mod golden;
mod places;
mod properties;
#[path = "../readers/mod.rs"]
mod readers;
mod refusals;
