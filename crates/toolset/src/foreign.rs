//! Tools of the servers in `mcp.yaml`, which join while the program runs.

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::{Refusal, TaskRequest};

/// A tool of a server, as members see it. Everything but the names comes from the server and is untrusted.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ForeignTool {
    /// The name under which it is called.
    pub name: String,
    /// The id of the server, which is also the toolset.
    pub server: String,
    /// The name at the server.
    pub original: String,
    /// The title for people.
    pub title: Option<String>,
    /// The description for models, at most 16 KiB.
    pub description: String,
    /// The schema of the arguments, an object.
    pub input_schema: Map<String, Value>,
    /// The schema of the structured content, if the server declares one.
    pub output_schema: Option<Map<String, Value>>,
    /// The hints of the server about the effects. They grant nothing.
    pub annotations: Map<String, Value>,
    /// Whether the server runs; the tools of a server that failed stay listed.
    pub is_available: bool,
}

/// A call of a foreign tool that was authorized.
#[derive(Clone, Debug)]
pub struct ForeignCall {
    /// The conversation that calls; servers with a state have one connection for each.
    pub conversation: String,
    /// Who calls, for the audit.
    pub caller: String,
    /// The tool.
    pub tool: ForeignTool,
    /// The arguments, which only the server checks.
    pub arguments: Map<String, Value>,
    /// Whether the client can answer questions of the server.
    pub can_elicit: bool,
    /// Whether the client accepts a task of the tasks extension instead of a result.
    pub accepts_tasks: bool,
}

/// The answer to a foreign call: the result of the protocol, unchanged, or why there is none.
pub type ForeignAnswer = Result<Map<String, Value>, Refusal>;

/// The client of a running call. Methods return at once.
pub trait CallClient: Send + Sync {
    /// Passes a notification of progress on: `progress`, and `total` and `message` if they are given.
    fn progress(&self, progress: Map<String, Value>);

    /// Asks the user a question of the server. `reply` receives the result of the protocol, with `action`.
    fn elicit(&self, question: Map<String, Value>, reply: Box<dyn FnOnce(Map<String, Value>) + Send>);

    /// Receives the answer. It is called once, unless the call is cancelled.
    fn answer(&self, answer: ForeignAnswer);
}

/// A running call. Dropping it leaves the call running.
pub trait RunningCall: Send {
    /// Cancels the call at the server. There is no answer afterwards.
    fn cancel(self: Box<Self>);
}

/// What `mcp_admin` can do with a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ServerAction {
    /// Reads the file again and starts the server, also after it was disabled.
    Restart,
    /// Ends the connection of the conversation.
    Release,
    /// Stops the server until it is restarted or its entry changes.
    Disable,
}

/// The state of a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ServerState {
    /// Its entry or a tool disabled it.
    Disabled,
    /// Its entry is not valid, and it never worked.
    Invalid,
    /// It was not needed yet.
    NotStarted,
    /// It is starting.
    Starting,
    /// It runs.
    Ready,
    /// It failed; the tools of the last start that worked are listed.
    Failing,
    /// It is stopping.
    Stopping,
}

/// What an action did.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ActionOutcome {
    /// The state of the server afterwards.
    pub state: ServerState,
    /// Whether there was a connection of the conversation.
    pub released: bool,
}

/// Provides the tools of servers.
pub trait ToolSource: fmt::Debug + Send + Sync {
    /// Returns the current tools, in the order of the file. Names are unique, and none is that of a built-in tool.
    fn tools(&self) -> Arc<[ForeignTool]>;

    /// Starts a call.
    fn call(&self, call: ForeignCall, client: Arc<dyn CallClient>) -> Box<dyn RunningCall>;

    /// Starts a request about a task that a call of the server has returned.
    fn task(&self, request: TaskRequest, client: Arc<dyn CallClient>) -> Box<dyn RunningCall>;

    /// Acts on a server, and waits for the result.
    ///
    /// # Errors
    ///
    /// Refuses an unknown server, one whose entry is not valid, and one that does not start.
    fn act(&self, conversation: &str, server: &str, action: ServerAction) -> Result<ActionOutcome, Refusal>;

    /// Ends the connections of a conversation.
    fn end_conversation(&self, conversation: &str);

    /// Calls a function after each change of the tools, from any thread. The function returns at once.
    fn subscribe(&self, changed: Box<dyn Fn() + Send + Sync>);

    /// Waits until each server has listed its tools, is remembered, or has failed, but at most for the time that a list of
    /// tools may take. The default is not to wait.
    fn wait_for_tools(&self) {}
}
