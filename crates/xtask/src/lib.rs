//! Maintenance of the repository: generated files, checks and benchmarks.
//!
//! This crate is never published. It may panic on any unexpected state, because its input is the repository.
#![expect(
    clippy::cast_precision_loss,
    clippy::disallowed_methods,
    clippy::missing_panics_doc,
    clippy::expect_used,
    clippy::format_collect,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::print_stdout,
    reason = "a tool for the repository reads, writes, runs and measures, and stops where the repository is broken"
)]

#[cfg(target_os = "linux")]
pub mod accept;
#[cfg(target_os = "linux")]
pub mod acp;
pub mod bench;
mod bombs;
mod catalogs;
mod cli_reference;
mod cli_schemas;
mod client_pages;
#[cfg(target_os = "linux")]
pub mod clients;
#[cfg(target_os = "linux")]
pub mod crash;
pub mod editors;
mod error_codes;
pub mod files;
#[cfg(target_os = "linux")]
pub mod gateway;
pub mod jobs;
pub mod mcp;
#[cfg(target_os = "linux")]
mod numbers;
#[cfg(target_os = "linux")]
mod random;
mod rule_pages;
mod schemas;
pub mod setup;
#[cfg(target_os = "linux")]
pub mod stress;
mod terminal_image;
pub mod view;

use files::Generated;

/// Returns all generated files with their expected content.
pub fn generate_all() -> Vec<Generated> {
    [
        catalogs::generate(),
        rule_pages::generate(),
        cli_reference::generate(),
        schemas::generate(),
        cli_schemas::generate(),
        client_pages::generate(),
        error_codes::generate(),
        terminal_image::generate(),
    ]
    .concat()
}

/// The examples of the README are run as tests.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
mod readme {}
