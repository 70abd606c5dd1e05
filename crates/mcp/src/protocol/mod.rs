//! The only module that knows the library of the protocol, and the one that runs things at the same time.

mod convert;
mod handler;
mod http;
mod hub;
mod quick;
mod stdio;

pub use http::{HttpOptions, Listening, serve_http};
pub use stdio::serve_stdio;

/// How many calls of tools run at once; others wait for them.
const CALLS_AT_ONCE: usize = 16;
