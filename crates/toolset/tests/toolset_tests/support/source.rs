//! A gateway that runs no server.

use std::sync::{Arc, Mutex};

use minds_toolset::{
    ActionOutcome, CallClient, Code, ForeignCall, ForeignTool, Refusal, RunningCall, ServerAction,
    ServerState, TaskRequest, ToolSource,
};
use serde_json::{Map, Value, json};

/// A source with given tools. Its servers are `browser`, `down`, which does not start, and `broken`, whose entry is not valid;
/// the conversation `talk` has a connection to `browser`.
#[derive(Debug, Default)]
pub(crate) struct FakeSource {
    tools: Mutex<Arc<[ForeignTool]>>,
    /// The actions, each as `CONVERSATION SERVER ACTION`.
    pub(crate) actions: Mutex<Vec<String>>,
}

impl FakeSource {
    pub(crate) fn new(tools: Vec<ForeignTool>) -> Arc<Self> {
        Arc::new(Self { tools: Mutex::new(tools.into()), ..Self::default() })
    }

    pub(crate) fn set(&self, tools: Vec<ForeignTool>) {
        *self.tools.lock().unwrap() = tools.into();
    }
}

/// Returns a tool of a server that runs.
pub(crate) fn foreign(server: &str, name: &str) -> ForeignTool {
    ForeignTool {
        name: name.to_owned(),
        server: server.to_owned(),
        original: format!("original_{name}"),
        title: None,
        description: format!("does {name}"),
        input_schema: object(json!({"type": "object"})),
        output_schema: None,
        annotations: Map::new(),
        is_available: true,
    }
}

pub(crate) fn object(value: Value) -> Map<String, Value> {
    value.as_object().unwrap().clone()
}

impl ToolSource for FakeSource {
    fn tools(&self) -> Arc<[ForeignTool]> {
        Arc::clone(&self.tools.lock().unwrap())
    }

    fn call(&self, _: ForeignCall, _: Arc<dyn CallClient>) -> Box<dyn RunningCall> {
        unreachable!("a toolbox authorizes calls, and does not make them")
    }

    fn task(&self, _: TaskRequest, _: Arc<dyn CallClient>) -> Box<dyn RunningCall> {
        unreachable!("a toolbox authorizes requests, and does not make them")
    }

    fn act(&self, conversation: &str, server: &str, action: ServerAction) -> Result<ActionOutcome, Refusal> {
        self.actions.lock().unwrap().push(format!("{conversation} {server} {action:?}"));
        let state = match (server, action) {
            ("browser", ServerAction::Disable) => ServerState::Disabled,
            ("browser", _) => ServerState::Ready,
            ("down", _) => {
                return Err(Refusal::new(Code::ServerUnavailable, "`down` ended with exit code 1"));
            }
            ("broken", _) => return Err(Refusal::new(Code::ServerInvalid, "`broken` has no `command`")),
            _ => return Err(Refusal::new(Code::UnknownServer, format!("no server `{server}`"))),
        };
        let released = action == ServerAction::Release && conversation == "talk";
        Ok(ActionOutcome { state, released })
    }

    fn end_conversation(&self, _: &str) {}

    fn subscribe(&self, _: Box<dyn Fn() + Send + Sync>) {}
}
