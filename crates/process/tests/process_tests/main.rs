//! The integration tests of this crate, one module for each subject.
#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::exit,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test reads what it needs, and may stop at once"
)]

mod companion;
mod program;
mod shell;
