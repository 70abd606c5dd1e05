//! The tests of the crate, one module for each subject.
#![allow(
    clippy::disallowed_methods,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test reads what it needs, and may stop at once"
)]

mod faults;
mod limits;
mod memory;
mod requests;
mod server;
mod streams;
mod tls;
mod transcripts;
