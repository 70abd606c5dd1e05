//! The messages of calls that do not pass through the process with the servers.

use std::io;

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use super::input::MAX_ATOMIC;
use crate::client::wire::{Envelope, number_of, read_refusal};
use crate::client::{CallError, MAX_RESULT_BYTES};

/// The first id of these calls. Those of the process with the servers stay below.
const FIRST_ID: i64 = 1_000_000_000;

/// Returns the id that a call has at its server.
fn id_at_server(call: u64) -> i64 {
    i64::try_from(call).unwrap_or(i64::MAX).saturating_add(FIRST_ID)
}

/// Returns the call that has an id at its server; none for a call of the process with the servers.
fn call_of(id: i64) -> Option<u64> {
    u64::try_from(id.checked_sub(FIRST_ID)?).ok()
}

/// The request of a call, a line.
pub(super) struct Request {
    pub(super) line: Vec<u8>,
    /// The length of the arguments as JSON.
    pub(super) argument_bytes: usize,
}

impl Request {
    /// Returns the request of a call; none if it is too long to be written at once.
    pub(super) fn new(call: u64, tool: &str, arguments: &Map<String, Value>) -> Option<Self> {
        let id = id_at_server(call);
        let mut line = Short(Vec::with_capacity(512));
        let begin = format!(
            r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"_meta":{{"progressToken":{id}}},"name":"#
        );
        io::Write::write_all(&mut line, begin.as_bytes()).ok()?;
        serde_json::to_writer(&mut line, tool).ok()?;
        io::Write::write_all(&mut line, br#","arguments":"#).ok()?;
        let start = line.0.len();
        serde_json::to_writer(&mut line, arguments).ok()?;
        let argument_bytes = line.0.len() - start;
        io::Write::write_all(&mut line, b"}}\n").ok()?;
        Some(Self { line: line.0, argument_bytes })
    }
}

/// A line that is written at once.
struct Short(Vec<u8>);

impl io::Write for Short {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.0.len() + bytes.len() > MAX_ATOMIC {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        self.0.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Returns the notification that a call is cancelled, a line.
pub(super) fn cancellation(call: u64) -> Vec<u8> {
    let id = id_at_server(call);
    format!(r#"{{"jsonrpc":"2.0","method":"notifications/cancelled","params":{{"requestId":{id}}}}}"#)
        .into_bytes()
        .into_iter()
        .chain(*b"\n")
        .collect()
}

/// Returns the reply to a question, a line. The id of the question is JSON.
pub(super) fn reply(question: &str, answer: &Map<String, Value>) -> Vec<u8> {
    let answer = serde_json::to_string(answer).unwrap_or_default();
    format!("{{\"jsonrpc\":\"2.0\",\"id\":{question},\"result\":{answer}}}\n").into_bytes()
}

/// A message of a server.
pub(super) enum FromServer<'m> {
    /// The answer to a call of this side.
    Answer {
        call: u64,
        answer: Result<Answer, CallError>,
    },
    /// Progress of a call of this side.
    Progress {
        call: u64,
        progress: Map<String, Value>,
    },
    /// A question, with its id as JSON.
    Question {
        id: &'m str,
        params: Option<Map<String, Value>>,
    },
    /// A request of the server is not waited for any longer.
    Withdrawn {
        id: String,
    },
    /// An answer to the process with the servers.
    AnswerToWorker {
        id: i64,
    },
    Other,
}

/// The result of a call.
pub(super) struct Answer {
    pub(super) result: Map<String, Value>,
    /// The length of the result as the server wrote it.
    pub(super) bytes: usize,
}

impl<'m> FromServer<'m> {
    pub(super) fn read(message: &'m [u8]) -> Self {
        let Ok(envelope) = serde_json::from_slice::<Envelope<'_>>(message) else { return Self::Other };
        let params = || envelope.params.and_then(|params| serde_json::from_str(params.get()).ok());
        match (envelope.method.as_deref(), envelope.id) {
            (None, Some(id)) => match number_of(id) {
                Some(id) => match call_of(id) {
                    Some(call) => Self::Answer { call, answer: read_answer(&envelope) },
                    None => Self::AnswerToWorker { id },
                },
                None => Self::Other,
            },
            (Some("elicitation/create"), Some(id)) => Self::Question { id: id.get(), params: params() },
            (Some("notifications/progress"), None) => {
                let progress: Map<String, Value> = params().unwrap_or_default();
                let token = match progress.get("progressToken") {
                    Some(Value::String(text)) => text.parse().ok(),
                    Some(token) => token.as_i64(),
                    None => None,
                };
                token.and_then(call_of).map_or(Self::Other, |call| Self::Progress { call, progress })
            }
            (Some("notifications/cancelled"), None) => {
                read_request_id(envelope.params).map_or(Self::Other, |id| Self::Withdrawn { id })
            }
            _ => Self::Other,
        }
    }
}

/// What the process with the servers begins or gives up.
pub(super) enum FromWorker {
    Call { id: i64 },
    Cancelled { id: i64 },
    Other,
}

impl FromWorker {
    pub(super) fn read(message: &[u8]) -> Self {
        let Ok(envelope) = serde_json::from_slice::<Envelope<'_>>(message) else { return Self::Other };
        match (envelope.method.as_deref(), envelope.id) {
            (Some("tools/call"), Some(id)) => number_of(id).map_or(Self::Other, |id| Self::Call { id }),
            (Some("notifications/cancelled"), None) => {
                let id = read_request_id(envelope.params).and_then(|id| id.parse().ok());
                id.map_or(Self::Other, |id| Self::Cancelled { id })
            }
            _ => Self::Other,
        }
    }
}

/// Returns the id, as JSON, of the request that parameters name.
fn read_request_id(params: Option<&RawValue>) -> Option<String> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Params<'p> {
        #[serde(borrow)]
        request_id: &'p RawValue,
    }
    let params: Params<'_> = serde_json::from_str(params?.get()).ok()?;
    Some(params.request_id.get().to_owned())
}

fn read_answer(envelope: &Envelope<'_>) -> Result<Answer, CallError> {
    let result = match (envelope.result, envelope.error) {
        (_, Some(error)) => return Err(read_refusal(error)),
        (Some(result), None) => result.get(),
        (None, None) => return Err(CallError::Invalid),
    };
    if result.len() > MAX_RESULT_BYTES {
        return Err(CallError::TooLarge { limit: MAX_RESULT_BYTES });
    }
    let bytes = result.len();
    let mut result: Map<String, Value> = serde_json::from_str(result).map_err(|_| CallError::Invalid)?;
    // Other types belong to the revision without a handshake.
    match result.remove("resultType") {
        None => Ok(Answer { result, bytes }),
        Some(kind) if kind == "complete" => Ok(Answer { result, bytes }),
        Some(_) => Err(CallError::Invalid),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn object(value: &Value) -> Map<String, Value> {
        value.as_object().unwrap().clone()
    }

    #[test]
    fn a_request_is_one_line_that_is_written_at_once() {
        let arguments = object(&json!({"text": "a\nb"}));
        let request = Request::new(7, "say \"x\"", &arguments).unwrap();
        let expected = json!({"jsonrpc": "2.0", "id": 1_000_000_007, "method": "tools/call", "params": {
            "_meta": {"progressToken": 1_000_000_007}, "name": "say \"x\"", "arguments": {"text": "a\nb"},
        }});
        assert_eq!(serde_json::from_slice::<Value>(&request.line).unwrap(), expected);
        assert_eq!(request.line.iter().position(|byte| *byte == b'\n'), Some(request.line.len() - 1));
        assert_eq!(request.argument_bytes, json!(arguments).to_string().len());
        let rest = MAX_ATOMIC - request.line.len();
        let longer = |more: usize| object(&json!({"text": format!("a\n{}b", "x".repeat(more))}));
        assert_eq!(Request::new(7, "say \"x\"", &longer(rest)).unwrap().line.len(), MAX_ATOMIC);
        assert!(Request::new(7, "say \"x\"", &longer(rest + 1)).is_none());
    }

    #[test]
    fn answers_are_known_by_their_ids() {
        let call = |text: &str| match FromServer::read(text.as_bytes()) {
            FromServer::Answer { call, answer } => {
                Some((call, answer.map(|answer| Value::Object(answer.result))))
            }
            _ => None,
        };
        for id in ["1000000003", "\"1000000003\""] {
            let answer = call(&format!(r#"{{"id":{id},"result":{{"a":1,"resultType":"complete"}},"x":2}}"#));
            assert_eq!(answer, Some((3, Ok(json!({"a": 1})))));
        }
        for result in ["[]", "1", r#"{"resultType":"task"}"#, r#"{"resultType":null}"#] {
            let answer = call(&format!(r#"{{"id":1000000003,"result":{result}}}"#));
            assert_eq!(answer, Some((3, Err(CallError::Invalid))), "{result}");
        }
        let refused = CallError::Refused { code: -1, message: "no".to_owned() };
        let answer = call(r#"{"id":1000000003,"result":{},"error":{"code":-1,"message":"no\nmore"}}"#);
        assert_eq!(answer, Some((3, Err(refused))));
        assert_eq!(call(r#"{"id":1000000003}"#), Some((3, Err(CallError::Invalid))));
        for other in
            ["", "x", "[]", r#"{"id":999999999,"result":{}}"#, r#"{"id":1000000003,"method":"ping"}"#]
        {
            assert_eq!(call(other), None, "{other}");
        }
        let large = format!(r#"{{"id":1000000003,"result":{{"a":"{}"}}}}"#, "x".repeat(MAX_RESULT_BYTES));
        assert_eq!(call(&large), Some((3, Err(CallError::TooLarge { limit: MAX_RESULT_BYTES }))));
    }
}
