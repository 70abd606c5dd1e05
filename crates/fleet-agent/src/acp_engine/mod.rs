//! Programs that speak the Agent Client Protocol and perform turns: their configuration, their process and their session.

mod configuration;
mod process;
mod session;

pub(crate) use configuration::{engine, engine_secrets};
pub(crate) use session::{Engines, NextEvent};
