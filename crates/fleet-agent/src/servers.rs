//! The MCP servers of an agent: processes of the gateway that have them, and calls of their tools.

use std::collections::{BTreeMap, VecDeque};
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use minds_agent_tools::{EndedTool, ForeignTool, ForeignTools, RunningTool, ToolEvent, ToolOutcome};
use minds_fleet_protocol::{ErrorCode, FailureCode, Redactor, Stream};
use minds_mcp_gateway::{Link, Options};
use minds_toolset::{CallClient, Code, ForeignAnswer, ForeignCall, Refusal, RunningCall, ToolSource as _};
use serde_json::{Map, Value};

use crate::config::AgentConfig;
use crate::tail::redact_value;

/// The maximum length of a part of a result in the frames, in bytes.
const MAX_PART: usize = 32 << 10;

/// Starts the processes of a gateway.
pub type GatewayLauncher = fn(&Options) -> std::io::Result<Link>;

/// The MCP servers of an agent. They start with the first step that may use them, and end with this value.
#[derive(Debug)]
pub(crate) struct Servers {
    workspace: PathBuf,
    launch: GatewayLauncher,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    gateway: Option<Gateway>,
    /// Who calls, for the audit.
    caller: String,
    redactor: Option<Redactor>,
}

#[derive(Debug)]
struct Gateway {
    link: Arc<Link>,
    /// The servers that it may start, by their ids with the hashes of their entries.
    accepted: BTreeMap<String, String>,
}

impl Servers {
    /// Returns no servers yet.
    pub(crate) fn new(workspace: PathBuf, launch: GatewayLauncher) -> Self {
        Self { workspace, launch, state: Mutex::default() }
    }

    /// Starts what the agent needs in a step, and waits a little for lists of tools; returns a warning if that fails.
    pub(crate) fn configure(&self, config: &AgentConfig) -> Option<String> {
        let servers = config.tools.effective().servers;
        let needed: BTreeMap<String, String> =
            servers.into_iter().map(|(id, server)| (id, server.hash)).collect();
        let mut state = self.state();
        state.caller = format!("agent {}", config.id);
        state.redactor = crate::process::redactor(config).ok();
        let is_enough = |gateway: &Gateway| {
            let has = |(id, hash): (&String, &String)| gateway.accepted.get(id) == Some(hash);
            !gateway.link.has_ended() && needed.iter().all(has)
        };
        let is_kept = !needed.is_empty() && state.gateway.as_ref().is_some_and(is_enough);
        if !is_kept && let Some(before) = state.gateway.take() {
            before.link.end();
        }
        if needed.is_empty() || state.gateway.is_some() {
            return None;
        }
        match self.launch(&state.caller, needed) {
            Ok(gateway) => {
                let link = Arc::clone(&gateway.link);
                state.gateway = Some(gateway);
                drop(state);
                link.wait_for_tools();
                None
            }
            Err(reason) => Some(format!("the agent has no tools of MCP servers in this step: {reason}")),
        }
    }

    fn launch(&self, caller: &str, accepted: BTreeMap<String, String>) -> Result<Gateway, String> {
        let options = Options {
            workspace: self.workspace.clone(),
            state: minds_fs::state_folder(&self.workspace).map_err(|error| error.to_string())?,
            caller: caller.to_owned(),
            is_lazy: true,
            is_recorded: true,
            is_relayed: false,
            accepted: Some(accepted.clone()),
            fleet: None,
        };
        let failed = |error: std::io::Error| {
            format!("the gateway cannot be started: {}", minds_process::describe_io_error(&error))
        };
        let link = (self.launch)(&options).map_err(failed)?;
        link.follow().map_err(failed)?;
        Ok(Gateway { link: Arc::new(link), accepted })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn link(&self) -> Option<Arc<Link>> {
        self.state().gateway.as_ref().map(|gateway| Arc::clone(&gateway.link))
    }
}

/// The servers, as the tools use them.
pub(crate) struct SharedServers(pub(crate) Arc<Servers>);

impl ForeignTools for SharedServers {
    fn list(&self) -> Vec<ForeignTool> {
        let Some(link) = self.0.link() else { return Vec::new() };
        let state = self.0.state();
        // Without a way to find secrets, nothing of a server is shown.
        let Some(redactor) = &state.redactor else { return Vec::new() };
        let tools = link.tools();
        let tools = tools.iter().map(|tool| ForeignTool {
            name: tool.name.clone(),
            server: tool.server.clone(),
            original: tool.original.clone(),
            description: redactor.redact(&tool.description).into_owned(),
            schema: match redact_value(redactor, Value::Object(tool.input_schema.clone())) {
                Value::Object(schema) => schema,
                _ => Map::new(),
            },
        });
        tools.collect()
    }

