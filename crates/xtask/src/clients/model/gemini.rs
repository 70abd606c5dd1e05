//! The API of Gemini, which Gemini CLI speaks.

use serde_json::{Value, json};

use super::http::Response;
use super::{Answer, Conversation, END, Reply, Session, list, names};

/// What a question for a choice in JSON is answered with: the forms that Gemini CLI asks for, in one.
const CHOICE: &str = r#"{"complexity_reasoning":"-","complexity_score":1,"reasoning":"-","model_choice":"flash","next_speaker":"user"}"#;

pub(super) fn respond(session: &mut Session, body: &Value, is_streamed: bool) -> Response {
    let parts = list(&body["contents"]).iter().flat_map(|content| list(&content["parts"]));
    let results = parts.filter_map(|part| part.get("functionResponse"));
    let answers = results.map(|result| {
        let response = &result["response"];
        let answer = Answer { is_error: response.get("error").is_some(), text: response.to_string() };
        (result["id"].as_str().unwrap_or_default().to_owned(), answer)
    });
    let tools = list(&body["tools"]).iter().flat_map(|tools| list(&tools["functionDeclarations"]));
    let conversation = Conversation { tools: names(tools), answers: answers.collect() };
    let parts: Vec<Value> = if body["generationConfig"]["responseMimeType"] == "application/json" {
        vec![json!({ "text": CHOICE })]
    } else {
        match session.reply(&conversation) {
            Reply::Text => vec![json!({ "text": END })],
            Reply::Calls(calls) => {
                let part = |(id, call): (String, super::Call)| json!({ "functionCall": { "id": id, "name": call.tool, "args": call.arguments } });
                calls.into_iter().map(part).collect()
            }
        }
    };
    let candidate =
        json!({ "content": { "role": "model", "parts": parts }, "finishReason": "STOP", "index": 0 });
    let usage = json!({ "promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2 });
    let response =
        json!({ "candidates": [candidate], "usageMetadata": usage, "modelVersion": "scripted" }).to_string();
    if is_streamed { Response::events(format!("data: {response}\r\n\r\n")) } else { Response::json(response) }
}
