//! The tools of agents in the data of a client.

use super::values::{boolean, decode_strings, text};
use crate::tree::Item;

/// The tools of agents by what they do.
#[derive(Clone, Debug, Default)]
pub struct AgentTools {
    /// The tools that read files and directories.
    pub read: Vec<String>,
    /// The tools that search in files.
    pub search: Vec<String>,
    /// Whether the tools that search obey the limits of those that read.
    pub is_search_limited: bool,
    /// The tools that write files.
    pub write: Vec<String>,
    /// The tools that run commands.
    pub shell: Vec<String>,
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
                "read" => tools.read = decode_strings(item)?,
                "search" => tools.search = decode_strings(item)?,
                "is_search_limited" => tools.is_search_limited = boolean(item)?,
                "write" => tools.write = decode_strings(item)?,
                "shell" => tools.shell = decode_strings(item)?,
                "server" => tools.server = Some(text(item)?),
                "server_tool" => tools.server_tool = Some(text(item)?),
                key => return Err(format!("unknown key `{key}`")),
            }
        }
        Ok(tools)
    }
}
