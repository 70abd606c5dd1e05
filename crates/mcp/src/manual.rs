//! The manual, as the tool for it tells it.

use serde_json::{Value, json};

use crate::server::Server;

/// The tool.
const TOOL: &str = "team_mgmt_manual";

/// The topics that have a page.
const TOPICS: &[&str] = &[
    "topics",
    "team",
    "team/member-properties",
    "llm",
    "llm/builtin-defaults",
    "llm/model-params",
    "mcp",
    "mcp/troubleshooting",
    "minds",
    "permissions",
    "toolsets",
    "troubleshooting",
];

/// Returns the topics that have a page, each with a slash before a topic below another.
pub(crate) fn topics() -> Vec<String> {
    TOPICS.iter().map(|topic| (*topic).to_owned()).collect()
}

/// Returns whether the caller has the manual.
pub(crate) fn is_there(server: &Server) -> bool {
    server.tools().iter().any(|tool| tool.name == TOOL)
}

/// Returns a page; nothing if there is no such topic.
pub(crate) fn page(server: &Server, topics: &[String]) -> Option<String> {
    let answer = server.call(TOOL, json!({"topics": topics}))?;
    match answer.result.ok()?.fields.get("content")? {
        Value::String(text) => Some(text.clone()),
        _ => None,
    }
}
