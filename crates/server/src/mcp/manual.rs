//! The manual as resources.

use serde_json::{Value, json};

use crate::mcp::server::Server;

/// The tool that reads the manual.
const TOOL: &str = "team_mgmt_manual";

/// Returns the topics as paths with slashes.
pub(crate) fn topics() -> Vec<String> {
    minds_toolset::manual::pages().topics().iter().map(|topic| topic.path().join("/")).collect()
}

/// Returns whether the caller has the manual.
pub(crate) fn is_available(server: &Server) -> bool {
    server.tools().has(TOOL)
}

/// Returns a page; `None` for an unknown topic.
pub(crate) fn page(server: &Server, topics: &[String]) -> Option<String> {
    let answer = server.call(TOOL, &json!({"topics": topics}), "")?;
    match answer.result.ok()?.fields.get("content")? {
        Value::String(text) => Some(text.clone()),
        _ => None,
    }
}
