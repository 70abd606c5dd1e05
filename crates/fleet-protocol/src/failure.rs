//! Errors in responses.

use minds_fleet::ErrorCode;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Json;

/// Why a request failed.
///
/// Programs branch on the code; the message is for people.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    /// The code.
    pub code: FailureCode,
    /// One line for people.
    pub message: String,
    /// Facts for programs, such as the owner for `ownership.denied`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detail: Option<Json>,
}

impl Failure {
    /// Makes a failure without details.
    pub fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        Self { code: FailureCode::Known(code), message: message.into(), detail: None }
    }

    /// Returns the code, if this version knows it.
    pub fn code(&self) -> Option<ErrorCode> {
        match &self.code {
            FailureCode::Known(code) => Some(*code),
            FailureCode::Unknown(_) => None,
        }
    }

    /// Returns whether the answer to a request is remembered for its duplicates.
    ///
    /// The failures `handler.error` and `busy` have changed nothing, and a client may send the request again.
    pub fn is_remembered(&self) -> bool {
        !matches!(self.code(), Some(ErrorCode::HandlerError | ErrorCode::Busy))
    }
}

/// The code of a failure, which may be of a later version.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema, Deserialize)]
#[serde(from = "String", into = "String")]
pub enum FailureCode {
    /// A code of this version.
    Known(ErrorCode),
    /// Another code, as it was read.
    Unknown(String),
}

/// Names of codes in earlier drafts of the format. They are read, never written.
const ALIASES: [(&str, ErrorCode); 6] = [
    ("not_owner", ErrorCode::OwnershipDenied),
    ("ownership.held", ErrorCode::OwnershipDenied),
    ("agent.duplicate", ErrorCode::DuplicateInstance),
    ("redis.timeout", ErrorCode::Timeout),
    ("redis.rpc_timeout", ErrorCode::Timeout),
    ("redis.not_connected", ErrorCode::RedisUnavailable),
];

impl From<String> for FailureCode {
    fn from(text: String) -> Self {
        let alias = ALIASES.iter().find(|(name, _)| *name == text).map(|(_, code)| *code);
        match text.parse().ok().or(alias) {
            Some(code) => Self::Known(code),
            None => Self::Unknown(text),
        }
    }
}

impl From<FailureCode> for String {
    fn from(code: FailureCode) -> Self {
        match code {
            FailureCode::Known(code) => code.as_str().to_owned(),
            FailureCode::Unknown(text) => text,
        }
    }
}
