//! Commands with their supervisor, as an agent starts them.
#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test reads what it needs, and may stop at once"
)]

mod attempts;
mod environment;
mod escapes;
mod place;
mod rules;
mod running;
