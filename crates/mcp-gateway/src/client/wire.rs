//! What a connection and its transport share: the requests that wait, and what is done with the messages of the server before
//! the library of the protocol reads them.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use rmcp::model::{
    ClientJsonRpcMessage, ClientRequest, GetExtensions as _, GetMeta as _, ProtocolVersion, RequestId,
    ServerJsonRpcMessage,
};
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use super::error::{prefix, shorten};
use super::flag::Flag;
use super::request::Request;
use super::{CallError, MAX_LOG_LINE_BYTES, ServerEvents};

/// The method under which the library passes a question on, as it is, instead of reading it.
pub(super) const ELICITATION: &str = "minds/elicitation";
/// The revision without a handshake.
pub(super) const MODERN: &str = "2026-07-28";

/// What a connection and its transport share.
pub(super) struct Wire {
    events: Arc<dyn ServerEvents>,
    /// The requests that were sent and not answered, by their ids.
    sent: Mutex<BTreeMap<i64, Sent>>,
    /// Is raised when the connection is being closed.
    pub(super) closing: Flag,
    /// Why the transport ended the connection.
    pub(super) failure: OnceLock<String>,
    /// What failed at last.
    trouble: Mutex<Option<String>>,
}

enum Sent {
    /// `server/discover`.
    Discovery,
    /// Another request of the library.
    Own,
    /// One of ours, whose result is kept as it is.
    Ours(Arc<Request>),
}

/// What the library is to read instead of a message.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Received {
    /// The message.
    Unchanged,
    /// Another message.
    Changed(String),
    /// Nothing.
    Nothing,
}

impl Received {
    /// Returns what the library is to read instead of this message; none if it is nothing.
    pub(super) fn into_text(self, message: &str) -> Option<String> {
        match self {
            Self::Unchanged => Some(message.to_owned()),
            Self::Changed(text) => Some(text),
            Self::Nothing => None,
        }
    }
}

/// The members of a message, which are not read further.
#[derive(Deserialize)]
pub(crate) struct Envelope<'m> {
    #[serde(borrow)]
    pub(crate) id: Option<&'m RawValue>,
    #[serde(borrow)]
    pub(crate) method: Option<Cow<'m, str>>,
    #[serde(borrow)]
    pub(crate) params: Option<&'m RawValue>,
    #[serde(borrow)]
    pub(crate) result: Option<&'m RawValue>,
    #[serde(borrow)]
    pub(crate) error: Option<&'m RawValue>,
}

/// An error of the protocol; a server may leave out parts of it.
#[derive(Default, Deserialize)]
#[serde(default)]
struct ErrorObject {
    code: i64,
    message: String,
}

impl Wire {
    pub(super) fn new(events: Arc<dyn ServerEvents>) -> Arc<Self> {
        Arc::new(Self {
            events,
            sent: Mutex::default(),
            closing: Flag::new(),
            failure: OnceLock::new(),
            trouble: Mutex::default(),
        })
    }

    /// Writes a line to the log of the server.
    pub(super) fn log(&self, line: &str) {
        self.events.log(prefix(line, MAX_LOG_LINE_BYTES));
    }

    /// Keeps the explanation of a failure for the request that fails.
    pub(super) fn note(&self, trouble: String) {
        *lock(&self.trouble) = Some(trouble);
    }

    /// Takes the explanation of the last failure.
    pub(super) fn take_trouble(&self) -> Option<String> {
        lock(&self.trouble).take()
    }

    /// Records a message that is about to be sent.
    pub(super) fn sending(&self, message: &ClientJsonRpcMessage) {
        let ClientJsonRpcMessage::Request(request) = message else { return };
        let RequestId::Number(id) = request.id else { return };
        let sent = match &request.request {
            ClientRequest::DiscoverRequest(_) => Sent::Discovery,
            other => match other.extensions().get::<Arc<Request>>() {
                None => Sent::Own,
                Some(request) if request.over.is_raised() => return,
                Some(request) => {
                    let token = other.get_meta().get_progress_token();
                    request.sent(token.and_then(|token| number(&token.0)));
                    Sent::Ours(Arc::clone(request))
                }
            },
        };
        lock(&self.sent).insert(id, sent);
    }

    /// Forgets a request that no task waits for anymore.
    pub(super) fn forget(&self, request: &Arc<Request>) {
        request.over.raise();
        lock(&self.sent).retain(|_, sent| !matches!(sent, Sent::Ours(one) if Arc::ptr_eq(one, request)));
    }

    /// Returns whether `server/discover` waits for its answer.
    pub(super) fn is_discovering(&self) -> bool {
        lock(&self.sent).values().any(|sent| matches!(sent, Sent::Discovery))
    }

    /// Gives the answer to `server/discover` up, and returns the one that is read instead.
    pub(super) fn end_discovery(&self) -> Option<String> {
        let mut sent = lock(&self.sent);
        let id = sent.iter().find(|(_, sent)| matches!(sent, Sent::Discovery)).map(|(id, _)| *id)?;
        sent.remove(&id);
        Some(not_found(id))
    }

