//! Foreign repositories: fetching and reading, and all known attacks, each next to a harmless variant.
//!
//! The `git` program is required.
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

mod attacks;
mod environment;
mod fakes;
mod fetching;
mod origin;
mod reading;
