//! The content of `mcp.yaml`.

use minds_document::{Field, List, Spanned};

use super::ServerUrl;
use crate::EnvVar;

/// The content of `mcp.yaml`.
#[derive(Debug, Default)]
pub struct Mcp {
    /// The servers in file order.
    pub servers: Vec<Server>,
    /// The place of `servers`, if given; unreadable if it is not a mapping.
    pub servers_field: Field<()>,
    /// Whether the list is complete: no server is outside of `servers`, and no merge key could add one.
    pub is_complete: bool,
}

/// An entry of `servers`.
#[derive(Debug)]
pub struct Server {
    /// The id with its place; also the name of the toolset.
    pub id: Spanned<String>,
    /// Its fields; unreadable if the value is not a mapping.
    pub fields: Field<ServerFields>,
}

/// The fields of a server.
///
/// Fields of the other transport are reported and absent here.
#[derive(Debug, Default)]
pub struct ServerFields {
    /// The transport.
    pub transport: Field<Transport>,
    /// Whether one connection serves all members; the key is spelled `truely-stateless`.
    pub truely_stateless: Field<bool>,
    /// The program, for [`Transport::Stdio`]. Not blank.
    pub command: Field<String>,
    /// The arguments of the program.
    pub args: Field<List<String>>,
    /// Environment variables of the program, in addition to those of the runtime.
    pub env: Field<Vec<Setting>>,
    /// The working directory of the program. Not blank.
    pub cwd: Field<String>,
    /// The URL, for [`Transport::StreamableHttp`].
    pub url: Field<ServerUrl>,
    /// Headers of each request.
    pub headers: Field<Vec<Setting>>,
    /// The session to resume; a blank string is equivalent to no value.
    pub session_id: Field<String>,
    /// The filter of the tools that are offered to members.
    pub tools: Field<ToolFilter>,
    /// The renaming steps of tools.
    pub transform: Field<List<Transform>>,
    /// Whether the server is enabled.
    pub enabled: Field<bool>,
    /// The place of the instructions about the tools.
    pub manual: Field<()>,
    /// The place of the filter of prompts.
    pub prompts: Field<()>,
    /// The place of the filter of resources.
    pub resources: Field<()>,
}

/// The transport of a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Transport {
    /// `stdio`: a local program.
    Stdio,
    /// `streamable_http`: a URL.
    StreamableHttp,
}

/// An environment variable of a program, or a header of a request.
#[derive(Debug)]
pub struct Setting {
    /// The name with its place.
    pub name: Spanned<String>,
    /// The value.
    pub value: Field<SettingValue>,
}

/// The source of the value of a setting.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SettingValue {
    /// A literal value in the file.
    Literal(String),
    /// An environment variable of the runtime.
    Variable {
        /// Its name.
        name: EnvVar,
        /// The text that is prepended to its value; only for headers.
        prefix: Option<String>,
    },
}

/// The tools of a server that are offered, by their original names. `*` stands for any number of characters.
#[derive(Debug, Default)]
pub struct ToolFilter {
    /// Tools that are always offered, without blank entries.
    pub whitelist: Field<List<String>>,
    /// Tools that are not offered, without blank entries.
    pub blacklist: Field<List<String>>,
    /// The renaming steps of these tools.
    pub transform: Field<List<Transform>>,
}

/// A renaming step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Transform {
    /// Prepends a string to the name.
    Prefix(String),
    /// Removes a prefix from the name, if present, and always prepends another one.
    ReplacePrefix {
        /// The prefix to remove.
        remove: String,
        /// The prefix to add.
        add: String,
    },
    /// Appends a string to the name.
    Suffix(String),
}

impl Transport {
    /// Every transport.
    pub const ALL: [Self; 2] = [Self::Stdio, Self::StreamableHttp];

    /// Returns the name used in files.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Stdio => "stdio",
            Self::StreamableHttp => "streamable_http",
        }
    }

    /// Returns the keys that only servers of this transport have.
    pub fn own_keys(self) -> &'static [&'static str] {
        match self {
            Self::Stdio => &["command", "args", "env", "cwd"],
            Self::StreamableHttp => &["url", "headers", "sessionId"],
        }
    }

    /// Returns the other transport.
    pub(crate) fn other(self) -> Self {
        match self {
            Self::Stdio => Self::StreamableHttp,
            Self::StreamableHttp => Self::Stdio,
        }
    }
}
