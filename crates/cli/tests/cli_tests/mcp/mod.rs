//! The MCP server for clients: the real command, over pipes and over loopback.

mod bootstrap;
mod context;
mod frames;
pub(crate) mod http;
mod identity;
mod locks;
mod notifications;
pub(crate) mod offers;
pub(crate) mod session;
mod tasks;
