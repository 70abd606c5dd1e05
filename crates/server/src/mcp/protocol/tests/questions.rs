//! Questions of servers to the user.

use serde_json::{Value, json};

use super::Place;
use super::client::Client;
use super::source::FakeSource;

fn answers(result: &Value) -> &Value {
    &result["structuredContent"]["answers"]
}

#[test]
fn a_question_is_asked_and_its_answer_passes_unchanged() {
    let (place, source) = (Place::new(), FakeSource::new(&["ask_twice", "echo"]));
    let mut client = Client::start(&place, &source, "coder", json!({"elicitation": {}}));
    let id = client.request("tools/call", json!({"name": "web_ask_twice"}));
    let mut given = Vec::new();
    for answer in [
        json!({"action": "accept", "content": {"name": "x", "n": 1}, "_meta": {"a": 1}}),
        json!({"action": "decline"}),
    ] {
        let question = client.wait_for(|message| message["method"] == "elicitation/create");
        assert_eq!(question["params"]["message"], "which one?");
        assert_eq!(question["params"]["requestedSchema"]["x-unknown"], 1);
        // Other calls continue meanwhile.
        client.call("web_echo", json!({}));
        client.send(json!({"jsonrpc": "2.0", "id": question["id"], "result": answer}));
        given.push(answer);
    }
    let reply = client.reply(id);
    assert_eq!(answers(&reply["result"]), &Value::from(given));
    assert!(source.calls.lock().unwrap()[0].can_elicit);
}

#[test]
fn a_question_to_a_client_that_cannot_be_asked_is_declined() {
    let (place, source) = (Place::new(), FakeSource::new(&["ask"]));
    let declined = json!([{"action": "decline"}]);
    let mut client = Client::start(&place, &source, "coder", json!({}));
    assert_eq!(answers(&client.call("web_ask", json!({}))), &declined);
    let mut forms = Client::start(&place, &source, "coder", json!({"elicitation": {"form": {}}}));
    let link = json!({"mode": "url", "url": "https://e.org"});
    assert_eq!(answers(&forms.call("web_ask", link)), &declined);
    let mut links = Client::start(&place, &source, "coder", json!({"elicitation": {"url": {}}}));
    assert_eq!(answers(&links.call("web_ask", json!({}))), &declined);
    assert_eq!(answers(&links.call("web_ask", json!({"mode": "other"}))), &declined);
}

#[test]
fn a_client_that_fails_has_not_decided() {
    let (place, source) = (Place::new(), FakeSource::new(&["ask"]));
    let mut client = Client::start(&place, &source, "coder", json!({"elicitation": {}}));
    let id = client.request("tools/call", json!({"name": "web_ask"}));
    let question = client.wait_for(|message| message["method"] == "elicitation/create");
    let error = json!({"code": -32603, "message": "no screen"});
    client.send(json!({"jsonrpc": "2.0", "id": question["id"], "error": error}));
    assert_eq!(answers(&client.reply(id)["result"]), &json!([{"action": "cancel"}]));
}

#[test]
fn a_question_is_withdrawn_when_its_call_ends() {
    let (place, source) = (Place::new(), FakeSource::new(&["impatient"]));
    let mut client = Client::start(&place, &source, "coder", json!({"elicitation": {}}));
    let result = client.call("web_impatient", json!({}));
    assert_eq!(result["content"][0]["text"], "done without you");
    let question = client.wait_for(|message| message["method"] == "elicitation/create");
    let withdrawn = client.wait_for(|message| message["method"] == "notifications/cancelled");
    assert_eq!(withdrawn["params"]["requestId"], question["id"]);
}

/// In the newer revision the question is the result of the call, and the answer comes with another call.
#[test]
fn a_newer_client_answers_in_another_call() {
    let (place, source) = (Place::new(), FakeSource::new(&["ask_twice", "echo", "numbers"]));
    let mut client = Client::open(&place, &source, "coder");
    let with = |name: &str, capabilities: Value| {
        json!({"name": name, "arguments": {}, "_meta": {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
            "io.modelcontextprotocol/clientCapabilities": capabilities,
        }})
    };
    let params = with("web_ask_twice", json!({"elicitation": {"form": {}}}));
    let mut result = client.ask("tools/call", params.clone());
    for action in ["accept", "cancel"] {
        assert_eq!(result["resultType"], "input_required", "{result}");
        let question = &result["inputRequests"]["question"];
        assert_eq!(
            (&question["method"], &question["params"]["message"]),
            (&json!("elicitation/create"), &json!("which one?"))
        );
        let mut again = params.clone();
        again["requestState"] = result["requestState"].clone();
        again["inputResponses"] = json!({"question": {"action": action}});
        result = client.ask("tools/call", again);
    }
    assert_eq!(answers(&result), &json!([{"action": "accept"}, {"action": "cancel"}]));
    assert_eq!(result["resultType"], "complete");
    // It was one call of the server.
    assert_eq!(source.calls.lock().unwrap().len(), 1);
    let numbers = client.ask("tools/call", with("web_numbers", json!({})));
    assert_eq!(numbers["structuredContent"], json!([1, 2]));
    // A state is for one tool, and is used once.
    let mut stale = with("web_echo", json!({}));
    stale["requestState"] = "0".repeat(32).into();
    assert_eq!(client.ask("tools/call", stale)["x-member"], "kept");
    assert_eq!(
        client.ask("tools/call", with("web_ask_twice", json!({})))["structuredContent"]["answers"][1],
        json!({"action": "decline"})
    );
}
