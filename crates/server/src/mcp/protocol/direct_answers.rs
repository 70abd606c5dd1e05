//! Fast calls that the reading thread answers itself.
//!
//! Reading one file takes less time than switching threads. The answers are the same; while a client does not read its
//! replies, no further messages are read from it.

use std::sync::{Arc, OnceLock};

use serde::Serialize;
use serde_json::Value;
use tokio::sync::mpsc::Sender;

use super::convert;
use super::early::{self, Disposition};
use super::foreign::Caller;
use super::held_calls::HeldCalls;
use super::hub::Hub;
use super::redirect::redirect;
use super::stdio::Incoming;
use crate::mcp::conversation::Conversation;

/// The tools that read one file or directory.
const TOOLS: [&str; 4] = ["read_file", "team_mgmt_read_file", "list_dir", "team_mgmt_list_dir"];
/// Methods that do not depend on the files of the team.
const GREETINGS: [&str; 3] = ["initialize", "ping", "server/discover"];
/// The first revision whose results have additional fields.
const NEWER: &str = "2026-";

/// The state of a session that determines how calls are answered.
pub(super) struct DirectAnswers {
    hub: Arc<Hub>,
    /// Whether the client uses a revision with plain results.
    has_greeted: bool,
    /// Whether the handshake is over.
    is_open: bool,
    /// Whether the client answers questions.
    can_elicit: bool,
    conversation: Arc<OnceLock<Conversation>>,
}

#[derive(Serialize)]
struct Reply<'m, R> {
    jsonrpc: &'static str,
    id: &'m Value,
    result: R,
}

impl DirectAnswers {
    pub(super) fn new(hub: Arc<Hub>, conversation: Arc<OnceLock<Conversation>>) -> Self {
        Self { hub, has_greeted: false, is_open: false, can_elicit: false, conversation }
    }

    /// Prepares a call of a tool of a server, see [`redirect`], and begins it if it can begin at once.
    pub(super) fn begin(
        &self,
        mut message: Value,
        calls: &HeldCalls,
        session: &Sender<Incoming>,
        is_duplicate: bool,
    ) -> Disposition {
        let is_redirected = redirect(&mut message, |name| self.hub.server.may_be_foreign(name));
        let Some(conversation) = self.conversation.get().filter(|_| is_redirected && self.is_open) else {
            return Disposition::Nothing(message);
        };
        // Only newer clients, which have no handshake, accept tasks.
        let (conversation, can_elicit) = (conversation.id().to_owned(), self.can_elicit);
        let caller = Caller { conversation, can_elicit, accepts_tasks: false };
        early::begin(message, &self.hub, caller, (!is_duplicate).then_some((calls, session)))
    }

    /// Returns the reply to a fast call as a line; `None` for any other message.
    pub(super) fn answer(&mut self, message: &Value) -> Option<Vec<u8>> {
        let params = message.get("params");
        let method = message.get("method")?.as_str()?;
        if !GREETINGS.contains(&method) {
            // From now on the client may be notified of changes.
            self.hub.server.look_first();
        }
        match method {
            "initialize" => {
                let version = params.and_then(|params| params.get("protocolVersion")).and_then(Value::as_str);
                self.has_greeted = version.is_some_and(|version| version < NEWER);
                let capabilities = params.and_then(|params| params.get("capabilities"));
                self.can_elicit = capabilities.is_some_and(|known| known["elicitation"].is_object());
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
        let mut result = convert::answer(&self.hub.server.call(name, &arguments, "")?);
        // The library omits fields that older clients do not know.
        result.result_type = None;
        let mut line = serde_json::to_vec(&Reply { jsonrpc: "2.0", id, result }).ok()?;
        line.push(b'\n');
        Some(line)
    }
}
