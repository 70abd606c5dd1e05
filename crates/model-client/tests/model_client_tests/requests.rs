//! Requests as the protocols have them.

use minds_model_client::{Message, ModelRequest, Protocol, ToolCall, ToolDescription};
use serde_json::{Map, Value, json};

fn call(id: &str, arguments: &Value) -> ToolCall {
    let arguments = arguments.as_object().cloned().ok_or_else(|| arguments.as_str().unwrap().to_owned());
    ToolCall { id: id.to_owned(), name: "fs_read".to_owned(), arguments }
}

fn result(id: &str, content: &str, is_ok: bool) -> Message {
    let (call_id, content) = (id.to_owned(), content.to_owned());
    Message::ToolResult { call_id, name: "fs_read".to_owned(), content, is_ok }
}

/// A conversation with two calls at once, whose results arrived in the other order.
fn request(parameters: &Value) -> ModelRequest {
    let calls = vec![call("a", &json!({"path": "x"})), call("b", &json!("not JSON"))];
    ModelRequest {
        model: "gemini-3-flash".to_owned(),
        system: "Be brief.".to_owned(),
        messages: vec![
            Message::User("Read.".to_owned()),
            Message::Assistant { text: "I read.".to_owned(), calls },
            result("b", "no", false),
            result("a", "", true),
            Message::User("Go on.".to_owned()),
        ],
        tools: vec![ToolDescription {
            name: "fs_read".to_owned(),
            description: "Reads.".to_owned(),
            schema: json!({"type": "object"}),
        }],
        parameters: parameters.as_object().cloned().unwrap(),
    }
}

fn parameters() -> Value {
    json!({
        "max_tokens": 100, "temperature": 0.5, "top_p": 0.9, "top_k": 40, "seed": 7, "stop": ["END"],
        "future": {"x": 1}, "model": "other", "messages": [], "stream": true,
    })
}

#[test]
fn chat_completions_have_a_message_for_each_result() {
    let expected = json!({
        "model": "gemini-3-flash",
        "messages": [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": "Read."},
            {"role": "assistant", "content": "I read.", "tool_calls": [
                {"id": "a", "type": "function", "function": {"name": "fs_read", "arguments": "{\"path\":\"x\"}"}},
                {"id": "b", "type": "function", "function": {"name": "fs_read", "arguments": "{\"invalid_json\":\"not JSON\"}"}},
            ]},
            {"role": "tool", "tool_call_id": "a", "content": ""},
            {"role": "tool", "tool_call_id": "b", "content": "The call failed.\nno"},
            {"role": "user", "content": "Go on."},
        ],
        "tools": [{"type": "function", "function": {
            "name": "fs_read", "description": "Reads.", "parameters": {"type": "object"},
        }}],
        "stream": true, "stream_options": {"include_usage": true},
        "max_completion_tokens": 100, "temperature": 0.5, "top_p": 0.9, "top_k": 40, "seed": 7, "stop": ["END"],
        "future": {"x": 1},
    });
    assert_eq!(Protocol::OpenAi.encode(&request(&parameters())), expected);
    let compatible = Protocol::OpenAiCompatible.encode(&request(&parameters()));
    assert_eq!((&compatible["max_tokens"], compatible.get("max_completion_tokens")), (&json!(100), None));
}