    fn start(&self, tool: &ForeignTool, arguments: Map<String, Value>) -> Box<dyn RunningTool> {
        let link = self.0.link();
        let found = link.as_ref().and_then(|link| {
            let tools = link.tools();
            let is_same = |other: &&minds_toolset::ForeignTool| {
                (&other.server, &other.name, &other.original) == (&tool.server, &tool.name, &tool.original)
            };
            tools.iter().find(is_same).cloned()
        });
        let (Some(link), Some(tool)) = (link, found) else {
            let content = "the MCP server does not offer the tool any more".to_owned();
            return Box::new(EndedTool::new(failed_call(ErrorCode::ToolDenied, content)));
        };
        let caller = self.0.state().caller.clone();
        let (sender, receiver) = channel();
        let call = ForeignCall {
            conversation: caller.clone(),
            caller,
            tool,
            arguments,
            can_elicit: false,
            accepts_tasks: false,
        };
        let running = link.call(call, Arc::new(Client(Mutex::new(Some(sender)))));
        Box::new(ServerCall { receiver, running: Some(running), ready: VecDeque::new() })
    }
}

/// Receives the answer to a call.
struct Client(Mutex<Option<Sender<ForeignAnswer>>>);

impl CallClient for Client {
    fn progress(&self, _: Map<String, Value>) {}

    fn elicit(&self, _: Map<String, Value>, _: Box<dyn FnOnce(Map<String, Value>) + Send>) {
        // A question whose reply is dropped is declined.
    }

    fn answer(&self, answer: ForeignAnswer) {
        if let Some(sender) = self.0.lock().unwrap_or_else(PoisonError::into_inner).take() {
            // The call may have been stopped.
            let _ = sender.send(answer);
        }
    }
}

/// A call of a tool of a server.
struct ServerCall {
    receiver: Receiver<ForeignAnswer>,
    /// The call, until it has ended.
    running: Option<Box<dyn RunningCall>>,
    /// What is reported next.
    ready: VecDeque<ToolEvent>,
}

impl RunningTool for ServerCall {
    fn next(&mut self, wait: Duration) -> Option<ToolEvent> {
        if let Some(event) = self.ready.pop_front() {
            return Some(event);
        }
        self.running.as_ref()?;
        let answer = match self.receiver.recv_timeout(wait) {
            Ok(answer) => answer,
            Err(RecvTimeoutError::Timeout) => return None,
            Err(RecvTimeoutError::Disconnected) => {
                Err(Refusal::new(Code::ServerUnavailable, "there is no answer"))
            }
        };
        self.running = None;
        let outcome = outcome(answer);
        let mut rest = outcome.content.as_str();
        while !rest.is_empty() {
            let (part, after) = rest.split_at(rest.floor_char_boundary(MAX_PART));
            self.ready.push_back(ToolEvent::Output { stream: Stream::Stdout, text: part.to_owned() });
            rest = after;
        }
        self.ready.push_back(ToolEvent::Ended(outcome));
        self.ready.pop_front()
    }

