//! The lines on the socket of an agent: JSON objects in UTF-8.
//!
//! A line whose first member is `hello`, `claim`, `release`, `wake` or `owner` is about the connection. Every other line
//! is a request, or a response.

use minds_fleet_protocol::{AgentId, Caller, Failure, TakeoverEvent, TakeoverNotice};
use serde::{Deserialize, Serialize};

use crate::OwnerToken;

/// The version of these lines.
pub(super) const PROTOCOL: u32 = 1;

/// What a client sends apart from requests.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum ClientLine {
    /// The first line.
    Hello(ClientHello),
    Claim(ClaimLine),
    Release(ReleaseLine),
}

#[derive(Debug, Serialize, Deserialize)]
pub(super) struct ClientHello {
    pub(super) protocol: u32,
    pub(super) caller: Caller,
    /// The content of the file `key` of the agent. Without it, the client can only observe.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) key: Option<String>,
}

#[derive(Debug, Serialize, Deserialize)]
pub(super) struct ClaimLine {
    #[serde(default)]
    pub(super) takeover: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) resume: Option<OwnerToken>,
}

#[derive(Debug, Serialize, Deserialize)]
pub(super) struct ReleaseLine {}

/// What an agent sends apart from responses.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum AgentLine {
    Hello(AgentHello),
    Claim(ClaimResult),
    Wake { offset: u64 },
    Owner(OwnerLine),
}

#[derive(Debug, Serialize, Deserialize)]
pub(super) struct AgentHello {
    pub(super) protocol: u32,
    pub(super) id: AgentId,
    pub(super) epoch: u64,
    pub(super) version: String,
}

#[derive(Debug, Serialize, Deserialize)]
pub(super) struct ClaimResult {
    ok: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    token: Option<OwnerToken>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    error: Option<Failure>,
}

#[derive(Debug, Serialize, Deserialize)]
pub(super) struct OwnerLine {
    event: OwnerLineEvent,
    by: Caller,
}

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum OwnerLineEvent {
    /// The owner is asked to release the agent.
    Request,
    /// The agent has another owner.
    Takeover,
}

impl From<Result<OwnerToken, Failure>> for ClaimResult {
    fn from(result: Result<OwnerToken, Failure>) -> Self {
        match result {
            Ok(token) => Self { ok: true, token: Some(token), error: None },
            Err(failure) => Self { ok: false, token: None, error: Some(failure) },
        }
    }
}

impl ClaimResult {
    /// Returns the result; none if the line contradicts itself.
    pub(super) fn into_result(self) -> Option<Result<OwnerToken, Failure>> {
        match (self.ok, self.token, self.error) {
            (true, Some(token), None) => Some(Ok(token)),
            (false, None, Some(failure)) => Some(Err(failure)),
            _ => None,
        }
    }
}

impl From<TakeoverNotice> for OwnerLine {
    fn from(notice: TakeoverNotice) -> Self {
        let event = match notice.event {
            TakeoverEvent::Request => OwnerLineEvent::Request,
            TakeoverEvent::Final => OwnerLineEvent::Takeover,
        };
        Self { event, by: notice.by }
    }
}

impl From<OwnerLine> for TakeoverNotice {
    fn from(line: OwnerLine) -> Self {
        let event = match line.event {
            OwnerLineEvent::Request => TakeoverEvent::Request,
            OwnerLineEvent::Takeover => TakeoverEvent::Final,
        };
        Self { event, by: line.by }
    }
}

/// Returns whether a line is about the connection.
pub(super) fn is_about_connection(line: &[u8]) -> bool {
    let first = line.trim_ascii_start().strip_prefix(b"{").map(<[u8]>::trim_ascii_start);
    let names: [&[u8]; 5] = [b"\"hello\"", b"\"claim\"", b"\"release\"", b"\"wake\"", b"\"owner\""];
    first.is_some_and(|first| names.iter().any(|name| first.starts_with(name)))
}

/// Returns a line with its line feed. A value that cannot be encoded is an empty line, which readers skip.
pub(super) fn encode(line: &impl Serialize) -> Vec<u8> {
    let mut bytes = serde_json::to_vec(line).unwrap_or_default();
    bytes.push(b'\n');
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check<T: Serialize + for<'de> Deserialize<'de>>(text: &str) {
        let line: T = serde_json::from_str(text).unwrap();
        assert_eq!(String::from_utf8(encode(&line)).unwrap(), format!("{text}\n"));
        assert!(is_about_connection(text.as_bytes()));
    }

    #[test]
    fn lines_have_the_documented_form() {
        let token = "0f".repeat(16);
        check::<ClientLine>(r#"{"hello":{"protocol":1,"caller":"cli:s-1","key":"00"}}"#);
        check::<ClientLine>(r#"{"hello":{"protocol":1,"caller":"cli:s-1"}}"#);
        check::<ClientLine>(&format!(r#"{{"claim":{{"takeover":true,"resume":"{token}"}}}}"#));
        check::<ClientLine>(r#"{"release":{}}"#);
        check::<AgentLine>(r#"{"hello":{"protocol":1,"id":"p/a","epoch":7,"version":"0.1.0"}}"#);
        check::<AgentLine>(&format!(r#"{{"claim":{{"ok":true,"token":"{token}"}}}}"#));
        check::<AgentLine>(r#"{"claim":{"ok":false,"error":{"code":"ownership.denied","message":"no"}}}"#);
        check::<AgentLine>(r#"{"wake":{"offset":41}}"#);
        check::<AgentLine>(r#"{"owner":{"event":"takeover","by":"cli:s-2"}}"#);
    }

    #[test]
    fn requests_are_not_about_the_connection() {
        for line in ["", "{}", "{\"req_id\":\"r\"}", "hello", "[\"hello\"]", "{\"helloo\":1}"] {
            assert!(!is_about_connection(line.as_bytes()), "{line}");
        }
        assert!(is_about_connection(b" { \"claim\" : {}}"));
    }
}
