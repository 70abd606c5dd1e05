//! Chat completions of `OpenAI` and of the many providers that imitate them.

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

const END: &[u8] = b"[DONE]";
/// Reasons for which an answer is not complete; `insufficient_system_resource` is one of `DeepSeek`.
const INCOMPLETE: &[&str] =
    &["length", "max_tokens", "content_filter", "insufficient_system_resource", "error", "abort"];

pub(super) fn encode(request: &ModelRequest, is_openai: bool) -> Object {
    let mut messages = Vec::new();
    if !request.system.trim().is_empty() {
        messages.push(json!({"role": "system", "content": request.system}));
    }
    for part in arrange(&request.messages) {
        match part {
            Part::User(text) => messages.push(json!({"role": "user", "content": text})),
            Part::Assistant(text, calls) if calls.is_empty() => {
                messages.push(json!({"role": "assistant", "content": text}));
            }
            Part::Assistant(text, calls) => {
                let content = if text.is_empty() { Value::Null } else { json!(text) };
                let calls: Vec<Value> = calls
                    .into_iter()
                    .map(|call| {
                        let arguments = Value::Object(call.arguments).to_string();
                        let function = json!({"name": call.name, "arguments": arguments});
                        json!({"id": call.id, "type": "function", "function": function})
                    })
                    .collect();
                messages.push(json!({"role": "assistant", "content": content, "tool_calls": calls}));
            }
            Part::Results(results) => messages.extend(results.into_iter().map(|result| {
                // The protocol does not say whether a call succeeded.
                let prefix = if result.is_ok { "" } else { "The call failed.\n" };
                let content = format!("{prefix}{}", result.content);
                json!({"role": "tool", "tool_call_id": result.id, "content": content})
            })),
        }
    }
    let is_streamed = Protocol::is_streamed(request);
    let mut body = object([
        ("model", json!(request.model)),
        ("messages", json!(messages)),
        ("stream", json!(is_streamed)),
    ]);
    if !request.tools.is_empty() {
        let tools = request.tools.iter().map(|tool| {
            let function =
                json!({"name": tool.name, "description": tool.description, "parameters": tool.schema});
            json!({"type": "function", "function": function})
        });
        body.insert("tools".to_owned(), tools.collect());
    }
    if is_streamed {
        let options = json!({"include_usage": true});
        parameters::set_default(&mut body, &request.parameters, "stream_options", options);
    }
    parameters::add(&mut body, &request.parameters, |key| {
        Some(if is_openai && key == "max_tokens" { "max_completion_tokens" } else { key })
    });
    body
}

/// A chunk, or a complete answer.
#[derive(Deserialize)]
struct Chunk<'a> {
    #[serde(borrow, default)]
    choices: Option<JsonList<Choice<'a>>>,
    #[serde(default)]
    usage: Option<Usage>,
    #[serde(borrow, default)]
    error: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Choice<'a> {
    #[serde(default)]
    index: Option<u64>,
    #[serde(borrow, default)]
    delta: Option<Delta<'a>>,
    #[serde(borrow, default)]
    message: Option<Delta<'a>>,
    #[serde(borrow, default)]
    finish_reason: Option<Cow<'a, str>>,
}

#[derive(Deserialize)]
struct Delta<'a> {
    #[serde(borrow, default)]
    content: Option<&'a RawValue>,
    #[serde(borrow, default)]
    refusal: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    tool_calls: Option<JsonList<Call<'a>>>,
}

#[derive(Deserialize)]
struct Call<'a> {
    #[serde(default)]
    index: Option<u64>,
    #[serde(borrow, default)]
    id: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    function: Option<Function<'a>>,
}

#[derive(Deserialize)]
struct Function<'a> {
    #[serde(borrow, default)]
    name: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    arguments: Option<&'a RawValue>,
}

/// A part of a content that is a list, as Mistral has it.
#[derive(Deserialize)]
struct ContentPart<'a> {
    #[serde(borrow, rename = "type", default)]
    kind: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    text: Option<Cow<'a, str>>,
}

#[derive(Deserialize)]
struct Usage {
    #[serde(default)]
    prompt_tokens: Option<u64>,
    #[serde(default)]
    completion_tokens: Option<u64>,
}

pub(super) fn read(data: &[u8], draft: &mut Draft, out: &mut VecDeque<ModelEvent>) -> Result<(), ReadError> {
    if data == END {
        return Ok(draft.end(out)?);
    }
    let chunk: Chunk<'_> = serde_json::from_slice(data)?;
    if let Some(error) = chunk.error {
        return Err(failure(ProviderError::of(error)).into());
    }
    for choice in chunk.choices.into_iter().flat_map(|choices| choices.0) {
        // Further choices exist only if a parameter asks for them.
        if choice.index.is_some_and(|index| index > 0) {
            continue;
        }
        if let Some(delta) = choice.delta.or(choice.message) {
            read_delta(delta, draft, out)?;
        }
        if let Some(reason) = choice.finish_reason.filter(|reason| !reason.is_empty()) {
            draft.stop(find_reason(&reason, INCOMPLETE));
        }
    }
    if let Some(usage) = chunk.usage {
        draft.set_usage(usage.prompt_tokens, usage.completion_tokens, out);
    }
    Ok(())
}

fn read_delta(delta: Delta<'_>, draft: &mut Draft, out: &mut VecDeque<ModelEvent>) -> Result<(), ReadError> {
    match delta.content {
        Some(content) if content.get().starts_with('[') => {
            let parts: JsonList<ContentPart<'_>> = serde_json::from_str(content.get())?;
            for part in parts.0 {
                if part.kind.is_none_or(|kind| kind == "text") {
                    draft.add_text(part.text.unwrap_or_default(), out)?;
                }
            }
        }
        Some(content) => draft.add_text(serde_json::from_str::<String>(content.get())?, out)?,
        None => {}
    }
    draft.add_text(delta.refusal.unwrap_or_default(), out)?;
    for call in delta.tool_calls.into_iter().flat_map(|calls| calls.0) {
        let function = call.function.unwrap_or(Function { name: None, arguments: None });
        let arguments = match function.arguments {
            // Some providers write an object in the place of a string.
            Some(raw) if !raw.get().starts_with('"') => Cow::Borrowed(raw.get()),
            Some(raw) => Cow::Owned(serde_json::from_str(raw.get())?),
            None => Cow::Borrowed(""),
        };
        draft.add_call(CallPart {
            index: call.index,
            id: call.id.as_deref().unwrap_or_default(),
            name: function.name.as_deref().unwrap_or_default(),
            arguments: &arguments,
        })?;
    }
    Ok(())
}
