//! A scripted model with the chat completions of `OpenAI` and the messages of Anthropic, on loopback. What it does is the last
//! prompt of the conversation.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::{Value, json};

use crate::clients::model::anthropic::message;
use crate::clients::model::http::{Request, Response, Server};

/// The longest part of the result of a call that the model repeats, in characters.
const MAX_RESULT: usize = 400;

/// A prompt that lets the model answer with some text.
pub(super) fn reply(text: &str) -> String {
    json!({ "say": text }).to_string()
}

/// A prompt that lets the model begin an answer that does not end.
pub(super) fn hold(text: &str) -> String {
    json!({ "hold": text }).to_string()
}

/// A prompt that lets the model call a tool, and then repeat the result.
pub(super) fn call(tool: &str, arguments: &Value) -> String {
    json!({ "call": tool, "arguments": arguments }).to_string()
}

/// The model, which runs until the value is dropped.
pub(super) struct Model {
    server: Server,
    seen: Arc<Mutex<Requests>>,
}

/// What the model has seen.
#[derive(Default)]
struct Requests {
    /// The conversations that it was asked to continue.
    conversations: Vec<Value>,
    /// The requests that continue no conversation.
    requests: Vec<String>,
}

impl Model {
    pub(super) fn start() -> Result<Self, String> {
        let seen = Arc::new(Mutex::new(Requests::default()));
        let shared = Arc::clone(&seen);
        let handler = move |request: &Request| respond(&shared, request);
        let server = Server::start(Arc::new(handler)).map_err(|error| error.to_string())?;
        Ok(Self { server, seen })
    }

    pub(super) fn address(&self) -> SocketAddr {
        self.server.address()
    }

    /// Returns whether the last conversation contains a string.
    pub(super) fn knows(&self, text: &str) -> bool {
        let seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        // The text is in prompts, which are JSON themselves.
        seen.conversations.last().is_some_and(|conversation| conversation.to_string().contains(text))
    }

    /// Returns whether any conversation or another request contains a string.
    pub(super) fn has_seen(&self, text: &str) -> bool {
        let seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        seen.conversations.iter().any(|conversation| conversation.to_string().contains(text))
            || seen.requests.iter().any(|request| request.contains(text))
    }

    /// Returns whether a conversation has a first prompt that contains a string.
    pub(super) fn has_begun_with(&self, wanted: &str) -> bool {
        let seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        seen.conversations.iter().any(|conversation| {
            let messages = conversation["messages"].as_array();
            let first = messages.into_iter().flatten().find(|message| message["role"] == "user");
            first.is_some_and(|message| text(&message["content"]).contains(wanted))
        })
    }

    /// Returns the tools that were offered in the last conversation.
    pub(super) fn tools(&self) -> Vec<String> {
        let seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        let tools =
            seen.conversations.last().and_then(|conversation| conversation["tools"].as_array().cloned());
        let name = |tool: &Value| {
            let name = tool["function"]["name"].as_str().or(tool["name"].as_str());
            name.unwrap_or_default().to_owned()
        };
        tools.unwrap_or_default().iter().map(name).collect()
    }
}

