//! The errors of a fleet at work.

use std::fmt;
use std::str::FromStr;

/// What can go wrong in a fleet, under a code that programs branch on.
///
/// Every place that reports one of these says the code as it is here. The checks of files have codes of their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ErrorCode {
    /// `redis.unavailable`
    RedisUnavailable,
    /// `ownership.denied`
    OwnershipDenied,
    /// `agent.not_found`
    AgentNotFound,
    /// `duplicate.instance`
    DuplicateInstance,
    /// `config.invalid`
    ConfigInvalid,
    /// `prompt.protected_violation`
    PromptProtectedViolation,
    /// `kb.ingest.denied`
    KbIngestDenied,
    /// `tool.denied`
    ToolDenied,
    /// `timeout`
    Timeout,
}

/// What is known about a code.
struct Known {
    code: &'static str,
    meaning: &'static str,
    cause: &'static str,
    resolution: &'static str,
    exit_code: u8,
}

/// A text that is the code of no error.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no error `{}`", .0.escape_debug())]
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
        self.known().code
    }

    /// Returns what happened.
    pub fn meaning(self) -> &'static str {
        self.known().meaning
    }

    /// Returns why it mostly happens.
    pub fn cause(self) -> &'static str {
        self.known().cause
    }

    /// Returns what to do about it.
    pub fn resolution(self) -> &'static str {
        self.known().resolution
    }

    /// Returns the exit code of a console or an agent that ends because of it.
    pub fn exit_code(self) -> u8 {
        self.known().exit_code
    }

    fn known(self) -> Known {
        match self {
            Self::RedisUnavailable => Known {
                code: "redis.unavailable",
                meaning: "Redis cannot be reached",
                cause: "a wrong URL, or the server is down",
                resolution: "check `ATEAM_REDIS_URL`, and whether the service runs",
                exit_code: 2,
            },
            Self::OwnershipDenied => Known {
                code: "ownership.denied",
                meaning: "another console is the writer",
                cause: "the agent is attached elsewhere",
                resolution: "attach with `--takeover`, or detach the other console",
                exit_code: 3,
            },
            Self::AgentNotFound => Known {
                code: "agent.not_found",
                meaning: "there is no agent with this id",
                cause: "a slip in the name, or the agent is offline",
                resolution: "list the agents again, and look at their heartbeats",
                exit_code: 4,
            },
            Self::DuplicateInstance => Known {
                code: "duplicate.instance",
                meaning: "the lock for the only instance is held",
                cause: "the same agent runs already",
                resolution: "stop the other one, or use another Redis",
                exit_code: 11,
            },
            Self::ConfigInvalid => Known {
                code: "config.invalid",
                meaning: "a file is no YAML, or not what it should be",
                cause: "a key is missing",
                resolution: "run `minds check`, and mend what it finds",
                exit_code: 12,
            },
            Self::PromptProtectedViolation => Known {
                code: "prompt.protected_violation",
                meaning: "an edit touches a protected block of a prompt",
                cause: "the block was edited by hand",
                resolution: "put the protected block back as it was",
                exit_code: 1,
            },
            Self::KbIngestDenied => Known {
                code: "kb.ingest.denied",
                meaning: "a path is outside of the sandbox",
                cause: "the policy for paths",
                resolution: "add the path to `fs.whitelist`, or move the file",
                exit_code: 1,
            },
            Self::ToolDenied => Known {
                code: "tool.denied",
                meaning: "the agent does not have the tool",
                cause: "the tool is in no list that allows it, or in one that denies it",
                resolution: "add the tool to `tools.allow` of `agent.yaml`",
                exit_code: 1,
            },
            Self::Timeout => Known {
                code: "timeout",
                meaning: "no answer came in time",
                cause: "a tool that runs long",
                resolution: "give it more time, or look at the log of the agent",
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
    fn codes_are_told_apart_and_read_back() {
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
