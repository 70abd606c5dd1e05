//! The server of an editor: one agent of a fleet is one session.

use std::collections::BTreeMap;

use minds_fleet_protocol::{
    AgentId, EndReason, EventKind, Failure, FailureCode, Frame, HistoryRecord, ItemId, Role,
};
use serde::Serialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::message::{
    self, INTERNAL_ERROR, INVALID_PARAMS, INVALID_REQUEST, Id, METHOD_NOT_FOUND, Message, PARSE_ERROR,
    RpcError,
};
use crate::wire::Stop;
use crate::wire::editor::{self, Writer};

/// The longest output of a tool that is passed on, in bytes.
const MAX_OUTPUT: usize = 64 << 10;
/// What begins the name of the model of a token that is output of a tool.
const TOOL: &str = "tool";

/// What an editor asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ServerAction {
    /// Become the owner of the agent; answered by [`Server::note_session`] or [`Server::fail`].
    Attach {
        /// Whether its history is wanted, which comes before the answer with [`Server::replay`].
        is_load: bool,
    },
    /// Give the agent an input; answered by [`Server::note_item`] or [`Server::fail`].
    Input(String),
    /// Interrupt its work.
    Interrupt,
    /// Answer a confirmation.
    Confirm {
        /// Its id.
        id: String,
        /// The answer.
        is_allowed: bool,
    },
}

/// The server of an editor.
///
/// The owner of this value gives it the lines of the editor and the frames of the agent, performs the actions, and writes what
/// [`take_output`](Self::take_output) returns to the editor.
#[derive(Debug)]
pub struct Server {
    /// The id of the session, which is that of the agent: an agent has one conversation.
    session: String,
    is_attached: bool,
    /// The request that waits for the agent.
    waiting: Option<Waiting>,
    prompt: Option<Prompt>,
    next_id: i64,
    /// The confirmations that the editor was asked for.
    questions: BTreeMap<i64, String>,
    output: Vec<u8>,
}

#[derive(Debug)]
struct Waiting {
    id: Id,
    is_load: bool,
}

/// The prompt at work.
#[derive(Debug)]
struct Prompt {
    id: Id,
    item: Option<ItemId>,
    /// The last error of the agent.
    error: Option<(String, Option<FailureCode>)>,
    /// The call at work, and what it printed.
    call: Option<(String, String)>,
}

impl Server {
    /// Returns the server of an agent.
    pub fn new(agent: &AgentId) -> Self {
        Self {
            session: agent.to_string(),
            is_attached: false,
            waiting: None,
            prompt: None,
            next_id: 0,
            questions: BTreeMap::new(),
            output: Vec::new(),
        }
    }

