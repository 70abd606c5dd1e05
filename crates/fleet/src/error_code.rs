//! The runtime errors of a fleet.

use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::Serialize;

/// An error of a running fleet, with a stable code for programs.
///
/// Findings in files have other codes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[non_exhaustive]
pub enum ErrorCode {
    /// Redis cannot be reached.
    #[serde(rename = "redis.unavailable")]
    RedisUnavailable,
    /// Another console owns the agent.
    #[serde(rename = "ownership.denied")]
    OwnershipDenied,
    /// No agent has this id.
    #[serde(rename = "agent.not_found")]
    AgentNotFound,
    /// The instance lock is held.
    #[serde(rename = "duplicate.instance")]
    DuplicateInstance,
    /// A file is not valid.
    #[serde(rename = "config.invalid")]
    ConfigInvalid,
    /// An edit touches a protected block of a prompt.
    #[serde(rename = "prompt.protected_violation")]
    PromptProtectedViolation,
    /// A path is outside the sandbox.
    #[serde(rename = "kb.ingest.denied")]
    KbIngestDenied,
    /// The agent does not have the tool.
    #[serde(rename = "tool.denied")]
    ToolDenied,
    /// No answer before the timeout.
    #[serde(rename = "timeout")]
    Timeout,
}

/// The properties of a code.
struct Properties {
    code: &'static str,
    meaning: &'static str,
    cause: &'static str,
    resolution: &'static str,
    exit_code: u8,
}

/// An unknown code.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown error `{}`", .0.escape_debug())]
pub struct UnknownErrorCode(String);

impl ErrorCode {
    /// Every code.
    pub const ALL: [Self; 9] = [
        Self::RedisUnavailable,
        Self::OwnershipDenied,
        Self::AgentNotFound,
        Self::DuplicateInstance,
        Self::ConfigInvalid,
        Self::PromptProtectedViolation,
        Self::KbIngestDenied,
        Self::ToolDenied,
        Self::Timeout,
    ];

    /// Returns the code.
    pub fn as_str(self) -> &'static str {
        self.properties().code
    }

    /// Returns the meaning.
    pub fn meaning(self) -> &'static str {
        self.properties().meaning
    }

    /// Returns the most common cause.
    pub fn cause(self) -> &'static str {
        self.properties().cause
    }

    /// Returns how to resolve it.
    pub fn resolution(self) -> &'static str {
        self.properties().resolution
    }

    /// Returns the exit code of a console or an agent that ends with this error.
    pub fn exit_code(self) -> u8 {
        self.properties().exit_code
    }

    fn properties(self) -> Properties {
        match self {
            Self::RedisUnavailable => Properties {
                code: "redis.unavailable",
                meaning: "Redis cannot be reached",
                cause: "a wrong URL, or the server is down",
                resolution: "check `ATEAM_REDIS_URL`, and that the server runs",
                exit_code: 2,
            },
            Self::OwnershipDenied => Properties {
                code: "ownership.denied",
                meaning: "another console owns the agent",
                cause: "the agent is attached elsewhere",
                resolution: "attach with `--takeover`, or detach the other console",
                exit_code: 3,
            },
            Self::AgentNotFound => Properties {
                code: "agent.not_found",
                meaning: "no agent has this id",
                cause: "a typo in the name, or the agent is offline",
                resolution: "list the agents again, and check their heartbeats",
                exit_code: 4,
            },
            Self::DuplicateInstance => Properties {
                code: "duplicate.instance",
                meaning: "the instance lock is held",
                cause: "the agent is already running",
                resolution: "stop the other instance, or use another Redis",
                exit_code: 11,
            },
            Self::ConfigInvalid => Properties {
                code: "config.invalid",
                meaning: "a file is not valid",
                cause: "a key is missing",
                resolution: "run `minds check`, and fix its findings",
                exit_code: 12,
            },
            Self::PromptProtectedViolation => Properties {
                code: "prompt.protected_violation",
                meaning: "an edit touches a protected block of a prompt",
                cause: "the block was edited by hand",
                resolution: "restore the protected block",
                exit_code: 1,
            },
            Self::KbIngestDenied => Properties {
                code: "kb.ingest.denied",
                meaning: "a path is outside the sandbox",
                cause: "the path policy",
                resolution: "add the path to `fs.whitelist`, or move the file",
                exit_code: 1,
            },
            Self::ToolDenied => Properties {
                code: "tool.denied",
                meaning: "the agent does not have the tool",
                cause: "the tool is missing in an allow list, or is in a deny list",
                resolution: "add the tool to `tools.allow` of `agent.yaml`",
                exit_code: 1,
            },
            Self::Timeout => Properties {
                code: "timeout",
                meaning: "no answer before the timeout",
                cause: "a slow tool",
                resolution: "increase the timeout, or check the log of the agent",
                exit_code: 1,
            },
        }
    }
}

impl fmt::Display for ErrorCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for ErrorCode {
    type Err = UnknownErrorCode;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let known = Self::ALL.into_iter().find(|code| code.as_str() == text);
        known.ok_or_else(|| UnknownErrorCode(text.chars().take(80).collect()))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn codes_are_unique_and_parsed() {
        let codes: BTreeSet<&str> = ErrorCode::ALL.iter().map(|code| code.as_str()).collect();
        assert_eq!(codes.len(), ErrorCode::ALL.len());
        for code in ErrorCode::ALL {
            assert_eq!(code.to_string().parse(), Ok(code));
            assert!([code.meaning(), code.cause(), code.resolution()].iter().all(|text| !text.is_empty()));
            assert_ne!(code.exit_code(), 0);
        }
        assert!("agent.duplicate".parse::<ErrorCode>().is_err());
    }
}