    fn stop(&mut self, _: bool) {
        let Some(running) = self.running.take() else { return };
        running.cancel();
        let content = "the call was cancelled; it may have had effects".to_owned();
        self.ready.push_back(ToolEvent::Ended(failed_call(ErrorCode::HandlerError, content)));
    }
}

impl Drop for ServerCall {
    fn drop(&mut self) {
        if let Some(running) = self.running.take() {
            running.cancel();
        }
    }
}

fn failed_call(code: ErrorCode, content: String) -> ToolOutcome {
    ToolOutcome { is_ok: false, content, rc: None, code: Some(FailureCode::Known(code)) }
}

/// Returns the outcome of a call: the content as text, or why there is none.
fn outcome(answer: ForeignAnswer) -> ToolOutcome {
    match answer {
        Ok(result) if result.get("isError") == Some(&Value::Bool(true)) => {
            failed_call(ErrorCode::HandlerError, text_of(&result))
        }
        Ok(result) => ToolOutcome { is_ok: true, content: text_of(&result), rc: None, code: None },
        Err(refusal) => {
            let code = match refusal.code {
                Code::TimedOut => ErrorCode::Timeout,
                _ => ErrorCode::HandlerError,
            };
            let next = refusal.next.map(|next| format!("; {next}")).unwrap_or_default();
            failed_call(code, format!("{}: {}{next}", refusal.code.as_str(), refusal.message))
        }
    }
}

/// Returns the content of a result as text. Content that is not text is described.
fn text_of(result: &Map<String, Value>) -> String {
    let blocks = result.get("content").and_then(Value::as_array);
    let texts: Vec<String> = blocks.into_iter().flatten().map(block_text).collect();
    match result.get("structuredContent") {
        Some(structured) if texts.is_empty() => structured.to_string(),
        _ => texts.join("\n"),
    }
}

fn block_text(block: &Value) -> String {
    let text = |value: &Value, key: &str| value.get(key).and_then(Value::as_str).map(str::to_owned);
    let kind = text(block, "type").unwrap_or_default();
    let media = |value: &Value| text(value, "mimeType").unwrap_or_else(|| "of an unknown type".to_owned());
    match kind.as_str() {
        "text" => text(block, "text").unwrap_or_default(),
        "resource_link" => text(block, "uri").unwrap_or_default(),
        "resource" => {
            let resource = block.get("resource").unwrap_or(&Value::Null);
            text(resource, "text").unwrap_or_else(|| format!("[resource {}]", media(resource)))
        }
        _ => format!("[{} {}]", kind.escape_debug(), media(block)),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn results_are_text() {
        let cases = [
            (
                json!({"content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]}),
                true,
                "a\nb",
            ),
            (json!({"content": [], "structuredContent": {"a": 1}}), true, "{\"a\":1}"),
            (json!({"content": [{"type": "text", "text": "a"}], "structuredContent": {}}), true, "a"),
            (
                json!({"content": [{"type": "image", "data": "aaaa", "mimeType": "image/png"}]}),
                true,
                "[image image/png]",
            ),
            (json!({"content": [{"type": "resource_link", "uri": "file:///a"}]}), true, "file:///a"),
            (json!({"content": [{"type": "resource", "resource": {"text": "t"}}]}), true, "t"),
            (
                json!({"content": [{"type": "resource", "resource": {"blob": "aa"}}]}),
                true,
                "[resource of an unknown type]",
            ),
            (json!({"content": "x"}), true, ""),
            (json!({"content": [{"type": "text", "text": "bad"}], "isError": true}), false, "bad"),
        ];
        for (result, is_ok, expected) in cases {
            let outcome = outcome(Ok(result.as_object().unwrap().clone()));
            assert_eq!((outcome.is_ok, outcome.content.as_str()), (is_ok, expected), "{result}");
            assert_eq!(outcome.code.is_none(), is_ok, "{result}");
        }
        let refused = outcome(Err(Refusal::new(Code::TimedOut, "no answer").next("try it later")));
        assert_eq!(refused.code, Some(FailureCode::Known(ErrorCode::Timeout)));
        assert_eq!(refused.content, "TIMED_OUT: no answer; try it later");
    }
}
