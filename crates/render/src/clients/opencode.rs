//! The two layouts of opencode's file.
//!
//! Its first version has servers in `mcp` itself. The second one has them in `mcp.servers`, with `mcp.timeout` beside it,
//! and still reads those of the first in the same file; of two of the same name, that in `mcp.servers` counts.

use minds_document::jsonc::{JsonError, JsonNode, JsonText};

use super::Client;

/// What the second version has in the object where the first has servers only.
pub(super) const CONTAINERS: [&str; 2] = [SERVERS, "timeout"];

const SERVERS: &str = "servers";

/// Where in its object a file has servers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Layout {
    /// In the object itself.
    Direct,
    /// In `servers` in it.
    Nested,
}

impl Layout {
    /// Returns the layout of a file that has servers at a key: nested only where opencode's second version sees that.
    pub(super) fn of(client: Client, key: &str, json: &JsonText<'_>) -> Self {
        let is_container = |found: &JsonNode<'_, '_>| !is_server(found);
        match json.find(&[key, SERVERS]) {
            Ok(Some(found)) if client == Client::OpenCode && is_container(&found) => Self::Nested,
            _ => Self::Direct,
        }
    }

    /// Returns the path of the object in which servers are put.
    pub(super) fn place(self, key: &str) -> Vec<&str> {
        match self {
            Self::Direct => vec![key],
            Self::Nested => vec![key, SERVERS],
        }
    }

    /// Returns the entry of a name where servers are put.
    pub(super) fn entry<'n, 't>(
        self,
        client: Client,
        key: &str,
        json: &'n JsonText<'t>,
        name: &str,
    ) -> Result<Option<JsonNode<'n, 't>>, JsonError> {
        match self {
            Self::Direct => direct(client, key, json, name),
            Self::Nested => json.find(&[key, SERVERS, name]),
        }
    }

    /// Returns the entry of a name that stands where the other layout has it.
    pub(super) fn outside<'n, 't>(
        self,
        client: Client,
        key: &str,
        json: &'n JsonText<'t>,
        name: &str,
    ) -> Result<Option<JsonNode<'n, 't>>, JsonError> {
        if self == Self::Nested { direct(client, key, json, name) } else { Ok(None) }
    }
}

fn direct<'n, 't>(
    client: Client,
    key: &str,
    json: &'n JsonText<'t>,
    name: &str,
) -> Result<Option<JsonNode<'n, 't>>, JsonError> {
    let may_be_container = client == Client::OpenCode && CONTAINERS.contains(&name);
    Ok(json.find(&[key, name])?.filter(|found| !may_be_container || is_server(found)))
}

/// Returns whether opencode takes a value for a server, or for a switch of one that stands elsewhere.
fn is_server(value: &JsonNode<'_, '_>) -> bool {
    let member = |key| value.members().filter(move |(name, _)| *name == key).last().map(|(_, value)| value);
    match member("type") {
        Some(kind) => matches!(kind.as_text(), Some("local" | "remote")),
        None => {
            member("enabled").is_some_and(|is_enabled| matches!(is_enabled.source_text(), "true" | "false"))
        }
    }
}
