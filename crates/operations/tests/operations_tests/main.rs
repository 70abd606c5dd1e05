//! The integration tests of this crate, one module for each subject.
#![allow(
    clippy::disallowed_methods,
    clippy::expect_used,
    clippy::format_collect,
    clippy::format_push_string,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::print_stdout,
    clippy::string_slice,
    clippy::unwrap_used,
    reason = "a test reads what it needs, and may stop at once"
)]

mod client_files;
mod editors;
mod fixes;
mod fleet_compose;
mod fleet_place;
mod golden;
mod imports;
mod interrupted;
mod outside;
mod render;
mod render_kills;
mod rule_pages;
mod support;
mod task_layouts;