fn respond(seen: &Mutex<Requests>, request: &Request) -> Response {
    let body = serde_json::from_slice::<Value>(&request.body).unwrap_or_default();
    let mut seen = seen.lock().unwrap_or_else(PoisonError::into_inner);
    let is_message = request.path.split('?').next().is_some_and(|path| path.ends_with("/messages"));
    if request.method == "POST" && is_message {
        return respond_with_message(&mut seen, body);
    }
    if request.method != "POST" || !request.path.ends_with("/chat/completions") {
        seen.requests.push(format!("{} {}", request.method, request.path));
        return Response::not_found();
    }
    // Requests for a title or a summary have no tools.
    if body["tools"].as_array().is_none_or(Vec::is_empty) {
        return answer(&[json!({ "content": "A title" })], Some("stop"));
    }
    let messages = body["messages"].as_array().cloned().unwrap_or_default();
    seen.conversations.push(body);
    let last = messages.last().cloned().unwrap_or_default();
    if last["role"] == "tool" {
        let result: String = text(&last["content"]).chars().take(MAX_RESULT).collect();
        return answer(&[json!({ "content": "result: " }), json!({ "content": result })], Some("stop"));
    }
    let prompt = messages.iter().rfind(|message| message["role"] == "user");
    let prompt = prompt.map(|message| text(&message["content"])).unwrap_or_default();
    let prompt = parse(&prompt).unwrap_or_default();
    if let Some(tool) = prompt["call"].as_str() {
        let function = json!({ "name": tool, "arguments": prompt["arguments"].to_string() });
        let id = format!("call_{}", seen.conversations.len());
        let call = json!({ "index": 0, "id": id, "type": "function", "function": function });
        return answer(&[json!({ "tool_calls": [call] })], Some("tool_calls"));
    }
    if let Some(text) = prompt["hold"].as_str() {
        return answer(&[json!({ "content": text })], None);
    }
    let text = prompt["say"].as_str().unwrap_or("the prompt is not known");
    let (first, second) = text.split_at(text.len() / 2);
    answer(&[json!({ "content": first }), json!({ "content": second })], Some("stop"))
}

/// Returns the last line of a prompt that is one of [`reply`], [`hold`] or [`call`].
fn parse(prompt: &str) -> Option<Value> {
    prompt.lines().rev().find_map(|line| serde_json::from_str::<Value>(line).ok().filter(Value::is_object))
}

fn respond_with_message(seen: &mut Requests, body: Value) -> Response {
    let say = |text: &str| vec![json!({ "type": "text", "text": text })];
    if body["tools"].as_array().is_none_or(Vec::is_empty) {
        return message("msg_title", &body, say("A title"), "end_turn");
    }
    // Claude Code adds text of its own to a prompt, and joins prompts with results.
    let messages = body["messages"].as_array().into_iter().flatten().rev();
    let blocks = messages.take_while(|message| message["role"] != "assistant");
    let mut blocks = blocks.flat_map(|message| match &message["content"] {
        Value::Array(blocks) => blocks.iter().rev().cloned().collect(),
        text => vec![json!({ "type": "text", "text": text })],
    });
    let last = blocks.find_map(|block| match block["type"].as_str() {
        Some("tool_result") => Some(None),
        _ => parse(block["text"].as_str().unwrap_or_default()).map(Some),
    });
    let (content, reason) = match last.flatten() {
        Some(prompt) => match prompt["call"].as_str() {
            Some(tool) => {
                let id = format!("toolu_{}", seen.conversations.len());
                let block =
                    json!({ "type": "tool_use", "id": id, "name": tool, "input": prompt["arguments"] });
                (vec![block], "tool_use")
            }
            None => (say(prompt["say"].as_str().unwrap_or("the prompt is not known")), "end_turn"),
        },
        // What follows a prompt is the result of its call.
        None => (say("the result of a call"), "end_turn"),
    };
    let response = message(&format!("msg_{}", seen.conversations.len()), &body, content, reason);
    seen.conversations.push(body);
    response
}

/// Returns an answer in parts; without a reason it does not end.
fn answer(parts: &[Value], reason: Option<&str>) -> Response {
    let chunk = |delta: &Value, reason: Option<&str>| {
        let choice = json!({ "index": 0, "delta": delta, "finish_reason": reason });
        let usage =
            reason.map(|_| json!({ "prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15 }));
        let chunk = json!({ "id": "c", "object": "chat.completion.chunk", "created": 1, "model": "scripted", "choices": [choice], "usage": usage });
        format!("data: {chunk}\n\n")
    };
    let mut body = chunk(&json!({ "role": "assistant", "content": "" }), None);
    for part in parts {
        body.push_str(&chunk(part, None));
    }
    if reason.is_some() {
        body.push_str(&chunk(&json!({}), reason));
        body.push_str("data: [DONE]\n\n");
    }
    Response { is_unfinished: reason.is_none(), ..Response::events(body) }
}

/// Returns the text of a message.
fn text(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(parts) => {
            parts.iter().filter_map(|part| part["text"].as_str()).collect::<Vec<_>>().join("\n")
        }
        _ => String::new(),
    }
}
