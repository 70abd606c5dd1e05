//! The only module that uses the library of the protocol and concurrency.

mod call_client;
mod convert;
mod direct_answers;
mod direct_reply;
mod early;
mod foreign;
mod foreign_result;
mod handler;
mod held_calls;
mod http;
mod hub;
mod notify;
mod output;
mod redirect;
mod stdio;
mod suspended;
#[cfg(test)]
mod tests;
mod tool_list;

pub(crate) use convert::listed_bytes;
pub use http::{Announcement, HttpOptions, HttpServer, serve_http};
pub use stdio::serve_stdio;

/// The maximum number of concurrent calls of tools; further calls wait.
const CALLS_AT_ONCE: usize = 16;
