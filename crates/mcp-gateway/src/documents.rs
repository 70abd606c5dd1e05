//! What a gateway tells about its servers, for people and programs.

use std::fmt;

use minds_core::mcp::exposure::FilterList;
use minds_diagnostics::{JsonDocument, Severity};
use minds_state::problems::GatewayProblem;
use minds_text::secrets::{TextKind, mask_secrets};
use minds_toolset::ServerState;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// A gateway that runs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct GatewayState {
    /// Its process id.
    pub pid: u32,
    /// When it started, in UTC in the format of RFC 3339.
    pub started_at: String,
    /// Who uses it.
    pub caller: String,
    /// The number of conversations with a connection of their own.
    pub conversations: usize,
    /// Its servers in the order of the file.
    pub servers: Vec<ServerStatus>,
    /// What is wrong at present.
    pub problems: Vec<ProblemEntry>,
}

/// A server of `mcp.yaml`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ServerStatus {
    /// The id, which is also the name of the toolset.
    pub id: String,
    /// `stdio` or `streamable_http`; null if the entry cannot be used.
    pub transport: Option<String>,
    /// Whether the file enables it.
    pub enabled: bool,
    /// The state.
    #[schemars(extend("type" = "string"))]
    pub state: ServerState,
    /// When the state began, in UTC in the format of RFC 3339; null if it never ran.
    pub since: Option<String>,
    /// Identifies the configuration that works; null if none does.
    pub fingerprint: Option<String>,
    /// The revision of the protocol that it speaks.
    pub protocol: Option<String>,
    /// The number of tools that members can have.
    pub tools: usize,
    /// The number of tools that are left out.
    pub skipped: usize,
    /// The number of connections of conversations.
    pub leases: usize,
    /// The number of calls that run.
    pub in_flight: usize,
    /// How often it was started again.
    pub restarts: u64,
    /// Whether its tools are those of an earlier gateway, because it has not started yet.
    pub from_memory: bool,
    /// Why the entry cannot be used, or the last start failed; null if it worked.
    pub last_error: Option<String>,
    /// The last lines that it wrote on standard error or sent as log messages, with secrets redacted.
    pub log: Vec<String>,
}

/// Something that is wrong with a server or the file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ProblemEntry {
    /// The stable id.
    pub id: String,
    /// The code, for `minds explain`.
    pub code: String,
    /// The severity.
    pub severity: Severity,
    /// What is wrong, with secrets redacted.
    pub message: String,
    /// What to do.
    pub help: Option<String>,
}

impl From<GatewayProblem> for ProblemEntry {
    fn from(problem: GatewayProblem) -> Self {
        let GatewayProblem { id, code, severity, message, help } = problem;
        let message = mask_secrets(&message, TextKind::Message).into_owned();
        Self { id, code: code.to_owned(), severity, message, help }
    }
}

/// The tools of a server.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ServerTools {
    /// The id of the server.
    pub id: String,
    /// Its state.
    #[schemars(extend("type" = "string"))]
    pub state: ServerState,
    /// Why the entry cannot be used, or the last start failed; null if it worked.
    pub last_error: Option<String>,
    /// The tools that members can have.
    pub tools: Vec<ToolEntry>,
    /// The tools that are left out.
    pub skipped: Vec<SkippedEntry>,
    /// The entries of `whitelist` and `blacklist` that match no tool.
    pub unmatched: Vec<UnmatchedFilterEntry>,
}

/// A tool of a server. Everything but the name comes from the server and is untrusted.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ToolEntry {
    /// The name under which it is called.
    pub name: String,
    /// The name at the server.
    pub original: String,
    /// The description for models.
    pub description: String,
    /// The schema of the arguments.
    pub input_schema: Map<String, Value>,
    /// The schema of the structured content, if the server declares one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output_schema: Option<Map<String, Value>>,
    /// The hints of the server about the effects.
    pub annotations: Map<String, Value>,
}

/// A tool that is left out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SkippedEntry {
    /// The name at the server.
    pub original: String,
    /// The name after renaming, if the judgement came as far as that.
    pub r#final: Option<String>,
    /// `blacklisted`, `not-whitelisted`, `invalid-name`, `collision` or `invalid-schema`.
    pub reason: String,
    /// The reason as a sentence.
    pub detail: String,
}

/// An entry of a filter that matches no tool.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct UnmatchedFilterEntry {
    /// The list.
    pub list: ListName,
    /// The entry.
    pub entry: String,
}

/// The state of the MCP servers of a workspace.
#[derive(Debug, Serialize, JsonSchema)]
pub struct GatewayStatusDocument {
    /// The gateways that run, those that started first in front.
    pub gateways: Vec<GatewaySummary>,
    /// The servers in the order of the file. With several gateways, numbers are sums, and the state is the worst one.
    pub servers: Vec<ServerStatus>,
    /// What is wrong at present.
    pub problems: Vec<ProblemEntry>,
}

impl JsonDocument for GatewayStatusDocument {
    const NAME: &'static str = "gateway-status";
}

/// A gateway that runs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct GatewaySummary {
    /// Its process id.
    pub pid: u32,
    /// When it started, in UTC in the format of RFC 3339.
    pub started_at: String,
    /// Who uses it.
    pub caller: String,
    /// The number of conversations with a connection of their own.
    pub conversations: usize,
}

/// The tools of MCP servers.
#[derive(Debug, Serialize, JsonSchema)]
pub struct GatewayToolsDocument {
    /// The servers in the order of the file.
    pub servers: Vec<ServerTools>,
}

impl JsonDocument for GatewayToolsDocument {
    const NAME: &'static str = "gateway-tools";
}

/// The restart of an MCP server.
#[derive(Debug, Serialize, JsonSchema)]
pub struct GatewayRestartDocument {
    /// The id of the server.
    pub server: String,
    /// The outcome in each gateway that runs.
    pub gateways: Vec<RestartOutcome>,
}

impl JsonDocument for GatewayRestartDocument {
    const NAME: &'static str = "gateway-restart";
}

/// The outcome of a restart in a gateway.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct RestartOutcome {
    /// The process id of the gateway.
    pub pid: u32,
    /// Whether the server was started.
    pub ok: bool,
    /// The state of the server afterwards; null if the gateway does not tell.
    #[schemars(extend("type" = ["string", "null"]))]
    pub state: Option<ServerState>,
    /// The number of tools that members can have.
    pub tools: usize,
    /// Why it was not started.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// The result of a call of a tool of an MCP server.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GatewayCallDocument {
    /// The outcome.
    pub status: CallStatus,
    /// The name of the tool.
    pub tool: String,
    /// The id of the server.
    pub server: String,
    /// The content blocks of the result.
    pub content: Value,
    /// The structured content of the result.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub structured_content: Option<Value>,
    /// Whether the tool reports an error.
    pub is_error: bool,
}

/// The outcome of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum CallStatus {
    /// The tool reports no error.
    Ok,
    /// The tool reports an error.
    Error,
}

impl JsonDocument for GatewayCallDocument {
    const NAME: &'static str = "gateway-call";
}

/// A list of a filter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ListName {
    /// The tools that are offered in any case.
    Whitelist,
    /// The tools that are not offered.
    Blacklist,
}

impl From<FilterList> for ListName {
    fn from(list: FilterList) -> Self {
        match list {
            FilterList::Whitelist => Self::Whitelist,
            FilterList::Blacklist => Self::Blacklist,
        }
    }
}

impl fmt::Display for ListName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Whitelist => "whitelist",
            Self::Blacklist => "blacklist",
        })
    }
}
