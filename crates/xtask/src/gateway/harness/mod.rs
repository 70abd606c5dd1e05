//! Workspaces with fake MCP servers, clients of `minds mcp` in them, and the processes that belong to them.
//!
//! The tests of the command include this module as well, so it uses nothing but `serde_json`, the random numbers of this crate
//! and the standard library.

pub(crate) mod client;
pub(crate) mod edits;
pub(crate) mod ends;
pub(crate) mod fake_server;
pub(crate) mod kills;
pub(crate) mod place;
pub(crate) mod polling;
pub(crate) mod processes;
