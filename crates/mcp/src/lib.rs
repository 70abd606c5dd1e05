#![doc = include_str!("../README.md")]

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
