//! Repositories of others: what is fetched and read, and every attack that is known, beside a harmless twin.
//!
//! The `git` program is needed.
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
