//! The content of `tools.yaml`.

use minds_document::json_schema::string_values;
use minds_document::{Decode, EnvVar, Field, Keys, List, inline_schema};

use crate::decode::{
    expressions, expressions_schema, transport_name, transport_name_schema, transport_prefix,
    transport_prefix_schema, transport_text, transport_text_schema, transport_url, transport_url_schema,
};
use crate::scalars::{not_blank, not_blank_schema};
use crate::tools::ToolLists;

/// The default URL of a Redis server.
pub(crate) const DEFAULT_URL: &str = "redis://127.0.0.1:6379/0";
/// The default prefix of keys and channels on a Redis server.
pub(crate) const DEFAULT_PREFIX: &str = "mcp:";
/// Whether a password may be sent without encryption by default.
pub(crate) const DEFAULT_ALLOW_PLAINTEXT: bool = false;
/// Whether documents may be fetched from URLs by default.
pub(crate) const DEFAULT_ALLOW_URLS: bool = false;
/// The default time in which tokens are joined, in milliseconds.
pub(crate) const DEFAULT_TAIL_COALESCE_MS: i64 = 50;
/// The default time after which incomplete lines are sent, in milliseconds.
pub(crate) const DEFAULT_PARTIAL_FLUSH_MS: i64 = 40;
/// The default maximum size of a history: 50 MiB.
pub(crate) const DEFAULT_HISTORY_MAX_BYTES: i64 = 52_428_800;
/// The default length of a summary, in tokens.
pub(crate) const DEFAULT_SUMMARY_TARGET_TOKENS: i64 = 400;
/// The default timeout of a request, in seconds.
pub(crate) const DEFAULT_CONSOLE_RPC_TIMEOUT: i64 = 15;
/// The default time until a takeover is final, in seconds.
pub(crate) const DEFAULT_TAKEOVER_GRACE: i64 = 2;

/// The maximum of delays of output, in milliseconds.
const MAX_DELAY_MS: i64 = 1_000;
/// The minimum of the maximum size of a history: 64 KiB.
const MIN_HISTORY_BYTES: i64 = 65_536;
/// The maximum of the maximum size of a history: 1 GiB.
const MAX_HISTORY_BYTES: i64 = 1_073_741_824;
/// The minimum length of a summary, in tokens.
const MIN_SUMMARY_TOKENS: i64 = 50;
/// The maximum length of a summary, in tokens.
const MAX_SUMMARY_TOKENS: i64 = 4_000;
/// The maximum timeout of a request, in seconds.
const MAX_RPC_TIMEOUT: i64 = 3_600;
/// The maximum time until a takeover is final, in seconds: the lifetime of an owner.
const MAX_TAKEOVER_GRACE: i64 = 30;

/// The transport of a fleet, and the tools that its agents may have.
///
/// The content of `tools.yaml`.
#[derive(Debug, Default, Keys)]
#[keys(title = "fleet tools", describe)]
pub struct Tools {
    /// The connection between agents and consoles.
    pub mcp: Field<Mcp>,
    /// The tools that agents may have, regardless of their own lists.
    pub tools: Field<ToolLists>,
    /// Regular expressions of text to redact.
    #[key(decode = expressions, schema = expressions_schema)]
    pub redact: Field<List<String>>,
    /// Requirements for agents that join.
    pub security: Field<Security>,
    /// Settings for the knowledge base.
    pub kb: Field<KnowledgeBase>,
    /// Limits and delays of running agents and consoles.
    pub tuning: Field<Tuning>,
}

/// The connection between agents and consoles.
#[derive(Debug, Default, Keys)]
#[keys(title = "mcp")]
pub struct Mcp {
    /// How agents and consoles reach each other.
    ///
    /// Without it they are on one machine, and need no server.
    pub transport: Field<Transport>,
}

