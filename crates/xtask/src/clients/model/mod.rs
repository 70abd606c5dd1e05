//! A scripted model: it speaks the protocols of the clients on loopback, makes the tool calls of a script, and records how
//! the client answered each.

pub(crate) mod anthropic;
mod gemini;
pub(crate) mod http;
mod responses;

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use serde_json::Value;

use http::{Request, Response, Server};

/// What the model says when its script is at its end.
const END: &str = "The script is at its end.";
/// The id of the call that starts an agent.
const DELEGATION: &str = "toolu_delegation";
/// The tool with which an agent of Gemini CLI ends.
const LAST_TOOL: &str = "complete_task";

/// A tool call of the script.
#[derive(Clone, Debug)]
pub(crate) struct Call {
    pub(crate) tool: String,
    /// The arguments as an object; text for a tool of Codex with free text.
    pub(crate) arguments: Value,
}

impl Call {
    pub(crate) fn new(tool: &str, arguments: Value) -> Self {
        Self { tool: tool.to_owned(), arguments }
    }
}

/// How the client answered a call.
#[derive(Clone, Debug)]
pub(crate) struct Answer {
    /// Whether the client says that the call failed; protocols without this say it in the text only.
    pub(crate) is_error: bool,
    pub(crate) text: String,
}

/// What is called after each turn, while the client waits: the turn, and the answers to its calls.
pub(crate) type Observer = dyn FnMut(usize, &[Answer]) + Send;

/// The calls of a session: all calls of a turn are made at the same time.
pub(crate) struct Script {
    pub(crate) turns: Vec<Vec<Call>>,
    /// The call that starts an agent, which then makes the calls of the turns; none if the main agent makes them.
    pub(crate) delegation: Option<Call>,
    pub(crate) observer: Box<Observer>,
}

impl Script {
    /// Returns a script with one call in each turn.
    pub(crate) fn of(calls: Vec<Call>) -> Self {
        Self {
            turns: calls.into_iter().map(|call| vec![call]).collect(),
            delegation: None,
            observer: Box::new(|_, _| ()),
        }
    }
}

/// What the model saw in a session.
#[derive(Clone, Debug, Default)]
pub(crate) struct Transcript {
    /// The tools that the client offered at first.
    pub(crate) tools: Vec<String>,
    /// The answers to all calls, in their order.
    pub(crate) answers: Vec<Answer>,
    /// Requests that are none to a model.
    pub(crate) other_requests: Vec<String>,
}

struct Session {
    script: Script,
    transcript: Transcript,
    /// The number of turns whose answers were received.
    finished: usize,
    /// Whether the agent was started.
    is_delegated: bool,
}

/// A conversation as a client sends it, the same for all protocols.
struct Conversation {
    tools: Vec<String>,
    /// The answers by the id of their call.
    answers: BTreeMap<String, Answer>,
}

/// What the model says next.
enum Reply {
    Text,
    /// Calls with their ids.
    Calls(Vec<(String, Call)>),
}

impl Session {
    /// Continues a conversation.
    ///
    /// What a client sends repeatedly is answered alike, because the answers say which turn comes next.
    fn reply(&mut self, conversation: &Conversation) -> Reply {
        // Requests for a title or a summary have no tools.
        if conversation.tools.is_empty() {
            return Reply::Text;
        }
        if let Some(call) = &self.script.delegation {
            if conversation.answers.contains_key(DELEGATION) {
                return Reply::Text;
            }
            // The main agent asks first, and then waits for its agent.
            if !std::mem::replace(&mut self.is_delegated, true) {
                return Reply::Calls(vec![(DELEGATION.to_owned(), call.clone())]);
            }
        }
        if self.transcript.tools.is_empty() {
            self.transcript.tools.clone_from(&conversation.tools);
        }
        while let Some(calls) = self.script.turns.get(self.finished) {
            let turn = self.finished;
            let ids: Vec<String> = (0..calls.len()).map(|index| id(turn, index)).collect();
            let answers: Option<Vec<Answer>> =
                ids.iter().map(|id| conversation.answers.get(id).cloned()).collect();
            let Some(answers) = answers else {
                return Reply::Calls(ids.into_iter().zip(calls.iter().cloned()).collect());
            };
            (self.script.observer)(turn, &answers);
            self.transcript.answers.extend(answers);
            self.finished += 1;
        }
        if conversation.tools.iter().any(|tool| tool == LAST_TOOL) {
            let call = Call::new(LAST_TOOL, serde_json::json!({ "result": END }));
            return Reply::Calls(vec![("toolu_end".to_owned(), call)]);
        }
        Reply::Text
    }
}

fn id(turn: usize, index: usize) -> String {
    format!("toolu_{turn:05}_{index:03}")
}

/// A model that answers until the value is dropped.
pub(crate) struct Model {
    server: Server,
    session: Arc<Mutex<Session>>,
}

impl Model {
    pub(crate) fn start(script: Script) -> Self {
        let transcript = Transcript::default();
        let session = Arc::new(Mutex::new(Session { script, transcript, finished: 0, is_delegated: false }));
        let shared = Arc::clone(&session);
        let handler =
            move |request: &Request| respond(&mut shared.lock().expect("no thread panics"), request);
        let server = Server::start(Arc::new(handler)).expect("loopback is available");
        Self { server, session }
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.server.address()
    }

    /// Returns what the model saw, and whether all calls were answered.
    pub(crate) fn end(self) -> (Transcript, bool) {
        let mut session = self.session.lock().expect("no thread panics");
        let is_complete = session.finished == session.script.turns.len();
        (std::mem::take(&mut session.transcript), is_complete)
    }
}

fn respond(session: &mut Session, request: &Request) -> Response {
    let path = request.path.split('?').next().unwrap_or_default();
    if request.method == "POST"
        && let Ok(body) = serde_json::from_slice::<Value>(&request.body)
    {
        if path.ends_with("/count_tokens") {
            return Response::json(r#"{"input_tokens":1}"#.to_owned());
        } else if path.ends_with(":countTokens") {
            return Response::json(r#"{"totalTokens":1}"#.to_owned());
        } else if path.ends_with("/messages") {
            return anthropic::respond(session, &body);
        } else if path.ends_with("/responses") {
            return responses::respond(session, &body);
        } else if path.contains("enerateContent") {
            return gemini::respond(session, &body, request.path.contains("alt=sse"));
        }
    }
    session.transcript.other_requests.push(format!("{} {}", request.method, request.path));
    // Not even the registry of packages is asked again after this answer.
    Response::not_found()
}

/// Returns the names of tools.
fn names<'v>(tools: impl IntoIterator<Item = &'v Value>) -> Vec<String> {
    let name = |tool: &Value| tool["name"].as_str().or(tool["type"].as_str()).unwrap_or_default().to_owned();
    tools.into_iter().map(name).collect()
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

/// Returns all text of a value, whatever its form.
fn text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(values) => values.iter().map(text).collect::<Vec<_>>().join("\n"),
        Value::Object(members) => {
            let inner = ["text", "content", "output", "parts"].iter().find_map(|key| members.get(*key));
            inner.map_or_else(|| value.to_string(), text)
        }
        Value::Null => String::new(),
        other => other.to_string(),
    }
}

/// Returns server-sent events with a type.
fn events(events: &[(&str, Value)]) -> Response {
    Response::events(events.iter().map(|(name, data)| format!("event: {name}\ndata: {data}\n\n")).collect())
}
