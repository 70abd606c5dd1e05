//! Tasks of servers: results that are asked for later.

use serde_json::{Value, json};

use super::client::Client;
use super::source::FakeSource;
use super::{Place, TEAM};

/// Returns parameters with the metadata of a client that has these capabilities.
fn with(mut params: Value, capabilities: Value) -> Value {
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": capabilities,
    });
    params
}

fn tasks() -> Value {
    json!({"extensions": {"io.modelcontextprotocol/tasks": {}}})
}

#[test]
fn a_client_that_declares_tasks_gets_them_unchanged() {
    let (place, source) = (Place::new(), FakeSource::new(&["later"]));
    let mut client = Client::open(&place, &source, "coder");
    let call = json!({"name": "web_later", "arguments": {}});
    let task = client.ask("tools/call", with(call.clone(), tasks()));
    assert_eq!(task, json!({"resultType": "task", "taskId": "browser/1", "x": 1}));
    let state = client.ask("tasks/get", with(json!({"taskId": "browser/1"}), tasks()));
    assert_eq!((&state["status"], &state["x"]), (&json!("working"), &json!(1)));
    client.ask("tasks/update", with(json!({"taskId": "browser/1", "inputResponses": {"a": {}}}), tasks()));
    client.ask("tasks/cancel", with(json!({"taskId": "browser/1"}), tasks()));
    let log = source.log.lock().unwrap().join("; ");
    let expected = r#"Get browser {"taskId":"1"}; Update browser {"inputResponses":{"a":{}},"taskId":"1"}; Cancel browser {"taskId":"1"}"#;
    assert_eq!(log, expected);
    // Without the declaration the server answers the call itself.
    let result = client.ask("tools/call", with(call, json!({})));
    assert_eq!((&result["content"][0]["text"], &result["resultType"]), (&json!("later"), &json!("complete")));
    let discovered = client.ask("server/discover", with(json!({}), json!({})));
    assert!(discovered["capabilities"]["extensions"]["io.modelcontextprotocol/tasks"].is_object());
}

#[test]
fn requests_about_tasks_need_the_declaration_and_the_grant() {
    let (place, source) = (Place::new(), FakeSource::new(&["later"]));
    let mut client = Client::open(&place, &source, "coder");
    let mut error = |params: Value| {
        let id = client.request("tasks/get", params);
        client.reply(id)["error"].clone()
    };
    assert_eq!(error(with(json!({"taskId": "browser/1"}), json!({})))["code"], -32021);
    for id in ["nowhere/1", "tickets/1", "browser", "", "/1"] {
        let error = error(with(json!({"taskId": id}), tasks()));
        assert_eq!(error["code"], -32602, "{id}: {error}");
    }
    // The grant is read again for each request.
    place.write(&TEAM.replace("browser", "tickets"));
    assert_eq!(error(with(json!({"taskId": "browser/1"}), tasks()))["code"], -32602);
    let error = error(with(json!({"taskId": "tickets/1"}), tasks()));
    assert_eq!((&error["code"], &error["message"]), (&json!(-32603), &json!("it does not run")));
}