#[test]
fn messages_have_the_results_in_one_message() {
    let expected = json!({
        "model": "gemini-3-flash",
        "system": "Be brief.",
        "messages": [
            {"role": "user", "content": [{"type": "text", "text": "Read."}]},
            {"role": "assistant", "content": [
                {"type": "text", "text": "I read."},
                {"type": "tool_use", "id": "a", "name": "fs_read", "input": {"path": "x"}},
                {"type": "tool_use", "id": "b", "name": "fs_read", "input": {"invalid_json": "not JSON"}},
            ]},
            {"role": "user", "content": [
                {"type": "tool_result", "tool_use_id": "a"},
                {"type": "tool_result", "tool_use_id": "b", "content": "no", "is_error": true},
                {"type": "text", "text": "Go on."},
            ]},
        ],
        "tools": [{"name": "fs_read", "description": "Reads.", "input_schema": {"type": "object"}}],
        "stream": true, "max_tokens": 100, "temperature": 0.5, "top_p": 0.9, "top_k": 40, "stop_sequences": ["END"],
        "future": {"x": 1},
    });
    assert_eq!(Protocol::Anthropic.encode(&request(&parameters())), expected);
    assert_eq!(Protocol::Anthropic.encode(&request(&json!({})))["max_tokens"], 8192);
}

#[test]
fn contents_have_responses_of_functions() {
    let expected = json!({
        "systemInstruction": {"parts": [{"text": "Be brief."}]},
        "contents": [
            {"role": "user", "parts": [{"text": "Read."}]},
            {"role": "model", "parts": [
                {"text": "I read."},
                {
                    "functionCall": {"id": "a", "name": "fs_read", "args": {"path": "x"}},
                    "thoughtSignature": "skip_thought_signature_validator",
                },
                {"functionCall": {"id": "b", "name": "fs_read", "args": {"invalid_json": "not JSON"}}},
            ]},
            {"role": "user", "parts": [
                {"functionResponse": {"id": "a", "name": "fs_read", "response": {"output": ""}}},
                {"functionResponse": {"id": "b", "name": "fs_read", "response": {"error": "no"}}},
            ]},
            {"role": "user", "parts": [{"text": "Go on."}]},
        ],
        "tools": [{"functionDeclarations": [
            {"name": "fs_read", "description": "Reads.", "parametersJsonSchema": {"type": "object"}},
        ]}],
        "generationConfig": {
            "maxOutputTokens": 100, "temperature": 0.5, "topP": 0.9, "topK": 40, "seed": 7, "stopSequences": ["END"],
            "future": {"x": 1}, "thinkingConfig": {"thinkingBudget": 0},
        },
        "safetySettings": [],
    });
    let mut given = parameters();
    let members = given.as_object_mut().unwrap();
    // These names are not those of the protocol, so they are further parameters of it.
    members.remove("model");
    members.remove("messages");
    members.insert("safetySettings".to_owned(), json!([]));
    members.insert("generationConfig".to_owned(), json!({"thinkingConfig": {"thinkingBudget": 0}}));
    assert_eq!(Protocol::Gemini.encode(&request(&given)), expected);
    let older = ModelRequest { model: "gemini-2.5-pro".to_owned(), ..request(&json!({})) };
    let body = Protocol::Gemini.encode(&older);
    assert!(
        !body.to_string().contains("thoughtSignature") && body.get("generationConfig").is_none(),
        "{body}"
    );
}

#[test]
fn a_parameter_that_is_null_is_left_out() {
    let given = json!({"stream_options": null, "max_tokens": null, "temperature": null});
    let body = Protocol::OpenAi.encode(&request(&given));
    assert_eq!((body.get("stream_options"), body.get("temperature")), (None, None));
    let body = Protocol::Anthropic.encode(&request(&given));
    assert_eq!(body.get("max_tokens"), None);
}

#[test]
fn a_request_without_a_stream_has_no_options_for_it() {
    let body = Protocol::OpenAi.encode(&request(&json!({"stream": false})));
    assert_eq!((&body["stream"], body.get("stream_options")), (&json!(false), None));
    assert!(!Protocol::is_streamed(&request(&json!({"stream": false}))));
}

#[test]
fn a_request_of_nothing_is_complete() {
    let empty = ModelRequest { parameters: Map::new(), ..ModelRequest::default() };
    let body = Protocol::OpenAi.encode(&empty);
    assert_eq!(body["messages"].as_array().unwrap().len(), 1);
    assert_eq!((body.get("tools"), Protocol::Anthropic.encode(&empty).get("system")), (None, None));
}
