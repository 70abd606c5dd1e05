//! The functions of the crate, its examples and its features.
#![allow(
    clippy::disallowed_methods,
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test reads what it needs, and may stop at once"
)]

mod directory;
mod examples;
mod features;
mod in_memory;
