//! Which MCP servers there are: each id is the name of a toolset.

use minds_document::Document;

use crate::family::McpFile;
use crate::names::Names;

/// The MCP servers of the workspace.
#[derive(Debug, Default)]
pub struct Servers {
    ids: Names,
    is_incomplete: bool,
}

impl Servers {
    /// Takes the ids of `mcp.yaml`.
    pub(crate) fn of(file: Option<&McpFile>) -> Self {
        let Some(file) = file else { return Self::default() };
        let Some(mcp) = &file.mcp else { return Self { is_incomplete: true, ..Self::default() } };
        Self {
            ids: mcp.servers.iter().map(|server| server.id.value.as_str()).collect(),
            is_incomplete: !mcp.is_complete
                || mcp.servers_field.is_unreadable()
                || file.document.as_ref().is_none_or(Document::is_partial),
        }
    }

    /// Returns whether a server with this id is declared, or may be in a part that could not be read.
    pub fn may_have(&self, id: &str) -> bool {
        self.is_incomplete || self.ids.has(id)
    }

    /// Returns the ids, in the order of the file.
    pub fn ids(&self) -> impl Iterator<Item = &str> {
        self.ids.iter()
    }

    /// Returns whether no server is declared: every tool that a member may have is a built-in one.
    pub fn is_empty(&self) -> bool {
        self.ids.is_empty() && !self.is_incomplete
    }
}
