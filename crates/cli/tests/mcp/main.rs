//! The MCP server for clients: the real command, over pipes and over loopback.
#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::expect_used,
    clippy::format_collect,
    clippy::indexing_slicing,
    clippy::needless_pass_by_value,
    clippy::panic,
    clippy::string_slice,
    clippy::unwrap_used,
    reason = "a test reads what it needs, and may stop at once"
)]

mod bootstrap;
mod context;
mod frames;
mod http;
mod identity;
mod locks;
mod notifications;
mod offers;
mod session;
mod tasks;
