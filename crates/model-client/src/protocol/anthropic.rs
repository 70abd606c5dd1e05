//! Messages of Anthropic.

use std::borrow::Cow;
use std::collections::VecDeque;

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::draft::{Draft, failure, find_reason};
use super::reader::ReadError;
use super::{Object, Protocol, object, parameters};
use crate::calls::CallPart;
use crate::conversation::{Part, arrange};
use crate::error_code::ProviderError;
use crate::json_list::JsonList;
use crate::{ModelEvent, ModelRequest};

/// The maximum length of an answer, which the protocol demands, in tokens: every model of the catalog can write as much.
const DEFAULT_MAX_TOKENS: u64 = 8192;
/// Reasons for which an answer is not complete.
const INCOMPLETE: &[&str] = &["max_tokens", "model_context_window_exceeded", "refusal"];

pub(super) fn encode(request: &ModelRequest) -> Object {
    let mut messages: Vec<(&str, Vec<Value>)> = Vec::new();
    for part in arrange(&request.messages) {
        let (role, blocks) = match part {
            Part::User(text) => ("user", vec![json!({"type": "text", "text": text})]),
            Part::Assistant(text, calls) => {
                let text = (!text.is_empty()).then(|| json!({"type": "text", "text": text}));
                let calls = calls.into_iter().map(|call| {
                    json!({"type": "tool_use", "id": call.id, "name": call.name, "input": call.arguments})
                });
                ("assistant", text.into_iter().chain(calls).collect())
            }
            Part::Results(results) => {
                let block = |result: crate::conversation::CallResult<'_>| {
                    let mut block =
                        object([("type", json!("tool_result")), ("tool_use_id", json!(result.id))]);
                    if !result.content.is_empty() {
                        block.insert("content".to_owned(), json!(result.content));
                    }
                    if !result.is_ok {
                        block.insert("is_error".to_owned(), json!(true));
                    }
                    Value::Object(block)
                };
                ("user", results.into_iter().map(block).collect())
            }
        };
        match messages.last_mut() {
            Some((last, content)) if *last == role => content.extend(blocks),
            _ => messages.push((role, blocks)),
        }
    }
    let messages: Vec<Value> =
        messages.into_iter().map(|(role, content)| json!({"role": role, "content": content})).collect();
    let mut body = object([
        ("model", json!(request.model)),
        ("messages", json!(messages)),
        ("stream", json!(Protocol::is_streamed(request))),
    ]);
    if !request.system.trim().is_empty() {
        body.insert("system".to_owned(), json!(request.system));
    }
    if !request.tools.is_empty() {
        let tools = request.tools.iter().map(
            |tool| json!({"name": tool.name, "description": tool.description, "input_schema": tool.schema}),
        );
        body.insert("tools".to_owned(), tools.collect());
    }
    parameters::set_default(&mut body, &request.parameters, "max_tokens", json!(DEFAULT_MAX_TOKENS));
    body.extend(parameters::stop_list(&request.parameters).map(|stop| ("stop_sequences".to_owned(), stop)));
    // The protocol has no seed.
    parameters::add(&mut body, &request.parameters, |key| (!matches!(key, "stop" | "seed")).then_some(key));
    body
}

/// An event, or a complete answer.
#[derive(Deserialize)]
struct Event<'a> {
    #[serde(borrow, rename = "type", default)]
    kind: Option<Cow<'a, str>>,
    #[serde(default)]
    index: Option<u64>,
    #[serde(default)]
    message: Option<Message>,
    #[serde(borrow, default)]
    content_block: Option<Block<'a>>,
    #[serde(borrow, default)]
    delta: Option<Delta<'a>>,
    #[serde(borrow, default)]
    content: Option<JsonList<Block<'a>>>,
    #[serde(borrow, default)]
    stop_reason: Option<Cow<'a, str>>,
    #[serde(default)]
    usage: Option<Usage>,
    #[serde(borrow, default)]
    error: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Message {
    #[serde(default)]
    usage: Option<Usage>,
}

