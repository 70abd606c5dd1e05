//! The integration tests of this crate, one module for each subject.
#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::exit,
    clippy::expect_used,
    clippy::format_push_string,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::print_stderr,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a test reads what it needs, and may stop at once"
)]

mod client;
mod config;
mod gateway;
mod plan;
