//! What a model is asked.

use serde_json::{Map, Value};

/// A request to a model.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ModelRequest {
    /// The name of the model at its provider.
    pub model: String,
    /// The system prompt.
    pub system: String,
    /// The conversation. The last message is not one of the model.
    pub messages: Vec<Message>,
    /// The tools that the model may call.
    pub tools: Vec<ToolDescription>,
    /// Further parameters, for example `max_tokens`.
    pub parameters: Map<String, Value>,
}

/// A message of a conversation.
#[derive(Clone, Debug, PartialEq)]
pub enum Message {
    /// Text of a user.
    User(String),
    /// What the model answered.
    Assistant {
        /// The text.
        text: String,
        /// The tools that it called.
        calls: Vec<ToolCall>,
    },
    /// The result of a tool call.
    ToolResult {
        /// The id of the call.
        call_id: String,
        /// The name of the tool.
        name: String,
        /// The result.
        content: String,
        /// Whether the tool succeeded.
        is_ok: bool,
    },
}

/// A call of a tool.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolCall {
    /// The id, unique in its answer.
    pub id: String,
    /// The name, as the model knows it.
    pub name: String,
    /// The arguments: JSON, or what the model wrote in its place.
    pub arguments: Result<Map<String, Value>, String>,
}

/// A tool that a model may call.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolDescription {
    /// The name: 1 to 64 characters of `A-Za-z0-9_-`.
    pub name: String,
    /// What it does.
    pub description: String,
    /// The JSON Schema of its arguments.
    pub schema: Value,
}

impl Message {
    /// Returns the text.
    pub fn text(&self) -> &str {
        match self {
            Self::User(text) | Self::Assistant { text, .. } => text,
            Self::ToolResult { content, .. } => content,
        }
    }
}
