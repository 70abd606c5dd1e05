//! The client of a program: one session, one prompt at a time.

mod event;
mod opening;

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use minds_fleet_protocol::EndReason;
use serde::Serialize;
use serde_json::value::RawValue;

use crate::calls::{Calls, KnownCall, TooMany};
use crate::message::{self, INVALID_PARAMS, Id, METHOD_NOT_FOUND, Message, RpcError};
use crate::wire::{self, Capabilities, Question, Stop, Update};

pub use self::event::{ClientEvent, PermissionQuestion, SessionOrigin};
pub use self::opening::{McpServer, Opening};

/// The longest line of a program, in bytes.
pub const ENGINE_LINE_BYTES: usize = 32 << 20;
/// How long a program may take to open a session.
const OPEN_TIME: Duration = Duration::from_mins(1);
/// How long a program may take to end a turn that was cancelled.
const CANCEL_TIME: Duration = Duration::from_secs(5);
/// The maximum number of questions that wait for an answer.
const MAX_QUESTIONS: usize = 100;
/// The longest part of an error of a program that is reported, in characters.
const MAX_MESSAGE: usize = 500;

/// The client of a program.
///
/// The owner of this value gives it the lines of the program, and writes what [`take_output`](Self::take_output) returns to the
/// program. It has no clock: `now` is the time since any fixed point.
#[derive(Debug)]
pub struct Client {
    opening: Opening,
    phase: Phase,
    next_id: i64,
    /// The requests without a response.
    requests: BTreeMap<i64, Asked>,
    session: String,
    can: Capabilities,
    calls: Calls,
    next_question: u64,
    questions: BTreeMap<u64, OpenQuestion>,
    deadline: Option<Duration>,
    warned: BTreeSet<&'static str>,
    output: Vec<u8>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    Opening,
    Idle,
    Prompting,
    Cancelling,
    Failed,
}

/// What a request was about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Asked {
    Initialize,
    New(SessionOrigin),
    Old,
    Model(SessionOrigin),
    Mode(SessionOrigin),
    Prompt,
}

#[derive(Debug)]
struct OpenQuestion {
    id: Id,
    allow_once: Option<String>,
    reject_once: Option<String>,
}

impl Client {
    /// Begins to open a session.
    pub fn open(opening: Opening, now: Duration) -> Self {
        let mut client = Self {
            opening,
            phase: Phase::Opening,
            next_id: 0,
            requests: BTreeMap::new(),
            session: String::new(),
            can: Capabilities::default(),
            calls: Calls::default(),
            next_question: 0,
            questions: BTreeMap::new(),
            deadline: Some(now.saturating_add(OPEN_TIME)),
            warned: BTreeSet::new(),
            output: Vec::new(),
        };
        client.request(Asked::Initialize, "initialize", wire::initialize());
        client
    }

    /// Returns whether the session takes a prompt.
    pub fn is_idle(&self) -> bool {
        self.phase == Phase::Idle
    }

