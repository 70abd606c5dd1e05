//! Messages of JSON-RPC 2.0.

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::value::RawValue;

/// The code for a method that the receiver does not have.
pub(crate) const METHOD_NOT_FOUND: i64 = -32_601;
/// The code for parameters that are not valid.
pub(crate) const INVALID_PARAMS: i64 = -32_602;
/// The code for a request that is not possible now.
pub(crate) const INVALID_REQUEST: i64 = -32_600;
/// The code for a failure of the receiver.
pub(crate) const INTERNAL_ERROR: i64 = -32_603;
/// The code for a line that is not JSON.
pub(crate) const PARSE_ERROR: i64 = -32_700;

/// The id of a request.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(untagged)]
pub(crate) enum Id {
    /// A number.
    Number(i64),
    /// A string.
    Text(String),
    /// `null`.
    Null,
}

/// A message.
#[derive(Debug)]
pub(crate) enum Message {
    Request { id: Id, method: String, params: Box<RawValue> },
    Notification { method: String, params: Box<RawValue> },
    Response { id: Id, outcome: Result<Box<RawValue>, RpcError> },
}

/// The error of a response.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct RpcError {
    pub(crate) code: i64,
    pub(crate) message: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) data: Option<serde_json::Value>,
}

#[derive(Deserialize)]
struct Members {
    #[serde(default, deserialize_with = "present")]
    id: Option<Id>,
    method: Option<String>,
    #[serde(default)]
    params: Option<Box<RawValue>>,
    #[serde(default, deserialize_with = "present")]
    result: Option<Box<RawValue>>,
    #[serde(default)]
    error: Option<RpcError>,
}

/// Reads a member that is present, `null` included.
fn present<'de, D: Deserializer<'de>, T: Deserialize<'de>>(deserializer: D) -> Result<Option<T>, D::Error> {
    T::deserialize(deserializer).map(Some)
}

impl RpcError {
    pub(crate) fn new(code: i64, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), data: None }
    }
}

impl Message {
    /// Reads a line; none if it is not a message.
    pub(crate) fn parse(line: &[u8]) -> Option<Self> {
        let Members { id, method, params, result, error } = serde_json::from_slice(line).ok()?;
        let params = || params.unwrap_or_else(|| RawValue::NULL.to_owned());
        match (id, method, result, error) {
            (Some(id), Some(method), None, None) => Some(Self::Request { id, method, params: params() }),
            (None, Some(method), None, None) => Some(Self::Notification { method, params: params() }),
            (Some(id), None, Some(result), None) => Some(Self::Response { id, outcome: Ok(result) }),
            (Some(id), None, None, Some(error)) => Some(Self::Response { id, outcome: Err(error) }),
            _ => None,
        }
    }
}

#[derive(Serialize)]
struct Line<'m, P, R> {
    jsonrpc: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<&'m Id>,
    #[serde(skip_serializing_if = "Option::is_none")]
    method: Option<&'m str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    params: Option<P>,
    #[serde(skip_serializing_if = "Option::is_none")]
    result: Option<R>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<&'m RpcError>,
}

const EMPTY: Line<'_, (), ()> =
    Line { jsonrpc: "2.0", id: None, method: None, params: None, result: None, error: None };

/// Returns the line of a request.
pub(crate) fn request(id: &Id, method: &str, params: impl Serialize) -> Vec<u8> {
    let Line { jsonrpc, result, error, .. } = EMPTY;
    line(&Line { jsonrpc, id: Some(id), method: Some(method), params: Some(params), result, error })
}

/// Returns the line of a notification.
pub(crate) fn notification(method: &str, params: impl Serialize) -> Vec<u8> {
    let Line { jsonrpc, id, result, error, .. } = EMPTY;
    line(&Line { jsonrpc, id, method: Some(method), params: Some(params), result, error })
}

/// Returns the line of a response.
pub(crate) fn response(id: &Id, outcome: &Result<impl Serialize, RpcError>) -> Vec<u8> {
    let Line { jsonrpc, method, params, .. } = EMPTY;
    let (result, error) = match outcome {
        Ok(result) => (Some(result), None),
        Err(error) => (None, Some(error)),
    };
    line(&Line { jsonrpc, id: Some(id), method, params, result, error })
}

fn line(value: &impl Serialize) -> Vec<u8> {
    // Only maps with keys that are not strings cannot be written, and the messages have none.
    let mut line = serde_json::to_vec(value).unwrap_or_default();
    line.push(b'\n');
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_of_message_is_read() {
        let kind = |line: &str| match Message::parse(line.as_bytes()) {
            None => "none".to_owned(),
            Some(Message::Request { id, method, .. }) => format!("request {id:?} {method}"),
            Some(Message::Notification { method, params }) => format!("notification {method} {params}"),
            Some(Message::Response { id, outcome }) => format!("response {id:?} {}", outcome.is_ok()),
        };
        let cases = [
            (r#"{"jsonrpc":"2.0","id":1,"method":"a"}"#, "request Number(1) a"),
            (r#"{"id":"x","method":"a","params":{}}"#, r#"request Text("x") a"#),
            (r#"{"id":null,"method":"a"}"#, "request Null a"),
            (r#"{"method":"a","params":[1]}"#, "notification a [1]"),
            (r#"{"id":1,"result":null}"#, "response Number(1) true"),
            (r#"{"id":1,"error":{"code":1,"message":"m"}}"#, "response Number(1) false"),
            (r#"{"id":1,"result":1,"error":{"code":1,"message":"m"}}"#, "none"),
            (r#"{"id":1,"id":2,"result":1}"#, "none"),
            (r#"{"id":1.5,"result":1}"#, "none"),
            (r#"{"id":[],"method":"a"}"#, "none"),
            (r#"[{"id":1,"method":"a"}]"#, "none"),
            ("{}", "none"),
            ("started on port 1", "none"),
        ];
        for (line, expected) in cases {
            assert_eq!(kind(line), expected, "{line}");
        }
    }

    #[test]
    fn messages_are_written_as_lines() {
        let text = |line: Vec<u8>| String::from_utf8(line).unwrap();
        assert_eq!(
            text(request(&Id::Number(1), "a", [1])),
            "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"a\",\"params\":[1]}\n"
        );
        let null: Result<(), RpcError> = Ok(());
        assert_eq!(text(response(&Id::Null, &null)), "{\"jsonrpc\":\"2.0\",\"id\":null,\"result\":null}\n");
        let error: Result<(), RpcError> = Err(RpcError::new(-1, "m"));
        assert_eq!(
            text(response(&Id::Text("x".to_owned()), &error)),
            "{\"jsonrpc\":\"2.0\",\"id\":\"x\",\"error\":{\"code\":-1,\"message\":\"m\"}}\n"
        );
    }
}
