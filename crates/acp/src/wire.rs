//! The types of the protocol, as the library of its maintainers defines them. Only this module knows it.

pub(crate) mod editor;

use agent_client_protocol_schema as schema;
use schema::{
    AgentCapabilities, CancelNotification, ContentBlock, ContentChunk, EmbeddedResourceResource,
    Implementation, InitializeRequest, InitializeResponse, LoadSessionRequest, NewSessionRequest,
    NewSessionResponse, PermissionOptionKind, PromptRequest, PromptResponse, ProtocolVersion,
    RequestPermissionOutcome, RequestPermissionRequest, RequestPermissionResponse, ResumeSessionRequest,
    SelectedPermissionOutcome, SessionConfigKind, SessionConfigOption, SessionConfigOptionCategory,
    SessionConfigSelectOptions, SessionNotification, SessionUpdate, SetSessionConfigOptionRequest,
    SetSessionModeRequest, StopReason, TextContent, ToolCallContent, ToolCallStatus, ToolCallUpdate,
    ToolCallUpdateFields,
};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::client::{McpServer, Opening};
use crate::permissions::ToolKind;

/// The name of a client, and the title that people see.
const NAME: &str = "minds-fleet";
/// The longest part of a title that is kept, in characters.
const MAX_TITLE: usize = 200;

/// What a program can do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Capabilities {
    pub(crate) resumes: bool,
    pub(crate) loads: bool,
}

/// A session that was opened.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Opened {
    /// Its id; none for one that had an id before.
    pub(crate) session: Option<String>,
    /// The setting for the model and its values.
    pub(crate) model: Option<(String, Vec<String>)>,
}

/// What a program reports.
#[derive(Debug)]
pub(crate) enum Update {
    Text(String),
    Call(CallUpdate),
    Usage { used: u64, size: u64 },
}

/// What is known of a tool call.
#[derive(Debug, Default)]
pub(crate) struct CallUpdate {
    pub(crate) id: String,
    pub(crate) title: Option<String>,
    pub(crate) kind: Option<ToolKind>,
    /// Whether it has succeeded; none while it runs.
    pub(crate) end: Option<bool>,
    /// Its arguments.
    pub(crate) input: Option<serde_json::Value>,
    /// What it has returned.
    pub(crate) output: Option<String>,
}

/// A question of a program.
#[derive(Debug)]
pub(crate) struct Question {
    pub(crate) session: String,
    pub(crate) call: CallUpdate,
    /// The id of the option that allows the call once, and of the one that rejects it once.
    pub(crate) allow_once: Option<String>,
    pub(crate) reject_once: Option<String>,
}

/// Why a program ended its turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stop {
    EndTurn,
    Limit,
    Refusal,
    Cancelled,
}

/// Why a message cannot be used.
#[derive(Debug)]
pub(crate) struct WireError(pub(crate) String);

fn read<'p, T: Deserialize<'p>>(params: &'p RawValue) -> Result<T, WireError> {
    serde_json::from_str(params.get()).map_err(|error| WireError(error.to_string()))
}

pub(crate) fn initialize() -> impl Serialize + use<> {
    let info = Implementation::new(NAME, env!("CARGO_PKG_VERSION"));
    // Neither files nor terminals are offered: they would act outside of the sandbox of the program.
    InitializeRequest::new(ProtocolVersion::V1).client_info(info)
}

pub(crate) fn read_initialized(result: &RawValue) -> Result<Capabilities, WireError> {
    let response: InitializeResponse = read(result)?;
    if response.protocol_version != ProtocolVersion::V1 {
        let version = response.protocol_version;
        return Err(WireError(format!("it uses version {version} of the protocol, and only 1 is supported")));
    }
    let AgentCapabilities { load_session, session_capabilities, .. } = response.agent_capabilities;
    Ok(Capabilities { resumes: session_capabilities.resume.is_some(), loads: load_session })
}

fn servers(servers: &[McpServer]) -> Vec<schema::McpServer> {
    let server = |server: &McpServer| {
        let stdio = schema::McpServerStdio::new(server.name.clone(), server.command.clone());
        schema::McpServer::Stdio(stdio.args(server.args.clone()))
    };
    servers.iter().map(server).collect()
}

pub(crate) fn new_session(opening: &Opening) -> impl Serialize + use<> {
    let request = NewSessionRequest::new(opening.cwd.clone()).mcp_servers(servers(&opening.servers));
    request.meta(opening.meta.clone())
}

pub(crate) fn resume_session(session: &str, opening: &Opening) -> impl Serialize + use<> {
    let request = ResumeSessionRequest::new(session.to_owned(), opening.cwd.clone());
    request.mcp_servers(servers(&opening.servers)).meta(opening.meta.clone())
}

pub(crate) fn load_session(session: &str, opening: &Opening) -> impl Serialize + use<> {
    let request = LoadSessionRequest::new(session.to_owned(), opening.cwd.clone());
    request.mcp_servers(servers(&opening.servers)).meta(opening.meta.clone())
}

pub(crate) fn read_new_session(result: &RawValue) -> Result<Opened, WireError> {
    let response: NewSessionResponse = read(result)?;
    let session = Some(response.session_id.to_string());
    Ok(Opened { session, model: response.config_options.as_deref().and_then(find_model) })
}

/// Reads the answer to a resumed or loaded session, of which only the settings are of use.
pub(crate) fn read_old_session(result: &RawValue) -> Opened {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Settings {
        config_options: Option<Vec<SessionConfigOption>>,
    }
    let settings = read::<Settings>(result).ok().and_then(|settings| settings.config_options);
    Opened { session: None, model: settings.as_deref().and_then(find_model) }
}

