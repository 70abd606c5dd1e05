//! The integration tests of this crate, one module for each subject.
#![allow(
    clippy::expect_used,
    clippy::unwrap_used,
    reason = "a test reads what it needs, and may stop at once"
)]

mod clients;
mod hostile_paths;
mod properties;
mod support;
