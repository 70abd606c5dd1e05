//! From the trees of the files to the models.

mod agent;
mod agents;
mod models;
mod project;
mod tool_lists;
mod tools;

use minds_document::{Node, Value};

pub(crate) use agents::{LegacyAgent, LegacyAgents};
pub(crate) use tools::TRANSPORT_KINDS;

/// Returns whether a file says nothing at all, which a layer may do: other layers say the rest.
fn says_nothing(root: Node<'_>) -> bool {
    root.value() == Value::Null && root.parent().is_none() && !root.document().is_partial()
}
