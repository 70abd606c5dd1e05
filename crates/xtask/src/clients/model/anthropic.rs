//! The Messages API of Anthropic, which Claude Code, opencode and Copilot CLI speak.

use serde_json::{Value, json};

use super::http::Response;
use super::{Answer, Conversation, END, Reply, Session, events, list, names, text};

pub(super) fn respond(session: &mut Session, body: &Value) -> Response {
    let blocks = list(&body["messages"]).iter().flat_map(|message| list(&message["content"]));
    let results = blocks.filter(|block| block["type"] == "tool_result");
    let answers = results.map(|block| {
        let id = block["tool_use_id"].as_str().unwrap_or_default().to_owned();
        let is_error = block["is_error"].as_bool().unwrap_or_default();
        (id, Answer { is_error, text: text(&block["content"]) })
    });
    let conversation = Conversation { tools: names(list(&body["tools"])), answers: answers.collect() };
    let (content, reason) = match session.reply(&conversation) {
        Reply::Text => (vec![json!({ "type": "text", "text": END })], "end_turn"),
        Reply::Calls(calls) => {
            let block = |(id, call): (String, super::Call)| json!({ "type": "tool_use", "id": id, "name": call.tool, "input": call.arguments });
            (calls.into_iter().map(block).collect(), "tool_use")
        }
    };
    message("msg_1", body, content, reason)
}

/// Returns a message with these blocks, as one document or as events. Claude Code takes messages with the same id as one.
pub(crate) fn message(id: &str, body: &Value, content: Vec<Value>, reason: &str) -> Response {
    let usage = json!({ "input_tokens": 1, "output_tokens": 1 });
    let mut message = json!({
        "id": id,
        "type": "message",
        "role": "assistant",
        "model": body["model"],
        "content": content,
        "stop_reason": reason,
        "stop_sequence": null,
        "usage": usage,
    });
    if body["stream"] != true {
        return Response::json(message.to_string());
    }
    message["content"] = json!([]);
    message["stop_reason"] = Value::Null;
    let mut sent = vec![("message_start", json!({ "type": "message_start", "message": message }))];
    for (index, mut block) in content.into_iter().enumerate() {
        let delta = if block["type"] == "text" {
            json!({ "type": "text_delta", "text": std::mem::replace(&mut block["text"], json!("")) })
        } else {
            let input = std::mem::replace(&mut block["input"], json!({}));
            json!({ "type": "input_json_delta", "partial_json": input.to_string() })
        };
        sent.extend([
            (
                "content_block_start",
                json!({ "type": "content_block_start", "index": index, "content_block": block }),
            ),
            ("content_block_delta", json!({ "type": "content_block_delta", "index": index, "delta": delta })),
            ("content_block_stop", json!({ "type": "content_block_stop", "index": index })),
        ]);
    }
    let delta = json!({ "stop_reason": reason, "stop_sequence": null });
    sent.extend([
        (
            "message_delta",
            json!({ "type": "message_delta", "delta": delta, "usage": { "output_tokens": 1 } }),
        ),
        ("message_stop", json!({ "type": "message_stop" })),
    ]);
    events(&sent)
}
