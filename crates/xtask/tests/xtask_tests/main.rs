//! The integration tests of this crate, one module for each subject.
#![allow(
    clippy::cast_precision_loss,
    clippy::disallowed_methods,
    clippy::expect_used,
    clippy::format_collect,
    clippy::format_push_string,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::string_slice,
    clippy::unwrap_used,
    reason = "a test reads what it needs, and may stop at once"
)]

mod architecture;
mod dependencies;
mod documents;
mod faults;
#[cfg(target_os = "linux")]
mod fleet_tools;
mod fleet_verbs;
mod integrations;
mod libraries;
mod manifests;
mod plain_english;
mod plan;
mod stress;
mod tidy;