/// How agents and consoles reach each other.
#[derive(Debug, Default, Keys, Decode)]
#[keys(title = "transport")]
pub struct Transport {
    /// The kind; without it a transport with a `url` is `redis`, and any other `local`.
    pub kind: Field<TransportKind>,
    /// The name of the fleet on this machine, for `local`; agents of one name see each other.
    ///
    /// 1 to 64 letters, digits, `_` and `-`. By default it is computed from the path of the workspace.
    #[key(decode = transport_name, schema = transport_name_schema)]
    pub name: Field<String>,
    /// The URL of the server, for `redis`.
    #[key(decode = transport_url, schema = transport_url_schema)]
    pub url: Field<TransportValue>,
    /// The name of the account.
    #[key(decode = transport_text, schema = transport_text_schema)]
    pub username: Field<TransportValue>,
    /// The password of the account.
    #[key(decode = transport_text, schema = transport_text_schema)]
    pub password: Field<TransportValue>,
    /// Whether the connection is encrypted.
    pub tls: Field<bool>,
    /// The file with trusted certificates.
    ///
    /// Not blank.
    #[key(decode = not_blank, schema = not_blank_schema)]
    pub ca_file: Field<String>,
    /// The prefix of keys and channels on the server.
    ///
    /// 1 to 32 letters, digits, `:`, `_` and `-`.
    #[key(decode = transport_prefix, schema = transport_prefix_schema, default = DEFAULT_PREFIX)]
    pub prefix: Field<String>,
    /// Whether a password may be sent without encryption to another machine.
    #[key(default = DEFAULT_ALLOW_PLAINTEXT)]
    pub allow_plaintext: Field<bool>,
}

/// A value of the transport.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TransportValue {
    /// A literal value.
    Literal(String),
    /// An environment variable of the runtime: `{env: NAME}`.
    Variable(EnvVar),
}

/// A reference to an environment variable, in place of a value of the transport.
#[derive(Debug, Keys)]
#[keys(title = "variable")]
pub(crate) struct Variable {
    /// The environment variable of the runtime that contains the value.
    #[key(required)]
    pub(crate) env: Field<EnvVar>,
}

/// A kind of transport.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TransportKind {
    /// `local`: sockets and files of this machine, without a server.
    Local,
    /// `redis`: a Redis server.
    Redis,
}

/// Requirements for agents that join.
#[derive(Debug, Default, Keys, Decode)]
#[keys(title = "security")]
pub struct Security {
    /// Whether an agent needs a token that is used once to join.
    pub require_bootstrap: Field<bool>,
}

/// Settings for the knowledge base.
#[derive(Debug, Default, Keys, Decode)]
#[keys(title = "kb")]
pub struct KnowledgeBase {
    /// Whether documents may be fetched from URLs.
    #[key(default = DEFAULT_ALLOW_URLS)]
    pub allow_urls: Field<bool>,
}

/// Limits and delays of running agents and consoles.
#[derive(Debug, Default, Keys, Decode)]
#[keys(title = "tuning")]
pub struct Tuning {
    /// The time in which tokens are joined, in milliseconds.
    #[key(range = 1..=MAX_DELAY_MS, default = DEFAULT_TAIL_COALESCE_MS)]
    pub tail_coalesce_ms: Field<i64>,
    /// The time after which an incomplete line of a command is sent, in milliseconds.
    #[key(range = 1..=MAX_DELAY_MS, default = DEFAULT_PARTIAL_FLUSH_MS)]
    pub os_exec_partial_flush_ms: Field<i64>,
    /// The size at which a new file of the history is begun, in bytes.
    #[key(range = MIN_HISTORY_BYTES..=MAX_HISTORY_BYTES, default = DEFAULT_HISTORY_MAX_BYTES)]
    pub history_max_bytes: Field<i64>,
    /// The intended length of a summary, in tokens.
    #[key(range = MIN_SUMMARY_TOKENS..=MAX_SUMMARY_TOKENS, default = DEFAULT_SUMMARY_TARGET_TOKENS)]
    pub summary_target_tokens: Field<i64>,
    /// The default timeout of a request, in seconds.
    #[key(range = 1..=MAX_RPC_TIMEOUT, default = DEFAULT_CONSOLE_RPC_TIMEOUT)]
    pub console_rpc_timeout: Field<i64>,
    /// The time that an owner has to release an agent, in seconds.
    #[key(range = 1..=MAX_TAKEOVER_GRACE, default = DEFAULT_TAKEOVER_GRACE)]
    pub ownership_takeover_grace: Field<i64>,
}

impl TransportKind {
    /// Every kind.
    pub const ALL: [Self; 2] = [Self::Local, Self::Redis];

    /// Returns the name that files use.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Local => "local",
            Self::Redis => "redis",
        }
    }
}

inline_schema!(TransportKind, |_| string_values(TransportKind::ALL.map(|kind| (kind.as_str(), ""))));
