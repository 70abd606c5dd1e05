//! The integration tests of this crate, one module for each subject.
#![allow(
    clippy::cast_precision_loss,
    clippy::expect_used,
    clippy::format_collect,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::string_slice,
    clippy::unwrap_used,
    reason = "a test reads what it needs, and may stop at once"
)]

mod agent_state;
mod envelope;
mod events;
mod methods;
mod registry;
