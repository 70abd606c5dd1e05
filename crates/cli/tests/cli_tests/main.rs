//! The integration tests of this crate, one module for each subject.
#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::expect_used,
    clippy::format_collect,
    clippy::format_push_string,
    clippy::indexing_slicing,
    clippy::needless_pass_by_value,
    clippy::panic,
    clippy::print_stderr,
    clippy::string_slice,
    clippy::unwrap_used,
    reason = "a test reads what it needs, and may stop at once"
)]

mod access;
mod access_page;
mod check_options;
mod check_tasks;
mod client_agents;
mod clients;
mod command;
#[cfg(unix)]
mod context;
mod contract;
mod descriptors;
mod empty;
mod fleet;
mod fmt;
#[cfg(target_os = "linux")]
mod gateway;
mod hook;
mod import_round_trip;
mod init;
mod init_from;
mod jobs;
mod locks;
mod manual;
mod mcp;
mod mind_toml;
mod pages;
mod problems;
mod prompt;
#[cfg(target_os = "linux")]
#[path = "../../../xtask/src/random.rs"]
mod random;
mod render;
mod replay;
mod schema;
mod secrets;
mod services;
mod sources;
mod support;
mod task;
mod terminal_output;
mod tools;
mod untrusted;
mod view;
mod workspaces;