#[derive(Deserialize)]
struct Block<'a> {
    #[serde(borrow, rename = "type", default)]
    kind: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    id: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    name: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    input: Option<&'a RawValue>,
    #[serde(borrow, default)]
    text: Option<Cow<'a, str>>,
}

#[derive(Deserialize)]
struct Delta<'a> {
    #[serde(borrow, rename = "type", default)]
    kind: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    text: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    partial_json: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    stop_reason: Option<Cow<'a, str>>,
}

#[derive(Deserialize)]
struct Usage {
    #[serde(rename = "input_tokens", default)]
    input: Option<u64>,
    #[serde(rename = "cache_creation_input_tokens", default)]
    cache_creation: Option<u64>,
    #[serde(rename = "cache_read_input_tokens", default)]
    cache_read: Option<u64>,
    #[serde(rename = "output_tokens", default)]
    output: Option<u64>,
}

impl Usage {
    /// Tokens from the cache are tokens of the request, which the protocol counts apart.
    fn note(&self, draft: &mut Draft, out: &mut VecDeque<ModelEvent>) {
        let cached = [self.cache_creation, self.cache_read].into_iter().flatten();
        let input = self.input.map(|tokens| cached.fold(tokens, u64::saturating_add));
        draft.set_usage(input, self.output, out);
    }
}

pub(super) fn read(data: &[u8], draft: &mut Draft, out: &mut VecDeque<ModelEvent>) -> Result<(), ReadError> {
    let event: Event<'_> = serde_json::from_slice(data)?;
    if let Some(error) = event.error {
        return Err(failure(ProviderError::of(error)).into());
    }
    if let Some(usage) = event.message.and_then(|message| message.usage).or(event.usage) {
        usage.note(draft, out);
    }
    if let Some(block) = event.content_block {
        read_block(event.index, block, draft, out)?;
    }
    if let Some(delta) = event.delta {
        match delta.kind.as_deref() {
            Some("text_delta") => draft.add_text(delta.text.unwrap_or_default(), out)?,
            Some("input_json_delta") => draft.add_call(CallPart {
                index: event.index,
                arguments: delta.partial_json.as_deref().unwrap_or_default(),
                ..CallPart::default()
            })?,
            // Thoughts, signatures and citations are not part of the text.
            _ => {}
        }
        stop(delta.stop_reason.as_deref(), draft);
    }
    let is_message = event.kind.as_deref() == Some("message");
    if is_message {
        for (index, block) in (0..).zip(event.content.into_iter().flat_map(|content| content.0)) {
            read_block(Some(index), block, draft, out)?;
        }
        stop(event.stop_reason.as_deref(), draft);
    }
    if event.kind.as_deref() == Some("message_stop") {
        draft.end(out)?;
    }
    Ok(())
}

fn stop(reason: Option<&str>, draft: &mut Draft) {
    if let Some(reason) = reason {
        draft.stop(find_reason(reason, INCOMPLETE));
    }
}

fn read_block(
    index: Option<u64>,
    block: Block<'_>,
    draft: &mut Draft,
    out: &mut VecDeque<ModelEvent>,
) -> Result<(), ReadError> {
    match block.kind.as_deref() {
        Some("text") => draft.add_text(block.text.unwrap_or_default(), out)?,
        Some("tool_use") => draft.add_call(CallPart {
            index,
            id: block.id.as_deref().unwrap_or_default(),
            name: block.name.as_deref().unwrap_or_default(),
            // In a stream it is empty, and the arguments follow; some providers write them here.
            arguments: block.input.map(RawValue::get).filter(|input| !is_empty(input)).unwrap_or_default(),
        })?,
        _ => {}
    }
    Ok(())
}

/// Returns whether an object has no members.
fn is_empty(input: &str) -> bool {
    let members = input.strip_prefix('{').and_then(|input| input.strip_suffix('}'));
    input == "null" || members.is_some_and(|members| members.trim().is_empty())
}
