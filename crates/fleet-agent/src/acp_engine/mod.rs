//! Programs that speak the Agent Client Protocol and perform turns: their configuration, their process and their session.

mod configuration;
mod member_server;
mod process;
mod session;

pub(crate) use configuration::{engine, engine_secrets};
pub use member_server::{MemberServer, relay};
pub(crate) use session::{Engines, NextEvent};

/// The program with the tools of members, and the name of its server.
const MEMBER_SERVER: &str = "minds";
