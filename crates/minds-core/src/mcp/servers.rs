//! The MCP servers of the workspace; each id is the name of a toolset.

use minds_document::Document;

use crate::family::McpFile;
use crate::name_index::NameIndex;

/// The MCP servers of the workspace.
#[derive(Debug, Default)]
pub struct Servers {
    ids: NameIndex,
    is_incomplete: bool,
}

impl Servers {
    /// Returns the servers of `mcp.yaml`.
    pub(crate) fn from_file(file: Option<&McpFile>) -> Self {
        let Some(file) = file else { return Self::default() };
        let Some(mcp) = &file.mcp else { return Self { is_incomplete: true, ..Self::default() } };
        Self {
            ids: mcp.servers.iter().map(|server| server.id.value.as_str()).collect(),
            is_incomplete: !mcp.is_complete
                || mcp.servers_field.is_unreadable()
                || file.document.as_ref().is_none_or(Document::is_partial),
        }
    }

    /// Returns whether a server with this id is defined, or may be defined in an unreadable part.
    pub fn may_have(&self, id: &str) -> bool {
        self.is_incomplete || self.ids.contains(id)
    }

    /// Returns the ids in file order.
    pub fn ids(&self) -> impl Iterator<Item = &str> {
        self.ids.iter()
    }

    /// Returns whether no server is defined, so that all tools are built in.
    pub fn is_empty(&self) -> bool {
        self.ids.is_empty() && !self.is_incomplete
    }
}
