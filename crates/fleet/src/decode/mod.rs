//! From the trees of the files to the models.

mod agent;
mod agents;
mod engine;
mod models;
mod project;
mod tool_lists;
mod tools;

use minds_document::{Node, Value};

pub(crate) use agent::{
    absolute_paths, absolute_paths_schema, sandbox_paths, sandbox_paths_schema, variable_names,
    variable_names_schema,
};
pub(crate) use agents::{LegacyAgent, LegacyAgents};
pub(crate) use engine::{engine, engine_env, engine_env_schema, engine_schema};
pub(crate) use models::{base_url, base_url_schema, models, models_schema, script_path, script_path_schema};
pub(crate) use project::{agent_name, name_schema, project_name};
pub(crate) use tools::{
    expressions, expressions_schema, transport_name, transport_name_schema, transport_prefix,
    transport_prefix_schema, transport_text, transport_text_schema, transport_url, transport_url_schema,
};

/// Returns whether a file defines nothing, which is valid for a layer: other layers define the rest.
fn is_empty_layer(root: Node<'_>) -> bool {
    root.value() == Value::Null && root.parent().is_none() && !root.document().is_partial()
}
