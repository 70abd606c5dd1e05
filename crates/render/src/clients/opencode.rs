//! The two layouts of opencode's file.
//!
//! In opencode 1, `mcp` contains the servers. opencode 2 has them in `mcp.servers`, next to `mcp.timeout`,
//! and still reads those of the first layout in the same file; if both contain a name, the entry in
//! `mcp.servers` is used.

use super::Client;
use crate::jsonc::{JsonError, JsonNode, JsonText};

/// The keys of the second layout in the object that contains only servers in the first.
pub(super) const CONTAINERS: [&str; 2] = [SERVERS, "timeout"];

const SERVERS: &str = "servers";

/// Where in `mcp` a file has its servers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Layout {
    /// In the object `mcp`.
    Direct,
    /// In the object `mcp.servers`.
    Nested,
}

impl Layout {
    /// Returns the layout of a file: nested only if opencode 2 would read it so.
    pub(super) fn of(client: Client, key: &str, json: &JsonText<'_>) -> Self {
        let is_container = |found: &JsonNode<'_, '_>| !is_server(found);
        match json.find(&[key, SERVERS]) {
            Ok(Some(found)) if client == Client::OpenCode && is_container(&found) => Self::Nested,
            _ => Self::Direct,
        }
    }

    /// Returns the path of the object to which servers are added.
    pub(super) fn place(self, key: &str) -> Vec<&str> {
        match self {
            Self::Direct => vec![key],
            Self::Nested => vec![key, SERVERS],
        }
    }

    /// Returns the entry with a name in the object to which servers are added.
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

    /// Returns the entry with a name at the position of the other layout.
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

/// Returns whether opencode reads a value as a server, or as a switch for a server that is defined elsewhere.
fn is_server(value: &JsonNode<'_, '_>) -> bool {
    let member = |key| value.members().filter(move |(name, _)| *name == key).last().map(|(_, value)| value);
    match member("type") {
        Some(kind) => matches!(kind.as_text(), Some("local" | "remote")),
        None => {
            member("enabled").is_some_and(|is_enabled| matches!(is_enabled.source_text(), "true" | "false"))
        }
    }
}
