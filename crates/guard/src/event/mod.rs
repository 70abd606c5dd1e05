//! Parses hook events: one module per client, with its table of tools.

mod claude_code;
mod codex;
mod copilot;
mod cursor;
mod gemini;
mod opencode;
mod tool;

use serde_json::{Map, Value};

use crate::{Action, ClientId};

/// The maximum size of an event in bytes. Events contain the new content of files, which clients limit to a few megabytes.
pub const MAX_EVENT_BYTES: usize = 16 << 20;

/// A hook event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// The name of the event, as in its own form.
    pub name: String,
    /// The name of the agent that calls the tool; `None` if the event does not name one.
    pub agent: Option<String>,
    /// The working directory, to which paths are relative.
    pub directory: Option<String>,
    /// The name of the tool; `None` if the event is not about a tool call that can be prevented.
    pub tool: Option<String>,
    /// What the call does; empty if it touches no files.
    pub actions: Vec<Action>,
}

impl Event {
    /// Parses an event of a client.
    ///
    /// # Errors
    ///
    /// Returns why it is not an event of this client, as a clause. Such an event must be denied.
    pub fn parse(client: ClientId, input: &[u8]) -> Result<Self, String> {
        if input.len() > MAX_EVENT_BYTES {
            return Err(format!("the event is larger than {} MiB", MAX_EVENT_BYTES >> 20));
        }
        let value: Value =
            serde_json::from_slice(input).map_err(|error| format!("the event is not valid JSON: {error}"))?;
        let Value::Object(fields) = value else { return Err("the event is not an object".to_owned()) };
        let fields = Fields(&fields);
        match client {
            ClientId::ClaudeCode => claude_code::parse(fields),
            ClientId::Codex => codex::parse(fields),
            ClientId::Gemini => gemini::parse(fields),
            ClientId::Cursor => cursor::parse(fields),
            ClientId::Opencode => opencode::parse(fields),
            ClientId::Copilot => copilot::parse(fields),
        }
    }

    /// Returns an event that is not about a tool call.
    fn without_tool(name: &str) -> Self {
        Self { name: name.to_owned(), agent: None, directory: None, tool: None, actions: Vec::new() }
    }
}

/// The fields of an object.
#[derive(Clone, Copy)]
struct Fields<'v>(&'v Map<String, Value>);

impl<'v> Fields<'v> {
    fn get(self, key: &str) -> Option<&'v Value> {
        self.0.get(key).filter(|value| !value.is_null())
    }

    /// Returns a string; `None` if it is absent or null.
    fn text(self, key: &str) -> Result<Option<&'v str>, String> {
        match self.get(key) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(_) => Err(format!("`{key}` is not a string")),
        }
    }

    fn required_text(self, key: &str) -> Result<&'v str, String> {
        self.text(key)?.ok_or_else(|| format!("`{key}` is missing"))
    }

    /// Returns an object.
    fn object(self, key: &str) -> Result<Fields<'v>, String> {
        match self.get(key) {
            Some(Value::Object(fields)) => Ok(Fields(fields)),
            Some(_) => Err(format!("`{key}` is not an object")),
            None => Err(format!("`{key}` is missing")),
        }
    }
}

/// Parses an event in the form that Claude Code introduced and other clients adopted.
///
/// `tool_events` are about a tool call that can be prevented, `other_events` are not.
fn parse_common(
    fields: Fields<'_>,
    tool_events: &[&str],
    other_events: &[&str],
    tools: &[tool::Tool],
    foreign: tool::Foreign,
) -> Result<Event, String> {
    let name = fields.required_text("hook_event_name")?;
    if other_events.contains(&name) {
        return Ok(Event::without_tool(name));
    }
    if !tool_events.contains(&name) {
        return Err(format!("unknown event `{}`", name.escape_debug()));
    }
    let tool = fields.required_text("tool_name")?;
    let actions = tool::actions(tools, foreign, tool, fields.object("tool_input")?)?;
    Ok(Event {
        name: name.to_owned(),
        agent: fields.text("agent_type")?.map(str::to_owned),
        directory: fields.text("cwd")?.map(str::to_owned),
        tool: Some(tool.to_owned()),
        actions,
    })
}
