//! The content of `mcp.yaml`.

use minds_document::json_schema::{Keywords as _, Schema, string_values};
use minds_document::yaml::KeyOrder;
use minds_document::{Decode, Field, Keys, List, Spanned, inline_schema};

use super::ServerUrl;
use super::decode::{
    any_mapping, any_mapping_schema, command, manual, manual_schema, names, names_schema, not_blank_schema,
    servers, servers_schema, transforms, transforms_schema, version, version_schema,
};
use super::settings::{HeaderVariable, Variable, env, env_schema, headers, headers_schema};
use super::transform::TRANSFORMS;
use crate::EnvVar;
use crate::string_values::decode_non_blank;

/// Servers that provide tools through the Model Context Protocol.
///
/// The content of `mcp.yaml`.
#[derive(Debug, Default, Keys)]
#[keys(title = "minds mcp", describe)]
pub struct Mcp {
    /// The version of the format.
    ///
    /// There is only one, so the value is not stored.
    #[key(required, decode = version, schema = version_schema)]
    pub version: Field<()>,
    /// The servers by id; each is a toolset with its id as the name.
    ///
    /// Only the place is here; unreadable if it is not a mapping.
    #[key(name = "servers", decode = servers, schema = servers_schema, order = KeyOrder::named::<ServerFields>())]
    pub servers_field: Field<()>,
    /// The servers in file order.
    #[key(skip)]
    pub servers: Vec<Server>,
    /// Whether the list is complete: no server is outside of `servers`, and no merge key could add one.
    #[key(skip)]
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
#[derive(Debug, Default, Keys)]
#[keys(title = "server", define = "server", extend = require_for_transport)]
pub struct ServerFields {
    /// The transport of the server.
    #[key(required)]
    pub transport: Field<Transport>,
    /// Whether one connection serves all conversations; the format uses this spelling.
    #[key(name = "truely-stateless", default = false)]
    pub truely_stateless: Field<bool>,
    /// The program, for `stdio`.
    ///
    /// Not blank.
    #[key(decode = command, schema = not_blank_schema, examples = ["npx"])]
    pub command: Field<String>,
    /// The arguments of the program.
    pub args: Field<List<String>>,
    /// Environment variables of the program, in addition to those that it inherits.
    #[key(decode = env, schema = env_schema, order = KeyOrder::named::<Variable>())]
    pub env: Field<Vec<Setting>>,
    /// The working directory of the program, relative to the workspace, which is the default.
    ///
    /// Not blank.
    #[key(decode = decode_non_blank, schema = not_blank_schema)]
    pub cwd: Field<String>,
    /// The URL, for `streamable_http`.
    pub url: Field<ServerUrl>,
    /// Headers of each request.
    #[key(decode = headers, schema = headers_schema, order = KeyOrder::named::<HeaderVariable>())]
    pub headers: Field<Vec<Setting>>,
    /// The session to resume; blank for none.
    #[key(name = "sessionId")]
    pub session_id: Field<String>,
    /// The filter of the tools that are offered to members.
    pub tools: Field<ToolFilter>,
    /// The renaming steps of tools.
    #[key(decode = transforms, schema = transforms_schema, order = TRANSFORMS)]
    pub transform: Field<List<Transform>>,
    /// Whether the server is enabled.
    #[key(default = true)]
    pub enabled: Field<bool>,
    /// Instructions for members about the tools; only other runtimes use them.
    #[key(decode = manual, schema = manual_schema)]
    pub manual: Field<()>,
    /// The prompts of the server that are offered; only other runtimes offer them.
    #[key(decode = any_mapping, schema = any_mapping_schema)]
    pub prompts: Field<()>,
    /// The resources of the server that are offered; only other runtimes offer them.
    #[key(decode = any_mapping, schema = any_mapping_schema)]
    pub resources: Field<()>,
}

/// Adds what the schema of a server demands for its transport.
fn require_for_transport(schema: Schema) -> Schema {
    schema.require_where("transport", &[Transport::Stdio.as_str()], "command").require_where(
        "transport",
        &[Transport::StreamableHttp.as_str()],
        "url",
    )
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
    /// An environment variable.
    Variable {
        /// Its name.
        name: EnvVar,
        /// The text that is prepended to its value; only for headers.
        prefix: Option<String>,
    },
}

/// The tools of a server that are offered, by their original names. `*` stands for any number of characters.
#[derive(Debug, Default, Keys, Decode)]
#[keys(title = "tools")]
pub struct ToolFilter {
    /// Tools that are always offered; `*` stands for any number of characters.
    ///
    /// Without blank entries.
    #[key(decode = names, schema = names_schema)]
    pub whitelist: Field<List<String>>,
    /// Tools that are not offered; `*` stands for any number of characters.
    ///
    /// Without blank entries.
    #[key(decode = names, schema = names_schema)]
    pub blacklist: Field<List<String>>,
    /// The renaming steps of these tools, after those of the server.
    #[key(decode = transforms, schema = transforms_schema, order = TRANSFORMS)]
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

    /// Returns what the name used in files means.
    fn summary(self) -> &'static str {
        match self {
            Self::Stdio => "A local program.",
            Self::StreamableHttp => "A URL.",
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

inline_schema!(Transport, |_| string_values(
    Transport::ALL.into_iter().map(|transport| (transport.as_str(), transport.summary()))
));
