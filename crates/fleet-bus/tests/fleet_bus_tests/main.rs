//! The laws of the contract, checked on every transport, and transports that break one law each.

#![allow(
    clippy::cast_precision_loss,
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a test examines files, reads what it needs, and may stop at once"
)]

mod defects;
mod faulty;
mod followers;
mod local;
mod local_files;
mod local_tail;
mod memory;
mod numbers;
mod races;
mod redis;
