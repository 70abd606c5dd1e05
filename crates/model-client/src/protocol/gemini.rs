//! `generateContent` of Gemini.

use std::borrow::Cow;
use std::collections::VecDeque;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::draft::{Draft, failure, find_reason};
use super::reader::ReadError;
use super::{Object, object, parameters};
use crate::calls::CallPart;
use crate::conversation::{Part, arrange};
use crate::error_code::ProviderError;
use crate::json_list::JsonList;
use crate::{ModelEvent, ModelRequest};

/// Reasons for which an answer is not complete.
const INCOMPLETE: &[&str] = &[
    "MAX_TOKENS",
    "SAFETY",
    "RECITATION",
    "LANGUAGE",
    "OTHER",
    "BLOCKLIST",
    "PROHIBITED_CONTENT",
    "SPII",
    "MALFORMED_FUNCTION_CALL",
    "UNEXPECTED_TOOL_CALL",
    "TOO_MANY_TOOL_CALLS",
    "MISSING_THOUGHT_SIGNATURE",
    "MALFORMED_RESPONSE",
];
/// The parameters that are members of the body; any other is one of `generationConfig`.
const BODY: &[&str] =
    &["safetySettings", "toolConfig", "cachedContent", "generationConfig", "labels", "store"];
/// The parameters that are not sent as they are.
const OWN: &[&str] = &["stream", "stop", "contents", "tools", "systemInstruction"];
/// Models from version 3 demand a signature in calls of the history; this one is documented for calls without one.
const NO_SIGNATURE: &str = "skip_thought_signature_validator";
/// The characters of a path segment that need no encoding.
const SEGMENT: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~').remove(b'/');

/// Returns the path of a request.
pub(super) fn path(version: &str, model: &str, is_streamed: bool) -> String {
    let folder = if model.contains('/') { "" } else { "models/" };
    let model = utf8_percent_encode(model, SEGMENT);
    let method = if is_streamed { "streamGenerateContent?alt=sse" } else { "generateContent" };
    format!("{version}/{folder}{model}:{method}")
}

pub(super) fn encode(request: &ModelRequest) -> Object {
    let needs_signature = version(&request.model).is_none_or(|version| version >= 3);
    let mut contents = Vec::new();
    for part in arrange(&request.messages) {
        let (role, parts) = match part {
            Part::User(text) => ("user", vec![json!({"text": text})]),
            Part::Assistant(text, calls) => {
                let text = (!text.is_empty()).then(|| json!({"text": text}));
                let calls = calls.into_iter().enumerate().map(|(at, call)| {
                    let function = json!({"id": call.id, "name": call.name, "args": call.arguments});
                    let mut part = object([("functionCall", function)]);
                    // Of parallel calls, only the first one has it.
                    if needs_signature && at == 0 {
                        part.insert("thoughtSignature".to_owned(), json!(NO_SIGNATURE));
                    }
                    Value::Object(part)
                });
                ("model", text.into_iter().chain(calls).collect())
            }
            Part::Results(results) => {
                let results = results.into_iter().map(|result| {
                    let key = if result.is_ok { "output" } else { "error" };
                    let response = object([(key, json!(result.content))]);
                    json!({"functionResponse": {"id": result.id, "name": result.name, "response": response}})
                });
                ("user", results.collect())
            }
        };
        contents.push(json!({"role": role, "parts": parts}));
    }
    let mut body = object([("contents", json!(contents))]);
    if !request.system.trim().is_empty() {
        body.insert("systemInstruction".to_owned(), json!({"parts": [{"text": request.system}]}));
    }
    if !request.tools.is_empty() {
        let declarations = request.tools.iter().map(|tool| {
            json!({"name": tool.name, "description": tool.description, "parametersJsonSchema": tool.schema})
        });
        let declarations: Vec<Value> = declarations.collect();
        body.insert("tools".to_owned(), json!([{"functionDeclarations": declarations}]));
    }
    add_parameters(&mut body, &request.parameters);
    body
}

fn add_parameters(body: &mut Object, given: &Object) {
    let mut config = Object::new();
    config.extend(parameters::stop_list(given).map(|stop| ("stopSequences".to_owned(), stop)));
    parameters::add(&mut config, given, |key| match key {
        "max_tokens" => Some("maxOutputTokens"),
        "top_p" => Some("topP"),
        "top_k" => Some("topK"),
        _ => (!BODY.contains(&key) && !OWN.contains(&key)).then_some(key),
    });
    parameters::add(body, given, |key| BODY.contains(&key).then_some(key));
    if config.is_empty() {
        return;
    }
    match body.entry("generationConfig").or_insert_with(|| json!({})) {
        Value::Object(members) => config.into_iter().for_each(|(key, value)| {
            members.entry(key).or_insert(value);
        }),
        other => *other = Value::Object(config),
    }
}

