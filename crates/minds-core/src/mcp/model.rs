//! The servers as their file says them.

use minds_document::{Field, List, Spanned};

use super::ServerUrl;
use crate::EnvVar;

/// What `mcp.yaml` says.
#[derive(Debug, Default)]
pub struct Mcp {
    /// The servers, in the order of the file.
    pub servers: Vec<Server>,
    /// The place of `servers`, if it is there; unreadable if it is no mapping.
    pub servers_field: Field<()>,
    /// Whether all servers are among these: none stands outside of `servers`, and none may come from elsewhere.
    pub is_complete: bool,
}

/// An entry of `servers`.
#[derive(Debug)]
pub struct Server {
    /// The id, at its place: the name of the toolset.
    pub id: Spanned<String>,
    /// What it says; unreadable if it is no mapping.
    pub fields: Field<ServerFields>,
}

/// What a server says.
///
/// What belongs to the other transport was reported, is not read, and is absent here.
#[derive(Debug, Default)]
pub struct ServerFields {
    /// How the server is reached.
    pub transport: Field<Transport>,
    /// Whether one connection serves all; the key is spelt `truely-stateless`.
    pub truely_stateless: Field<bool>,
    /// The program, for [`Transport::Stdio`]. Not blank.
    pub command: Field<String>,
    /// The arguments of the program.
    pub args: Field<List<String>>,
    /// The environment of the program, beside that of the runtime.
    pub env: Field<Vec<Setting>>,
    /// The directory in which the program runs. Not blank.
    pub cwd: Field<String>,
    /// The address, for [`Transport::StreamableHttp`].
    pub url: Field<ServerUrl>,
    /// Headers of each request.
    pub headers: Field<Vec<Setting>>,
    /// The session to resume; a blank text is the same as none.
    pub session_id: Field<String>,
    /// Which tools are offered to members.
    pub tools: Field<ToolFilter>,
    /// How tools are renamed, step by step.
    pub transform: Field<List<Transform>>,
    /// Whether the server is used at all.
    pub enabled: Field<bool>,
    /// Where it says what members are told about the tools.
    pub manual: Field<()>,
    /// Where it says which prompts of the server are offered.
    pub prompts: Field<()>,
    /// Where it says which resources of the server are offered.
    pub resources: Field<()>,
}

/// How a server is reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Transport {
    /// `stdio`: a program that is started.
    Stdio,
    /// `streamable_http`: an address.
    StreamableHttp,
}

/// An environment variable of a program, or a header of a request.
#[derive(Debug)]
pub struct Setting {
    /// The name, at its place.
    pub name: Spanned<String>,
    /// The value.
    pub value: Field<SettingValue>,
}

/// Where the value of a setting comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SettingValue {
    /// The file itself.
    Literal(String),
    /// An environment variable of the runtime.
    Variable {
        /// Its name.
        name: EnvVar,
        /// What is put before its value; only headers have this.
        prefix: Option<String>,
    },
}

/// Which tools of a server are offered, by their original names. `*` stands for any run of characters.
#[derive(Debug, Default)]
pub struct ToolFilter {
    /// Tools that are offered whatever else is said; blank entries are gone.
    pub whitelist: Field<List<String>>,
    /// Tools that are not offered; blank entries are gone.
    pub blacklist: Field<List<String>>,
    /// How these tools are renamed.
    pub transform: Field<List<Transform>>,
}

/// One step of renaming a tool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Transform {
    /// Puts a text before the name.
    Prefix(String),
    /// Removes a text from the beginning of the name, if it is there, and puts another one there in any case.
    ReplacePrefix {
        /// What is removed.
        remove: String,
        /// What is put there.
        add: String,
    },
    /// Puts a text behind the name.
    Suffix(String),
}

impl Transport {
    /// Every transport.
    pub const ALL: [Self; 2] = [Self::Stdio, Self::StreamableHttp];

    /// Returns the name that files use.
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
