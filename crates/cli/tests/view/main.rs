//! The page of a task, for browsers and for untrusted clients: the real command, over loopback.
#![allow(
    clippy::disallowed_methods,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::string_slice,
    clippy::unwrap_used,
    reason = "a test reads what it needs, and may stop at once"
)]

mod access;
mod changes;
mod events;
mod served;
mod start;
