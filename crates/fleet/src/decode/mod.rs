//! From the trees of the files to the models.

mod agent;
mod agents;
mod models;
mod project;
mod tool_lists;
mod tools;

pub(crate) use agents::{LegacyAgent, LegacyAgents};
pub(crate) use tools::TRANSPORT_KINDS;