    /// Returns what has to be written to the program.
    pub fn take_output(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.output)
    }

    /// Sends a prompt of one or more blocks of text. There is none at work.
    pub fn prompt(&mut self, blocks: &[String]) {
        if self.phase == Phase::Idle {
            self.phase = Phase::Prompting;
            let params = wire::prompt(&self.session, blocks);
            self.request(Asked::Prompt, "session/prompt", params);
        }
    }

    /// Ends the prompt cooperatively. Open questions are answered, as the protocol demands.
    pub fn cancel(&mut self, now: Duration) {
        if self.phase == Phase::Prompting {
            self.phase = Phase::Cancelling;
            self.deadline = Some(now.saturating_add(CANCEL_TIME));
            self.output.extend(message::notification("session/cancel", wire::cancel(&self.session)));
            self.withdraw_questions();
        }
    }

    /// Answers a question. An answer for later calls is never given.
    pub fn answer(&mut self, question: u64, is_allowed: bool) {
        let Some(OpenQuestion { id, allow_once, reject_once }) = self.questions.remove(&question) else {
            return;
        };
        // A program that does not offer to allow a call once is refused.
        let option = if is_allowed { allow_once.or(reject_once) } else { reject_once };
        self.respond(&id, &Ok(wire::permission(option)));
    }

    /// Notes that time has passed.
    pub fn poll(&mut self, now: Duration) -> Vec<ClientEvent> {
        if self.deadline.is_none_or(|deadline| now < deadline) {
            return Vec::new();
        }
        let what = match self.phase {
            Phase::Opening => "the program did not open a session within 60 seconds",
            _ => "the program did not end its work within 5 seconds after it was asked to",
        };
        self.fail(what)
    }

    /// Takes a line of the program that was longer than [`ENGINE_LINE_BYTES`].
    pub fn receive_too_long(&mut self) -> Vec<ClientEvent> {
        self.fail("the program sent a line of more than 32 MiB")
    }

    /// Takes a line of the program.
    pub fn receive(&mut self, line: &[u8]) -> Vec<ClientEvent> {
        if self.phase == Phase::Failed {
            return Vec::new();
        }
        match Message::parse(line) {
            None => self.warn("the program printed a line that is not a message of the protocol"),
            Some(Message::Notification { method, params }) if method == "session/update" => {
                self.take_update(&params)
            }
            // Later versions have further notifications.
            Some(Message::Notification { .. }) => Vec::new(),
            Some(Message::Request { id, method, params }) if method == "session/request_permission" => {
                self.take_question(id, &params)
            }
            Some(Message::Request { id, method, .. }) => {
                let method: String = method.chars().take(80).collect();
                let message = format!("the client does not have the method `{}`", method.escape_debug());
                self.refuse(&id, METHOD_NOT_FOUND, message);
                Vec::new()
            }
            Some(Message::Response { id, outcome }) => {
                let asked = match id {
                    Id::Number(number) => self.requests.remove(&number),
                    Id::Text(_) | Id::Null => None,
                };
                match asked {
                    Some(asked) => self.take_response(asked, outcome),
                    None => {
                        self.warn("the program answered a request that was not made, or answered one twice")
                    }
                }
            }
        }
    }

    fn take_response(&mut self, asked: Asked, outcome: Result<Box<RawValue>, RpcError>) -> Vec<ClientEvent> {
        match (asked, outcome) {
            (Asked::Initialize, Ok(result)) => match wire::read_initialized(&result) {
                Ok(can) => {
                    self.can = can;
                    self.open_session();
                    Vec::new()
                }
                Err(error) => self.fail(&format!("the answer to `initialize` cannot be used: {}", error.0)),
            },
            (Asked::New(origin), Ok(result)) => match wire::read_new_session(&result) {
                Ok(opened) => self.use_session(opened, origin),
                Err(error) => self.fail(&format!("the answer to `session/new` cannot be used: {}", error.0)),
            },
            (Asked::Old, Ok(result)) => {
                self.use_session(wire::read_old_session(&result), SessionOrigin::Earlier)
            }
            (Asked::Old, Err(_)) => {
                self.request_new(SessionOrigin::NewInsteadOfEarlier);
                Vec::new()
            }
            (Asked::Model(origin), Ok(_)) => self.use_mode(origin),
            (Asked::Model(origin), Err(error)) => {
                let mut events =
                    vec![ClientEvent::Warning(format!("the program refused the model: {}", short(&error)))];
                events.extend(self.use_mode(origin));
                events
            }
            (Asked::Mode(origin), Ok(_)) => self.finish_opening(origin),
            // In another mode it may act without a question.
            (Asked::Mode(_), Err(error)) => {
                self.fail(&format!("the program refused the mode in which it asks: {}", short(&error)))
            }
            (Asked::Initialize | Asked::New(_), Err(error)) => {
                self.fail(&format!("the program does not open a session: {}", short(&error)))
            }
            (Asked::Prompt, outcome) => self.end_prompt(outcome),
        }
    }

    fn take_update(&mut self, params: &RawValue) -> Vec<ClientEvent> {
        // While an earlier session is loaded, its reports are those of earlier prompts.
        if !matches!(self.phase, Phase::Prompting | Phase::Cancelling) {
            return Vec::new();
        }
        let Some((session, update)) = wire::read_update(params) else { return Vec::new() };
        if session != self.session {
            return self.warn("the program reported about a session that is not open");
        }
        match update {
            Update::Text(text) if text.is_empty() => Vec::new(),
            Update::Text(text) => vec![ClientEvent::Text(text)],
            Update::Usage { used, size } => vec![ClientEvent::Usage { used, size }],
            Update::Call(update) => {
                let mut events = Vec::new();
                if let Err(TooMany) = self.calls.update(update, &mut events) {
                    events.extend(self.fail(TOO_MANY));
                }
                events
            }
        }
    }

    fn take_question(&mut self, id: Id, params: &RawValue) -> Vec<ClientEvent> {
        let Question { session, call, allow_once, reject_once } = match wire::read_question(params) {
            Ok(question) => question,
            Err(error) => {
                self.refuse(&id, INVALID_PARAMS, error.0);
                return self.warn("the program asked a question that cannot be read");
            }
        };
        if session != self.session || !matches!(self.phase, Phase::Prompting | Phase::Cancelling) {
            self.refuse(&id, INVALID_PARAMS, "no prompt of this session is at work".to_owned());
            return self.warn("the program asked a question about a session that is not at work");
        }
        if self.phase == Phase::Cancelling {
            self.respond(&id, &Ok(wire::permission(None)));
            return Vec::new();
        }
        let mut events = Vec::new();
        let named = call.id.clone();
        match self.calls.update(call, &mut events) {
            Err(TooMany) => events.extend(self.fail(TOO_MANY)),
            Ok(_) if self.questions.len() >= MAX_QUESTIONS => {
                self.respond(&id, &Ok(wire::permission(reject_once)));
                events.extend(self.warn("the program asks too many questions at once"));
            }
            Ok(call) => {
                let number = self.next_question;
                self.next_question = number.saturating_add(1);
                self.questions.insert(number, OpenQuestion { id, allow_once, reject_once });
                let KnownCall { id, kinds } = call;
                let input = self.calls.input(&named);
                events.push(ClientEvent::Asked(PermissionQuestion { number, call: id, input, kinds }));
            }
        }
        events
    }

    fn end_prompt(&mut self, outcome: Result<Box<RawValue>, RpcError>) -> Vec<ClientEvent> {
        let was_cancelled = self.phase == Phase::Cancelling;
        let mut events = Vec::new();
        self.calls.end_all(&mut events);
        self.withdraw_questions();
        self.phase = Phase::Idle;
        self.deadline = None;
        let outcome = outcome.map(|result| wire::read_stop(&result));
        events.push(match outcome {
            Ok(Ok(Stop::Cancelled)) => ClientEvent::Ended(EndReason::Interrupted),
            _ if was_cancelled => ClientEvent::Ended(EndReason::Interrupted),
            Ok(Ok(Stop::EndTurn)) => ClientEvent::Ended(EndReason::Done),
            Ok(Ok(Stop::Limit)) => ClientEvent::Ended(EndReason::MaxSteps),
            Ok(Ok(Stop::Refusal)) => ClientEvent::Ended(EndReason::Refused),
            Ok(Err(error)) => {
                ClientEvent::PromptFailed(format!("the answer to the prompt cannot be read: {}", error.0))
            }
            Err(error) => ClientEvent::PromptFailed(format!("the program failed: {}", short(&error))),
        });
        events
    }

    fn withdraw_questions(&mut self) {
        for (_, question) in std::mem::take(&mut self.questions) {
            self.respond(&question.id, &Ok(wire::permission(None)));
        }
    }

    /// Ends the session: nothing that the program sends is used any longer.
    fn fail(&mut self, message: &str) -> Vec<ClientEvent> {
        let mut events = Vec::new();
        self.calls.end_all(&mut events);
        self.phase = Phase::Failed;
        self.deadline = None;
        events.push(ClientEvent::Failed(message.to_owned()));
        events
    }

    /// Ends the open calls of a program that has ended.
    pub fn end(&mut self) -> Vec<ClientEvent> {
        let mut events = Vec::new();
        self.calls.end_all(&mut events);
        self.phase = Phase::Failed;
        events
    }

    /// Warns once of each thing.
    fn warn(&mut self, message: &'static str) -> Vec<ClientEvent> {
        let is_new = self.warned.insert(message);
        is_new.then(|| ClientEvent::Warning(message.to_owned())).into_iter().collect()
    }

    fn request(&mut self, asked: Asked, method: &str, params: impl Serialize) {
        let id = self.next_id;
        self.next_id = id.saturating_add(1);
        self.requests.insert(id, asked);
        self.output.extend(message::request(&Id::Number(id), method, params));
    }

    fn respond(&mut self, id: &Id, outcome: &Result<impl Serialize, RpcError>) {
        self.output.extend(message::response(id, outcome));
    }

    fn refuse(&mut self, id: &Id, code: i64, message: String) {
        self.respond(id, &Err::<(), _>(RpcError::new(code, message)));
    }
}

const TOO_MANY: &str =
    "the program made more than 10000 tool calls in one turn, or one with an id of more than 256 bytes";

/// Returns an error of a program as one short line.
fn short(error: &RpcError) -> String {
    let details = error.data.as_ref().map(|data| format!(" ({data})")).unwrap_or_default();
    let message = format!("{}{details}", error.message);
    message.chars().take(MAX_MESSAGE).map(|c| if c.is_control() { ' ' } else { c }).collect()
}