fn find_model(options: &[SessionConfigOption]) -> Option<(String, Vec<String>)> {
    let option = options.iter().find(|option| option.category == Some(SessionConfigOptionCategory::Model))?;
    let SessionConfigKind::Select(select) = &option.kind else { return None };
    let values = match &select.options {
        SessionConfigSelectOptions::Ungrouped(options) => {
            options.iter().map(|option| option.value.to_string()).collect()
        }
        SessionConfigSelectOptions::Grouped(groups) => {
            let options = groups.iter().flat_map(|group| &group.options);
            options.map(|option| option.value.to_string()).collect()
        }
        _ => Vec::new(),
    };
    Some((option.id.to_string(), values))
}

pub(crate) fn set_option(session: &str, option: &str, value: &str) -> impl Serialize + use<> {
    SetSessionConfigOptionRequest::new(session.to_owned(), option.to_owned(), value.to_owned())
}

pub(crate) fn set_mode(session: &str, mode: &str) -> impl Serialize + use<> {
    SetSessionModeRequest::new(session.to_owned(), mode.to_owned())
}

pub(crate) fn prompt(session: &str, blocks: &[String]) -> impl Serialize + use<> {
    let block = |text: &String| ContentBlock::Text(TextContent::new(text.clone()));
    PromptRequest::new(session.to_owned(), blocks.iter().map(block).collect())
}

pub(crate) fn cancel(session: &str) -> impl Serialize + use<> {
    CancelNotification::new(session.to_owned())
}

pub(crate) fn read_stop(result: &RawValue) -> Result<Stop, WireError> {
    let response: PromptResponse = read(result)?;
    Ok(match response.stop_reason {
        StopReason::MaxTokens | StopReason::MaxTurnRequests => Stop::Limit,
        StopReason::Refusal => Stop::Refusal,
        StopReason::Cancelled => Stop::Cancelled,
        _ => Stop::EndTurn,
    })
}

/// Reads a report; none if it is of no use or of a later version. Returns its session, too.
pub(crate) fn read_update(params: &RawValue) -> Option<(String, Update)> {
    let notification: SessionNotification = read(params).ok()?;
    let update = match notification.update {
        SessionUpdate::AgentMessageChunk(ContentChunk { content: ContentBlock::Text(text), .. }) => {
            Update::Text(text.text)
        }
        SessionUpdate::ToolCall(call) => Update::Call(describe(call.into())),
        SessionUpdate::ToolCallUpdate(update) => Update::Call(describe(update)),
        SessionUpdate::UsageUpdate(usage) => Update::Usage { used: usage.used, size: usage.size },
        _ => return None,
    };
    Some((notification.session_id.to_string(), update))
}

pub(crate) fn read_question(params: &RawValue) -> Result<Question, WireError> {
    let request: RequestPermissionRequest = read(params)?;
    let option = |kind: PermissionOptionKind| {
        let option = request.options.iter().find(|option| option.kind == kind);
        option.map(|option| option.option_id.to_string())
    };
    Ok(Question {
        allow_once: option(PermissionOptionKind::AllowOnce),
        reject_once: option(PermissionOptionKind::RejectOnce),
        session: request.session_id.to_string(),
        call: describe(request.tool_call),
    })
}

/// Returns the answer to a question: an option, or that the turn was cancelled.
pub(crate) fn permission(option: Option<String>) -> impl Serialize + use<> {
    RequestPermissionResponse::new(match option {
        Some(option) => RequestPermissionOutcome::Selected(SelectedPermissionOutcome::new(option)),
        None => RequestPermissionOutcome::Cancelled,
    })
}

fn describe(update: ToolCallUpdate) -> CallUpdate {
    let ToolCallUpdateFields { kind, status, title, content, raw_input, raw_output, .. } = update.fields;
    let end = match status {
        Some(ToolCallStatus::Completed) => Some(true),
        Some(ToolCallStatus::Failed) => Some(false),
        _ => None,
    };
    let text = content.map(|content| content.iter().filter_map(content_text).collect::<Vec<_>>().join("\n"));
    let raw = || raw_output.map(|value| value.as_str().map_or_else(|| value.to_string(), str::to_owned));
    CallUpdate {
        id: update.tool_call_id.to_string(),
        title: title.map(|title| title.chars().take(MAX_TITLE).collect()),
        kind: kind.map(kind_of),
        end,
        input: raw_input,
        output: text.filter(|text| !text.is_empty()).or_else(raw),
    }
}

fn content_text(content: &ToolCallContent) -> Option<String> {
    match content {
        ToolCallContent::Content(content) => block_text(&content.content),
        ToolCallContent::Diff(diff) => Some(format!("changed `{}`", diff.path.display())),
        _ => None,
    }
}

fn block_text(block: &ContentBlock) -> Option<String> {
    match block {
        ContentBlock::Text(text) => Some(text.text.clone()),
        ContentBlock::ResourceLink(link) => Some(link.uri.clone()),
        ContentBlock::Resource(resource) => match &resource.resource {
            EmbeddedResourceResource::TextResourceContents(contents) => {
                Some(format!("{}\n{}", contents.uri, contents.text))
            }
            _ => None,
        },
        _ => None,
    }
}

fn kind_of(kind: schema::ToolKind) -> ToolKind {
    match kind {
        schema::ToolKind::Read => ToolKind::Read,
        schema::ToolKind::Edit => ToolKind::Edit,
        schema::ToolKind::Delete => ToolKind::Delete,
        schema::ToolKind::Move => ToolKind::Move,
        schema::ToolKind::Search => ToolKind::Search,
        schema::ToolKind::Execute => ToolKind::Execute,
        schema::ToolKind::Think => ToolKind::Think,
        schema::ToolKind::Fetch => ToolKind::Fetch,
        schema::ToolKind::SwitchMode => ToolKind::SwitchMode,
        _ => ToolKind::Other,
    }
}
