//! Identities: agents, callers, requests, items and traces.

use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A string that is not an id of the expected form.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("invalid {kind} `{}`: {expected}", .value.escape_debug())]
pub struct IdError {
    kind: &'static str,
    expected: &'static str,
    value: String,
}

impl IdError {
    fn new(kind: &'static str, expected: &'static str, value: &str) -> Self {
        Self { kind, expected, value: value.chars().take(80).collect() }
    }
}

/// Declares a string with a checked form.
macro_rules! id {
    ($(#[$doc:meta])* $name:ident, $kind:literal, $expected:literal, $is_valid:expr) => {
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, JsonSchema, Deserialize)]
        #[serde(try_from = "String", into = "String")]
        pub struct $name(String);

        impl $name {
            /// Parses the id.
            ///
            /// # Errors
            ///
            /// Returns an error if the string does not have the form of the type.
            pub fn parse(text: &str) -> Result<Self, IdError> {
                let is_valid: fn(&str) -> bool = $is_valid;
                if is_valid(text) {
                    Ok(Self(text.to_owned()))
                } else {
                    Err(IdError::new($kind, $expected, text))
                }
            }

            /// Returns the id as a string.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl FromStr for $name {
            type Err = IdError;

            fn from_str(text: &str) -> Result<Self, Self::Err> {
                Self::parse(text)
            }
        }

        impl TryFrom<String> for $name {
            type Error = IdError;

            fn try_from(text: String) -> Result<Self, Self::Error> {
                Self::parse(&text)
            }
        }

        impl From<$name> for String {
            fn from(id: $name) -> Self {
                id.0
            }
        }
    };
}

id! {
    /// The id of an agent: `{project}/{agent}`, each 1 to 64 characters of `A-Z`, `a-z`, `0-9`, `_` and `-`.
    ///
    /// Ids are parts of keys, channels and paths, so they contain no separators and no patterns.
    AgentId, "agent id", "expected `project/agent`, each 1 to 64 characters of `A-Za-z0-9_-`", is_agent_id
}

id! {
    /// The sender of a request: 1 to 160 printable ASCII characters without a space, as in `console:s-0f3a5c7e9b1d2468`.
    Caller, "caller", "expected 1 to 160 printable ASCII characters without a space", |text| {
        (1..=160).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_graphic())
    }
}

id! {
    /// The id of a request: 1 to 64 characters of `A-Z`, `a-z`, `0-9`, `.`, `_` and `-`.
    ///
    /// Clients write `r-` and hexadecimal digits; every id of the wider form is read.
    RequestId, "request id", "expected 1 to 64 characters of `A-Za-z0-9._-`", is_token
}

id! {
    /// The id of an item of the queue. Agents write the form of [`ItemId::new`]; every id like that of a request is read.
    ItemId, "item id", "expected 1 to 64 characters of `A-Za-z0-9._-`", is_token
}

id! {
    /// The id that connects what one input causes.
    TraceId, "trace id", "expected 1 to 64 characters of `A-Za-z0-9._-`", is_token
}

id! {
    /// The id of a document in a knowledge base: 1 to 64 characters of `a-z`, `A-Z`, `0-9`, `.`, `_` and `-`.
    DocumentId, "document id", "expected 1 to 64 characters of `A-Za-z0-9._-`", is_token
}

impl AgentId {
    /// Returns the name of the project.
    pub fn project(&self) -> &str {
        self.0.split_once('/').map_or("", |(project, _)| project)
    }

    /// Returns the name of the agent in its project.
    pub fn name(&self) -> &str {
        self.0.split_once('/').map_or("", |(_, name)| name)
    }
}

impl Caller {
    /// Returns the agent that sent a request; `None` for another kind of client.
    pub fn agent(&self) -> Option<AgentId> {
        AgentId::parse(self.0.strip_prefix("agent:")?).ok()
    }
}

impl RequestId {
    /// Makes an id from random bytes: `r-` and 16 hexadecimal digits.
    pub fn new(random: u64) -> Self {
        Self(format!("r-{random:016x}"))
    }
}

impl ItemId {
    /// Makes an id from the time in milliseconds since 1970 and a counter: `q-1790000000260-000`.
    ///
    /// Ids sort by time while the number of milliseconds has 13 digits, which is until the year 2286.
    /// The counter distinguishes the items of one millisecond; its lower 12 bits are used.
    pub fn new(milliseconds: u64, counter: u16) -> Self {
        Self(format!("q-{milliseconds}-{:03x}", counter & 0xfff))
    }
}

impl TraceId {
    /// Makes an id from random bytes: `t-` and 8 hexadecimal digits.
    pub fn new(random: u32) -> Self {
        Self(format!("t-{random:08x}"))
    }
}

fn is_agent_id(text: &str) -> bool {
    let is_name = |name: &str| {
        (1..=64).contains(&name.len())
            && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'))
    };
    text.split_once('/').is_some_and(|(project, name)| is_name(project) && is_name(name))
}

fn is_token(text: &str) -> bool {
    (1..=64).contains(&text.len())
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-'))
}
