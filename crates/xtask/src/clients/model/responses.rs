//! The Responses API, which Codex speaks.

use serde_json::{Value, json};

use super::http::Response;
use super::{Answer, Conversation, END, Reply, Session, events, list, names, text};

pub(super) fn respond(session: &mut Session, body: &Value) -> Response {
    let outputs = list(&body["input"])
        .iter()
        .filter(|item| item["type"].as_str().is_some_and(|name| name.ends_with("_call_output")));
    let answers = outputs.map(|item| {
        let id = item["call_id"].as_str().unwrap_or_default().to_owned();
        let output = &item["output"];
        // The protocol has no flag for errors; the output says what happened.
        (id, Answer { is_error: false, text: text(output) })
    });
    let conversation = Conversation { tools: names(list(&body["tools"])), answers: answers.collect() };
    let items: Vec<Value> = match session.reply(&conversation) {
        Reply::Text => {
            let content = json!([{ "type": "output_text", "text": END, "annotations": [] }]);
            vec![
                json!({ "type": "message", "id": "msg_1", "role": "assistant", "status": "completed", "content": content }),
            ]
        }
        Reply::Calls(calls) => calls
            .into_iter()
            .map(|(id, call)| match call.arguments {
                Value::String(input) => {
                    json!({ "type": "custom_tool_call", "id": format!("ctc_{id}"), "call_id": id, "name": call.tool, "input": input, "status": "completed" })
                }
                arguments => {
                    json!({ "type": "function_call", "id": format!("fc_{id}"), "call_id": id, "name": call.tool, "arguments": arguments.to_string(), "status": "completed" })
                }
            })
            .collect(),
    };
    let mut response = json!({
        "id": "resp_1",
        "object": "response",
        "created_at": 1,
        "model": body["model"],
        "status": "in_progress",
        "output": [],
    });
    let mut sent = vec![("response.created", json!({ "type": "response.created", "response": response }))];
    for (index, item) in items.iter().enumerate() {
        for name in ["response.output_item.added", "response.output_item.done"] {
            sent.push((name, json!({ "type": name, "output_index": index, "item": item })));
        }
    }
    response["status"] = json!("completed");
    response["output"] = json!(items);
    response["usage"] = json!({
        "input_tokens": 1,
        "input_tokens_details": { "cached_tokens": 0 },
        "output_tokens": 1,
        "output_tokens_details": { "reasoning_tokens": 0 },
        "total_tokens": 2,
    });
    sent.push(("response.completed", json!({ "type": "response.completed", "response": response })));
    events(&sent)
}
