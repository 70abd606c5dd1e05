//! The integration tests of this crate, one module for each subject.
#![allow(
    clippy::cast_precision_loss,
    clippy::expect_used,
    clippy::format_collect,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::single_range_in_vec_init,
    clippy::string_slice,
    clippy::unwrap_used,
    reason = "a test reads what it needs, and may stop at once"
)]

mod agent_state;
mod clients;
mod envelope;
mod events;
mod lifecycle;
mod methods;
mod ownership;
mod records;
mod registry;
mod requests;
mod streams;
mod tail;
