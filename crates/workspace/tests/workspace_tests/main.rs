//! The integration tests of this crate, one module for each subject.
#![allow(
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

mod acceptance;
mod access;
mod allowances;
mod bombs;
mod decide;
mod equal_lists;
mod field_types;
mod formatting;
mod fuzz;
mod hidden_text;
mod powerful_files;
mod properties;
mod recorded;
mod recorded_access;
mod redundant_entries;
mod schemas;
mod secrets;