    /// Returns the call that a question of the server belongs to: the one that the transport names, or the only one.
    pub(super) fn call_of_question(&self, id: Option<i64>) -> Option<Arc<Request>> {
        let sent = lock(&self.sent);
        let call = |sent: &Sent| match sent {
            Sent::Ours(request) if request.is_call() => Some(Arc::clone(request)),
            _ => None,
        };
        if let Some(id) = id {
            return sent.get(&id).and_then(call);
        }
        let mut calls = sent.values().filter_map(call);
        calls.next().filter(|_| calls.next().is_none())
    }

    /// Reads a message of the server.
    pub(super) fn read(&self, text: &str) -> Received {
        let Ok(envelope) = serde_json::from_str::<Envelope<'_>>(text) else {
            self.log(text);
            return Received::Nothing;
        };
        match (&envelope.method, envelope.id) {
            (None, Some(id)) => self.read_response(text, number_of(id), &envelope),
            (Some(method), None) => self.read_notification(method, envelope.params),
            (Some(method), Some(id)) if method == "elicitation/create" => {
                let params = envelope.params.map_or("{}", RawValue::get);
                let id = id.get();
                Received::Changed(format!(
                    r#"{{"jsonrpc":"2.0","id":{id},"method":"{ELICITATION}","params":{params}}}"#
                ))
            }
            (Some(_), Some(_)) => Received::Unchanged,
            (None, None) => {
                self.log(text);
                Received::Nothing
            }
        }
    }

    fn read_response(&self, text: &str, id: Option<i64>, envelope: &Envelope<'_>) -> Received {
        let Some((id, sent)) = id.and_then(|id| Some((id, lock(&self.sent).remove(&id)?))) else {
            // No task waits for it.
            return Received::Nothing;
        };
        match sent {
            Sent::Own => Received::Unchanged,
            Sent::Discovery if envelope.result.is_some_and(is_discovered) => Received::Unchanged,
            Sent::Discovery => Received::Changed(not_found(id)),
            Sent::Ours(request) => {
                match (envelope.result, envelope.error) {
                    (_, Some(error)) => request.keep_error(read_refusal(error)),
                    (Some(result), None) => request.keep_result(result.get()),
                    (None, None) => request.keep_error(CallError::Invalid),
                }
                // The library reads the schemas of the listed tools, which headers of calls depend on.
                let is_list =
                    !request.is_call() && serde_json::from_str::<ServerJsonRpcMessage>(text).is_ok();
                if is_list { Received::Unchanged } else { Received::Changed(empty(id)) }
            }
        }
    }

    fn read_notification(&self, method: &str, params: Option<&RawValue>) -> Received {
        let params =
            || params.and_then(|params| serde_json::from_str::<Map<String, Value>>(params.get()).ok());
        match method {
            "notifications/progress" => {
                let params = params().unwrap_or_default();
                let token = params.get("progressToken").and_then(|token| match token {
                    Value::String(text) => text.parse().ok(),
                    token => token.as_i64(),
                });
                let sent = lock(&self.sent);
                let request = sent.values().find_map(|sent| match sent {
                    Sent::Ours(request) if token.is_some_and(|token| request.has_token(token)) => {
                        Some(Arc::clone(request))
                    }
                    _ => None,
                });
                drop(sent);
                if let Some(request) = request {
                    request.report_progress(params);
                }
            }
            "notifications/tools/list_changed" => self.events.tools_changed(),
            "notifications/message" => self.log(&log_line(&params().unwrap_or_default())),
            _ => return Received::Unchanged,
        }
        Received::Nothing
    }
}

/// Locks a value that no panic can leave inconsistent.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Returns the number that identifies a request of this side.
pub(super) fn number(id: &RequestId) -> Option<i64> {
    match id {
        RequestId::Number(number) => Some(*number),
        RequestId::String(_) => None,
    }
}

/// Returns the number of an id. Some servers answer with a string.
pub(crate) fn number_of(id: &RawValue) -> Option<i64> {
    id.get().trim_matches('"').parse().ok()
}

fn is_discovered(result: &RawValue) -> bool {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Discovered {
        supported_versions: Vec<String>,
    }
    let discovered = serde_json::from_str::<Discovered>(result.get());
    let is_complete = serde_json::from_str::<rmcp::model::DiscoverResult>(result.get()).is_ok();
    is_complete && discovered.is_ok_and(|one| one.supported_versions.iter().any(|version| version == MODERN))
}

/// Reads an error of the protocol.
pub(crate) fn read_refusal(error: &RawValue) -> CallError {
    let error: ErrorObject = serde_json::from_str(error.get()).unwrap_or_default();
    CallError::Refused { code: error.code, message: shorten(&error.message) }
}

fn log_line(params: &Map<String, Value>) -> String {
    let text = |key: &str| params.get(key).and_then(Value::as_str);
    let level = text("level").unwrap_or("info");
    let source = text("logger").map_or(String::new(), |logger| format!(" {logger}"));
    let data = match params.get("data") {
        Some(Value::String(data)) => data.replace(['\n', '\r'], " "),
        Some(data) => data.to_string(),
        None => String::new(),
    };
    format!("{level}{source}: {data}")
}

fn empty(id: i64) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{}}}}"#)
}

/// Returns the answer of a server that does not know a method.
fn not_found(id: i64) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":-32601,"message":"method not found"}}}}"#)
}

/// Returns the revision of the newest handshake.
pub(super) fn newest_handshake() -> ProtocolVersion {
    ProtocolVersion::LATEST_WITH_INITIALIZE
}
