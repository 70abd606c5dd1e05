//! A server for the Model Context Protocol (MCP) that serves the tools of [`minds_toolset`].
//!
//! A [`Server`] knows what its caller may see and do. The protocol and its libraries are confined to the module `protocol`;
//! the remaining modules produce the contents: instructions, resources, prompts.

mod changes;
mod conversation;
mod frame;
#[cfg(test)]
mod golden;
mod hex;
mod instructions;
mod manual;
mod members;
mod page;
mod prompts;
mod protocol;
mod resources;
mod scan;
mod server;
mod start_context;
mod tasks;
mod text;
mod uri;

pub use protocol::{Announcement, HttpOptions, HttpServer, serve_http, serve_stdio};
pub use server::{Server, UnknownToolset};
