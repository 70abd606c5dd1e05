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

mod completeness;
mod format_fixes;
mod golden;
mod keys;
mod toml_properties;
mod toml_spans;
mod trees;
mod yaml_line_breaks;
mod yaml_properties;
mod yaml_spans;
