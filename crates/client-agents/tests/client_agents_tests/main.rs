//! The integration tests of this crate, one module for each subject.
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

mod differential;
mod golden;
mod recorded;
mod round_trip;