    /// Returns what has to be written to the editor.
    pub fn take_output(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.output)
    }

    /// Returns whether the editor waits for the end of a prompt.
    pub fn has_prompt(&self) -> bool {
        self.prompt.is_some()
    }

    /// Takes a line of the editor that was too long.
    pub fn receive_too_long(&mut self) {
        self.refuse(&Id::Null, PARSE_ERROR, "the line is too long");
    }

    /// Takes a line of the editor.
    pub fn receive(&mut self, line: &[u8]) -> Option<ServerAction> {
        match Message::parse(line) {
            None => {
                self.refuse(&Id::Null, PARSE_ERROR, "the line is not a message of JSON-RPC 2.0");
                None
            }
            Some(Message::Request { id, method, params }) => self.take_request(id, &method, &params),
            Some(Message::Notification { method, params }) => {
                let is_own = editor::read_session(&params).is_ok_and(|session| session == self.session);
                let is_cancel = method == "session/cancel" && is_own && self.prompt.is_some();
                is_cancel.then_some(ServerAction::Interrupt)
            }
            Some(Message::Response { id, outcome }) => {
                let Id::Number(number) = id else { return None };
                let id = self.questions.remove(&number)?;
                let is_allowed = outcome.is_ok_and(|result| editor::read_permission(&result));
                Some(ServerAction::Confirm { id, is_allowed })
            }
        }
    }

    fn take_request(&mut self, id: Id, method: &str, params: &RawValue) -> Option<ServerAction> {
        match method {
            "initialize" => {
                self.respond(&id, editor::agent_description());
                None
            }
            "session/new" | "session/load" => self.begin_session(id, method == "session/load", params),
            "session/prompt" => self.begin_prompt(id, params),
            _ => {
                let method: String = method.chars().take(80).collect();
                let message = format!("the agent does not have the method `{}`", method.escape_debug());
                self.refuse(&id, METHOD_NOT_FOUND, message);
                None
            }
        }
    }

    fn begin_session(&mut self, id: Id, is_load: bool, params: &RawValue) -> Option<ServerAction> {
        if self.waiting.is_some() || self.prompt.is_some() {
            self.refuse(&id, INVALID_REQUEST, "the session is at work");
            return None;
        }
        if is_load && editor::read_session(params).is_ok_and(|session| session != self.session) {
            let message = format!("unknown session: the session of this agent is `{}`", self.session);
            self.refuse(&id, INVALID_PARAMS, message);
            return None;
        }
        self.waiting = Some(Waiting { id, is_load });
        Some(ServerAction::Attach { is_load })
    }

    fn begin_prompt(&mut self, id: Id, params: &RawValue) -> Option<ServerAction> {
        let (session, text) = match editor::read_prompt(params) {
            Ok(prompt) => prompt,
            Err(error) => {
                self.refuse(&id, INVALID_PARAMS, error.0);
                return None;
            }
        };
        if !self.is_attached || session != self.session {
            self.refuse(&id, INVALID_PARAMS, "unknown session: open it with `session/new` or `session/load`");
            return None;
        }
        if self.prompt.is_some() {
            self.refuse(
                &id,
                INVALID_REQUEST,
                "the session has a prompt already: cancel it, or wait for its end",
            );
            return None;
        }
        self.prompt = Some(Prompt { id, item: None, error: None, call: None });
        Some(ServerAction::Input(text))
    }

    /// Notes that the editor owns the agent.
    pub fn note_session(&mut self) {
        self.is_attached = true;
        if let Some(Waiting { id, is_load }) = self.waiting.take() {
            if is_load {
                self.respond(&id, json!({}));
            } else {
                let opened = editor::session_opened(&self.session);
                self.respond(&id, opened);
            }
        }
    }

    /// Sends a part of the history to an editor that loads the session.
    pub fn replay(&mut self, history: &[HistoryRecord]) {
        for record in history {
            match record.role {
                Role::User => self.text(Writer::User, &record.content),
                Role::Assistant => {
                    self.text(Writer::Agent, &record.content);
                    for call in &record.tool_calls {
                        let update =
                            editor::call_update(&self.session, &call.id, &call.name, call.args.decode().ok());
                        self.update(update);
                    }
                }
                Role::Tool => {
                    let (id, ok) =
                        (record.call_id.as_deref().unwrap_or_default(), record.ok.unwrap_or_default());
                    self.update(editor::call_end(&self.session, id, ok, Some(&record.content)));
                }
            }
        }
    }

    /// Notes the item of the prompt.
    pub fn note_item(&mut self, item: ItemId) {
        if let Some(prompt) = &mut self.prompt {
            prompt.item = Some(item);
        }
    }

    /// Answers the request that waits, or the prompt, with a failure. `data.code` is that of the failure.
    pub fn fail(&mut self, failure: &Failure) {
        let prompt = self.prompt.take().map(|prompt| prompt.id);
        let Some(id) = self.waiting.take().map(|waiting| waiting.id).or(prompt) else { return };
        let mut data = json!({ "code": String::from(failure.code.clone()) });
        if let (Some(members), Some(Ok(detail))) =
            (data.as_object_mut(), failure.detail.as_ref().map(minds_fleet_protocol::Json::decode::<Value>))
        {
            members.insert("detail".to_owned(), detail);
        }
        let error = RpcError { code: INTERNAL_ERROR, message: failure.message.clone(), data: Some(data) };
        self.output.extend(message::response(&id, &Err::<(), _>(error)));
    }

    /// Takes a frame of the agent.
    pub fn take_frame(&mut self, frame: &Frame) {
        if let EventKind::ConfirmRequest(request) = &frame.event.kind {
            let id = self.next_id;
            self.next_id = id.saturating_add(1);
            self.questions.insert(id, request.id.clone());
            let params = editor::ask(&self.session, &request.id, &request.title, &request.body);
            self.output.extend(message::request(&Id::Number(id), "session/request_permission", params));
            return;
        }
        if let EventKind::ConfirmDone(done) = &frame.event.kind {
            // The answer of the editor comes too late.
            self.questions.retain(|_, id| *id != done.id);
            return;
        }
        let Some(prompt) = &mut self.prompt else { return };
        if prompt.item.is_none() || prompt.item != frame.event.qid {
            return;
        }
        match &frame.event.kind {
            EventKind::Token(token) if token.model.starts_with(TOOL) || token.stream.is_some() => {
                if let Some((_, output)) = &mut prompt.call {
                    let space = MAX_OUTPUT.saturating_sub(output.len());
                    let end = token.text.floor_char_boundary(space);
                    output.push_str(token.text.get(..end).unwrap_or_default());
                }
            }
            EventKind::Token(token) => self.text(Writer::Agent, &token.text),
            EventKind::ToolCall(call) => {
                prompt.call = Some((call.call_id.clone(), String::new()));
                let input = call.input.decode().ok();
                self.update(editor::call_update(&self.session, &call.call_id, &call.name, input));
            }
            EventKind::ToolResult(result) => {
                let call = prompt.call.take_if(|(id, _)| *id == result.call_id);
                let output = call.map(|(_, output)| output).filter(|output| !output.is_empty());
                let (id, is_ok) = (&result.call_id, result.ok);
                self.update(editor::call_end(&self.session, id, is_ok, output.as_deref()));
            }
            EventKind::Warning(warning) => self.text(Writer::Note, &format!("warning: {}\n", warning.msg)),
            EventKind::Error(error) => prompt.error = Some((error.msg.clone(), error.code.clone())),
            EventKind::TaskEnd(end) => self.end_prompt(end.reason),
            _ => {}
        }
    }

    fn end_prompt(&mut self, reason: Option<EndReason>) {
        let Some(Prompt { id, error, .. }) = self.prompt.take() else { return };
        let stop = match reason {
            Some(EndReason::Done) => Stop::EndTurn,
            Some(EndReason::Interrupted | EndReason::Cancelled) => Stop::Cancelled,
            Some(EndReason::Refused) => Stop::Refusal,
            Some(EndReason::MaxSteps) => Stop::Limit,
            _ => {
                let (message, code) = error.unwrap_or_else(|| ("the agent failed".to_owned(), None));
                let data = code.map(|code| json!({ "code": String::from(code) }));
                let error = RpcError { code: INTERNAL_ERROR, message, data };
                self.output.extend(message::response(&id, &Err::<(), _>(error)));
                return;
            }
        };
        self.respond(&id, editor::prompt_end(stop));
    }

    fn text(&mut self, writer: Writer, text: &str) {
        if !text.is_empty() {
            self.update(editor::text_update(&self.session, writer, text));
        }
    }

    fn update(&mut self, params: impl Serialize) {
        self.output.extend(message::notification("session/update", params));
    }

    fn respond(&mut self, id: &Id, result: impl Serialize) {
        self.output.extend(message::response(id, &Ok::<_, RpcError>(result)));
    }

    fn refuse(&mut self, id: &Id, code: i64, message: impl Into<String>) {
        self.output.extend(message::response(id, &Err::<(), _>(RpcError::new(code, message))));
    }
}
