//! Calls that are answered by the thread that reads them.
//!
//! Looking at one file takes less time than waking the threads that a call usually goes through. What is answered here is
//! what would be answered there; a client that does not read its replies is not read from meanwhile.

use std::sync::Arc;

use serde::Serialize;
use serde_json::Value;

use super::convert;
use super::hub::Hub;

/// The tools that look at one file or directory.
const TOOLS: [&str; 4] = ["read_file", "team_mgmt_read_file", "list_dir", "team_mgmt_list_dir"];
/// What does not depend on the files of the team.
const GREETINGS: [&str; 3] = ["initialize", "ping", "server/discover"];
/// The first revision whose results say more than what came out.
const NEWER: &str = "2026-";

/// A session, as far as its messages say how calls are answered.
pub(super) struct Quick {
    hub: Arc<Hub>,
    /// Whether the client greeted in a revision whose results are plain.
    has_greeted: bool,
    /// Whether the handshake is over.
    is_open: bool,
}

#[derive(Serialize)]
struct Reply<'m, R> {
    jsonrpc: &'static str,
    id: &'m Value,
    result: R,
}

impl Quick {
    pub(super) fn new(hub: Arc<Hub>) -> Self {
        Self { hub, has_greeted: false, is_open: false }
    }

    /// Returns the reply to a message that is such a call, as a line; nothing if it is another message.
    pub(super) fn answer(&mut self, message: &Value) -> Option<Vec<u8>> {
        let params = message.get("params");
        let method = message.get("method")?.as_str()?;
        if !GREETINGS.contains(&method) {
            // From now on the client may hear that something changed.
            self.hub.server.look_first();
        }
        match method {
            "initialize" => {
                let version = params.and_then(|params| params.get("protocolVersion")).and_then(Value::as_str);
                self.has_greeted = version.is_some_and(|version| version < NEWER);
                None
            }
            "notifications/initialized" => {
                self.is_open = self.has_greeted;
                None
            }
            "tools/call" if self.is_open => self.call(message.get("id")?, params?),
            _ => None,
        }
    }

    fn call(&self, id: &Value, params: &Value) -> Option<Vec<u8>> {
        let params = params.as_object()?;
        let name = params.get("name")?.as_str()?;
        let is_plain = params.keys().all(|key| matches!(key.as_str(), "name" | "arguments" | "_meta"));
        let arguments = match params.get("arguments") {
            None => Value::Object(serde_json::Map::new()),
            Some(arguments) if arguments.is_object() => arguments.clone(),
            Some(_) => return None,
        };
        if !is_plain || !TOOLS.contains(&name) {
            return None;
        }
        let mut result = convert::answer(&self.hub.server.call(name, arguments)?);
        // The library leaves out what older clients do not know.
        result.result_type = None;
        let mut line = serde_json::to_vec(&Reply { jsonrpc: "2.0", id, result }).ok()?;
        line.push(b'\n');
        Some(line)
    }
}
