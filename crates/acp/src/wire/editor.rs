//! The messages of a server to its editor, and those of the editor.

use agent_client_protocol_schema as schema;
use schema::{
    AgentCapabilities, ContentBlock, ContentChunk, Implementation, InitializeResponse, NewSessionResponse,
    PermissionOption, PermissionOptionKind, PromptCapabilities, PromptRequest, PromptResponse,
    ProtocolVersion, RequestPermissionOutcome, RequestPermissionRequest, RequestPermissionResponse,
    SessionNotification, SessionUpdate, StopReason, TextContent, ToolCall, ToolCallContent, ToolCallStatus,
    ToolCallUpdate, ToolCallUpdateFields,
};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::{NAME, Stop, WireError, block_text, read};
use crate::permissions::ToolKind;

/// The ids of the options of a question to an editor.
const ALLOW: &str = "allow";
const REJECT: &str = "reject";

/// Returns what an agent of a fleet can do, for an editor.
pub(crate) fn agent_description() -> impl Serialize + use<> {
    let prompts = PromptCapabilities::new().embedded_context(true);
    let capabilities = AgentCapabilities::new().load_session(true).prompt_capabilities(prompts);
    let info = Implementation::new(NAME, env!("CARGO_PKG_VERSION"));
    InitializeResponse::new(ProtocolVersion::V1).agent_capabilities(capabilities).agent_info(info)
}

pub(crate) fn session_opened(session: &str) -> impl Serialize + use<> {
    NewSessionResponse::new(session.to_owned())
}

/// Reads the session and the text of a prompt.
pub(crate) fn read_prompt(params: &RawValue) -> Result<(String, String), WireError> {
    let request: PromptRequest = read(params)?;
    let mut texts = Vec::with_capacity(request.prompt.len());
    for block in &request.prompt {
        let Some(text) = block_text(block) else {
            return Err(WireError("only text, links and embedded text can be a part of a prompt".to_owned()));
        };
        texts.push(text);
    }
    Ok((request.session_id.to_string(), texts.join("\n")))
}

/// Reads the session of a message.
pub(crate) fn read_session(params: &RawValue) -> Result<String, WireError> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Session {
        session_id: String,
    }
    read::<Session>(params).map(|session| session.session_id)
}

pub(crate) fn prompt_end(stop: Stop) -> impl Serialize + use<> {
    PromptResponse::new(match stop {
        Stop::EndTurn => StopReason::EndTurn,
        Stop::Limit => StopReason::MaxTurnRequests,
        Stop::Refusal => StopReason::Refusal,
        Stop::Cancelled => StopReason::Cancelled,
    })
}

/// Who wrote text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Writer {
    User,
    Agent,
    /// The agent, about its work.
    Note,
}

pub(crate) fn text_update(session: &str, writer: Writer, text: &str) -> impl Serialize + use<> {
    let chunk = ContentChunk::new(ContentBlock::Text(TextContent::new(text)));
    let update = match writer {
        Writer::User => SessionUpdate::UserMessageChunk(chunk),
        Writer::Agent => SessionUpdate::AgentMessageChunk(chunk),
        Writer::Note => SessionUpdate::AgentThoughtChunk(chunk),
    };
    SessionNotification::new(session.to_owned(), update)
}

pub(crate) fn call_update(
    session: &str,
    id: &str,
    name: &str,
    input: Option<serde_json::Value>,
) -> impl Serialize + use<> {
    let call = ToolCall::new(id.to_owned(), name).kind(kind_to(kind_of_tool(name)));
    let call = call.status(ToolCallStatus::InProgress).raw_input(input);
    SessionNotification::new(session.to_owned(), SessionUpdate::ToolCall(call))
}

pub(crate) fn call_end(session: &str, id: &str, is_ok: bool, output: Option<&str>) -> impl Serialize + use<> {
    let status = if is_ok { ToolCallStatus::Completed } else { ToolCallStatus::Failed };
    let mut fields = ToolCallUpdateFields::new().status(status);
    if let Some(output) = output {
        fields = fields.content(vec![ToolCallContent::from(ContentBlock::Text(TextContent::new(output)))]);
    }
    let update = SessionUpdate::ToolCallUpdate(ToolCallUpdate::new(id.to_owned(), fields));
    SessionNotification::new(session.to_owned(), update)
}

pub(crate) fn ask(session: &str, id: &str, title: &str, body: &str) -> impl Serialize + use<> {
    let content = vec![ToolCallContent::from(ContentBlock::Text(TextContent::new(body)))];
    let fields = ToolCallUpdateFields::new().title(title.to_owned()).content(content);
    let options = vec![
        PermissionOption::new(ALLOW, "Allow", PermissionOptionKind::AllowOnce),
        PermissionOption::new(REJECT, "Reject", PermissionOptionKind::RejectOnce),
    ];
    RequestPermissionRequest::new(session.to_owned(), ToolCallUpdate::new(id.to_owned(), fields), options)
}

/// Reads whether a person has allowed something.
pub(crate) fn read_permission(result: &RawValue) -> bool {
    let response = read::<RequestPermissionResponse>(result);
    response.is_ok_and(|response| match response.outcome {
        RequestPermissionOutcome::Selected(selected) => selected.option_id.to_string() == ALLOW,
        _ => false,
    })
}

/// Returns the kind of a tool of an agent, by its name, or of an engine, whose names are kinds.
fn kind_of_tool(name: &str) -> ToolKind {
    match name.replace('_', ".").as_str() {
        "fs.read" | "fs.list" | "fs.stat" => ToolKind::Read,
        "fs.write" => ToolKind::Edit,
        "os.exec" => ToolKind::Execute,
        "kb.search" => ToolKind::Search,
        _ => ToolKind::ALL.into_iter().find(|kind| kind.as_str() == name).unwrap_or_default(),
    }
}

fn kind_to(kind: ToolKind) -> schema::ToolKind {
    match kind {
        ToolKind::Read => schema::ToolKind::Read,
        ToolKind::Edit => schema::ToolKind::Edit,
        ToolKind::Delete => schema::ToolKind::Delete,
        ToolKind::Move => schema::ToolKind::Move,
        ToolKind::Search => schema::ToolKind::Search,
        ToolKind::Execute => schema::ToolKind::Execute,
        ToolKind::Think => schema::ToolKind::Think,
        ToolKind::Fetch => schema::ToolKind::Fetch,
        ToolKind::SwitchMode => schema::ToolKind::SwitchMode,
        ToolKind::Other => schema::ToolKind::Other,
    }
}
