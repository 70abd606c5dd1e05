//! The tools of agents, served by the Model Context Protocol.
//!
//! A [`Server`] is what is served: one workspace for one caller, whose identity is fixed before the first message. The same
//! server answers over standard input and output ([`serve_stdio`]) and over HTTP ([`serve_http`]).
//!
//! The protocol and its libraries stay in one module; everything else here is about what the answers say.
//!
//! ```no_run
//! use minds_mcp::{Server, serve_stdio};
//! use minds_toolset::{Caller, ToolContext};
//!
//! let context = ToolContext::find(".".as_ref())?;
//! let server = Server::new(context, "website", Caller::member("coder")).narrowed(vec!["ws_read".into()])?;
//! serve_stdio(server)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod changes;
mod frame;
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
mod tasks;
mod text;
mod uri;

pub use minds_serve::{ServeError, Token};
pub use protocol::{HttpOptions, Listening, serve_http, serve_stdio};
pub use server::{Server, UnknownToolset};
