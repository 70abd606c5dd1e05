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
    /// The agent has no method of this name.
    #[serde(rename = "no_such_method")]
    NoSuchMethod,
    /// An argument is missing, has another type, or names an unknown item.
    #[serde(rename = "args.invalid")]
    ArgsInvalid,
    /// A message has more than 262,144 bytes.
    #[serde(rename = "payload.too_large")]
    PayloadTooLarge,
    /// The command needs an attached agent.
    #[serde(rename = "not_attached")]
    NotAttached,
    /// The agent failed to perform the request.
    #[serde(rename = "handler.error")]
    HandlerError,
    /// The agent accepts no further work at present.
    #[serde(rename = "busy")]
    Busy,
    /// A bootstrap token is missing, used, expired, or of another agent.
    #[serde(rename = "bootstrap.invalid")]
    BootstrapInvalid,
    /// None of the document ids exists.
    #[serde(rename = "kb.id.unknown")]
    KbIdUnknown,
    /// The model cannot be used.
    #[serde(rename = "model.unavailable")]
    ModelUnavailable,
}

/// Whether a client may send a request again after an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Retry {
    /// Once, at once, with the same request id: the request has not arrived, or its duplicate is recognized.
    Once,
    /// After some time, as a new request that the user asks for: nothing has been changed.
    Later,
    /// Not without a change: it would fail again, or the effect may already have happened.
    Never,
}

/// The properties of a code.
struct Properties {
    code: &'static str,
    meaning: &'static str,
    cause: &'static str,
    resolution: &'static str,
    exit_code: u8,
    retry: Retry,
}

/// An unknown code.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown error `{}`", .0.escape_debug())]
pub struct UnknownErrorCode(String);

impl ErrorCode {
    /// Every code.
    pub const ALL: [Self; 18] = [
        Self::RedisUnavailable,
        Self::OwnershipDenied,
        Self::AgentNotFound,
        Self::DuplicateInstance,
        Self::ConfigInvalid,
        Self::PromptProtectedViolation,
        Self::KbIngestDenied,
        Self::ToolDenied,
        Self::Timeout,
        Self::NoSuchMethod,
        Self::ArgsInvalid,
        Self::PayloadTooLarge,
        Self::NotAttached,
        Self::HandlerError,
        Self::Busy,
        Self::BootstrapInvalid,
        Self::KbIdUnknown,
        Self::ModelUnavailable,
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

    /// Returns whether a client may send the request again.
    pub fn retry(self) -> Retry {
        self.properties().retry
    }

    #[expect(clippy::too_many_lines, reason = "a table: one row per code")]
    fn properties(self) -> Properties {
        match self {
            Self::RedisUnavailable => Properties {
                code: "redis.unavailable",
                meaning: "Redis cannot be reached",
                cause: "a wrong URL, or the server is down",
                resolution: "check `ATEAM_REDIS_URL`, and that the server runs",
                exit_code: 2,
                retry: Retry::Once,
            },
            Self::OwnershipDenied => Properties {
                code: "ownership.denied",
                meaning: "another console owns the agent",
                cause: "the agent is attached elsewhere",
                resolution: "attach with `--takeover`, or detach the other console",
                exit_code: 3,
                retry: Retry::Never,
            },
            Self::AgentNotFound => Properties {
                code: "agent.not_found",
                meaning: "no agent has this id",
                cause: "a typo in the name, or the agent is offline",
                resolution: "list the agents again, and check their heartbeats",
                exit_code: 4,
                retry: Retry::Never,
            },
            Self::DuplicateInstance => Properties {
                code: "duplicate.instance",
                meaning: "the instance lock is held",
                cause: "the agent is already running",
                resolution: "stop the other instance, or use another Redis",
                exit_code: 11,
                retry: Retry::Never,
            },
            Self::ConfigInvalid => Properties {
                code: "config.invalid",
                meaning: "a file is not valid",
                cause: "a key is missing",
                resolution: "run `minds check`, and fix its findings",
                exit_code: 12,
                retry: Retry::Never,
            },
            Self::PromptProtectedViolation => Properties {
                code: "prompt.protected_violation",
                meaning: "an edit touches a protected block of a prompt",
                cause: "the block was edited by hand",
                resolution: "restore the protected block",
                exit_code: 1,
                retry: Retry::Never,
            },
            Self::KbIngestDenied => Properties {
                code: "kb.ingest.denied",
                meaning: "a path is outside the sandbox",
                cause: "the path policy",
                resolution: "add the path to `fs.whitelist`, or move the file",
                exit_code: 1,
                retry: Retry::Never,
            },
            Self::ToolDenied => Properties {
                code: "tool.denied",
                meaning: "the agent does not have the tool",
                cause: "the tool is missing in an allow list, or is in a deny list",
                resolution: "add the tool to `tools.allow` of `agent.yaml`",
                exit_code: 1,
                retry: Retry::Never,
            },
            Self::Timeout => Properties {
                code: "timeout",
                meaning: "no answer before the timeout",
                cause: "a slow tool",
                resolution: "increase the timeout, or check the log of the agent",
                exit_code: 1,
                retry: Retry::Never,
            },
            Self::NoSuchMethod => Properties {
                code: "no_such_method",
                meaning: "unknown method",
                cause: "a typo, or an agent of an older version",
                resolution: "check the name, or update the agent",
                exit_code: 1,
                retry: Retry::Never,
            },
            Self::ArgsInvalid => Properties {
                code: "args.invalid",
                meaning: "an argument is missing, has another type, or names an unknown item",
                cause: "a typo in an argument, or a client of another version",
                resolution: "fix the argument that the message names",
                exit_code: 2,
                retry: Retry::Never,
            },
            Self::PayloadTooLarge => Properties {
                code: "payload.too_large",
                meaning: "a message has more than 262,144 bytes",
                cause: "a long text or many documents in one request",
                resolution: "split the request, or pass a path instead of the content",
                exit_code: 1,
                retry: Retry::Never,
            },
            Self::NotAttached => Properties {
                code: "not_attached",
                meaning: "the command needs an attached agent",
                cause: "no agent is attached to the console",
                resolution: "attach an agent with `/attach`",
                exit_code: 1,
                retry: Retry::Never,
            },
            Self::HandlerError => Properties {
                code: "handler.error",
                meaning: "the agent failed to perform the request",
                cause: "a full disk, or a defect",
                resolution: "check the log of the agent, and free disk space",
                exit_code: 1,
                retry: Retry::Later,
            },
            Self::Busy => Properties {
                code: "busy",
                meaning: "the agent accepts no further work at present",
                cause: "a full queue or context, or the agent is shutting down",
                resolution: "wait for the queue, or start another agent",
                exit_code: 1,
                retry: Retry::Later,
            },
            Self::BootstrapInvalid => Properties {
                code: "bootstrap.invalid",
                meaning: "a bootstrap token is missing, used, expired, or of another agent",
                cause: "the token was issued more than five minutes ago",
                resolution: "issue a token with `minds-fleet token`",
                exit_code: 12,
                retry: Retry::Never,
            },
            Self::KbIdUnknown => Properties {
                code: "kb.id.unknown",
                meaning: "none of the document ids exists",
                cause: "a typo, or the documents were removed",
                resolution: "list the documents with `/kb list`",
                exit_code: 1,
                retry: Retry::Never,
            },
            Self::ModelUnavailable => Properties {
                code: "model.unavailable",
                meaning: "the model cannot be used",
                cause: "a missing key, an unknown provider, or an outage",
                resolution: "check the key and the provider with `minds-fleet doctor`",
                exit_code: 1,
                retry: Retry::Later,
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
