//! The tools of agents in the data of a client.

use super::values::{decode_strings, text};
use crate::tree::Item;

/// The tools of agents.
#[derive(Clone, Debug, Default)]
pub struct AgentTools {
    /// The tools that an agent can have, in the order in which they are written. The form of teams has what each lets it do.
    pub names: Vec<String>,
    /// Tools that do a part of what another one does, each with that one: an agent with the other tool has them too.
    pub parts: Vec<(String, String)>,
    /// Tools that do not obey limits for paths.
    pub unlimited: Vec<String>,
    /// All tools of an MCP server, with `{server}` for its id.
    pub server: Option<String>,
    /// One tool of an MCP server, with `{server}` and `{tool}`.
    pub server_tool: Option<String>,
}

impl AgentTools {
    pub(super) fn decode(item: &Item) -> Result<Self, String> {
        let mut tools = Self::default();
        for entry in item.entries() {
            let item = &entry.item;
            match entry.key.as_str() {
                "names" => tools.names = decode_strings(item)?,
                "parts" => {
                    for part in item.entries() {
                        tools.parts.push((part.key.clone(), text(&part.item)?));
                    }
                }
                "unlimited" => tools.unlimited = decode_strings(item)?,
                "server" => tools.server = Some(text(item)?),
                "server_tool" => tools.server_tool = Some(text(item)?),
                key => return Err(format!("unknown key `{key}`")),
            }
        }
        Ok(tools)
    }
}