/// Returns the version of a model such as `gemini-2.5-flash`; none if the name does not have one.
fn version(model: &str) -> Option<u64> {
    let name = model.rsplit('/').next()?.strip_prefix("gemini-")?;
    name.split(|character: char| !character.is_ascii_digit()).next()?.parse().ok()
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Chunk<'a> {
    #[serde(borrow, default)]
    candidates: Option<JsonList<Candidate<'a>>>,
    #[serde(borrow, default)]
    prompt_feedback: Option<Feedback<'a>>,
    #[serde(default)]
    usage_metadata: Option<Usage>,
    #[serde(borrow, default)]
    error: Option<&'a RawValue>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Candidate<'a> {
    #[serde(default)]
    index: Option<u64>,
    #[serde(borrow, default)]
    content: Option<Content<'a>>,
    #[serde(borrow, default)]
    finish_reason: Option<Cow<'a, str>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Feedback<'a> {
    #[serde(borrow, default)]
    block_reason: Option<Cow<'a, str>>,
}

#[derive(Deserialize)]
struct Content<'a> {
    #[serde(borrow, default)]
    parts: Option<JsonList<ContentPart<'a>>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ContentPart<'a> {
    #[serde(borrow, default)]
    text: Option<Cow<'a, str>>,
    /// Whether the text is not part of the answer.
    #[serde(default)]
    thought: Option<bool>,
    #[serde(borrow, default)]
    function_call: Option<Call<'a>>,
}

#[derive(Deserialize)]
struct Call<'a> {
    #[serde(borrow, default)]
    id: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    name: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    args: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Usage {
    #[serde(rename = "promptTokenCount", default)]
    prompt: Option<u64>,
    #[serde(rename = "candidatesTokenCount", default)]
    candidates: Option<u64>,
    #[serde(rename = "thoughtsTokenCount", default)]
    thoughts: Option<u64>,
}

pub(super) fn read(data: &[u8], draft: &mut Draft, out: &mut VecDeque<ModelEvent>) -> Result<(), ReadError> {
    let chunk: Chunk<'_> = serde_json::from_slice(data)?;
    if let Some(error) = chunk.error {
        return Err(failure(ProviderError::of(error)).into());
    }
    for candidate in chunk.candidates.into_iter().flat_map(|candidates| candidates.0) {
        if candidate.index.is_some_and(|index| index > 0) {
            continue;
        }
        let parts = candidate.content.and_then(|content| content.parts);
        for part in parts.into_iter().flat_map(|parts| parts.0) {
            if part.thought != Some(true) {
                draft.add_text(part.text.unwrap_or_default(), out)?;
            }
            if let Some(call) = part.function_call {
                draft.add_complete_call(CallPart {
                    index: None,
                    id: call.id.as_deref().unwrap_or_default(),
                    name: call.name.as_deref().unwrap_or_default(),
                    arguments: call.args.map_or("{}", RawValue::get),
                })?;
            }
        }
        if let Some(reason) = candidate.finish_reason {
            draft.stop(find_reason(&reason, INCOMPLETE));
        }
    }
    if chunk.prompt_feedback.is_some_and(|feedback| feedback.block_reason.is_some()) {
        draft.stop(Err("the request was blocked"));
    }
    if let Some(usage) = chunk.usage_metadata {
        let output = [usage.candidates, usage.thoughts].into_iter().flatten();
        let output = output.reduce(u64::saturating_add);
        draft.set_usage(usage.prompt, output, out);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_read_from_names() {
        for (model, expected) in [
            ("gemini-2.5-flash", Some(2)),
            ("gemini-3-pro-preview", Some(3)),
            ("models/gemini-10", Some(10)),
            ("gemini-pro", None),
            ("gemma-3", None),
        ] {
            assert_eq!(version(model), expected, "{model}");
        }
    }

    #[test]
    fn paths_contain_the_model() {
        assert_eq!(path("/v1beta", "gemini-2.5-pro", false), "/v1beta/models/gemini-2.5-pro:generateContent");
        assert_eq!(path("", "tunedModels/a b?", true), "/tunedModels/a%20b%3F:streamGenerateContent?alt=sse");
    }
}
