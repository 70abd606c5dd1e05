//! Which MCP servers there are. Of `mcp.yaml` this reads the ids, each of which is the name of a toolset.

use minds_document::{Context, Field, Value};

use crate::family::Reading;

/// The MCP servers of the workspace.
#[derive(Debug, Default)]
pub struct Servers {
    ids: Vec<String>,
    is_incomplete: bool,
}

impl Servers {
    /// Reads the servers of `mcp.yaml`.
    pub(crate) fn read(file: &Reading, cx: &mut Context) -> Self {
        let document = match file {
            Reading::Absent => return Self::default(),
            Reading::Unreadable => return Self { ids: Vec::new(), is_incomplete: true },
            Reading::Read(document) => document,
        };
        let Some(mut fields) = cx.fields(document.root()) else {
            return Self { ids: Vec::new(), is_incomplete: true };
        };
        let ids = fields.optional_with("servers", |node, cx| {
            if node.value() != Value::Mapping {
                cx.type_error(node, "a mapping from ids to servers");
                return None;
            }
            let entries = node.entries().filter(|entry| !entry.key.starts_with("x-"));
            Some(entries.map(|entry| entry.key.to_owned()).collect())
        });
        match ids {
            Field::Absent => Self::default(),
            Field::Given(ids) => Self { ids: ids.value, is_incomplete: false },
            Field::Unreadable(_) => Self { ids: Vec::new(), is_incomplete: true },
        }
    }

    /// Returns whether a server with this id is declared, or may be in a part that could not be read.
    pub fn may_have(&self, id: &str) -> bool {
        self.is_incomplete || self.ids.iter().any(|known| known == id)
    }

    /// Returns the ids, in the order of the file.
    pub fn ids(&self) -> impl Iterator<Item = &str> {
        self.ids.iter().map(String::as_str)
    }

    /// Returns whether no server is declared: every tool that a member may have is a built-in one.
    pub fn is_empty(&self) -> bool {
        self.ids.is_empty() && !self.is_incomplete
    }
}
