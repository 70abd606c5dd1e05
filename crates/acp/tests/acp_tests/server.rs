//! The server of an editor.

use minds_acp::{Server, ServerAction};
use minds_fleet_protocol::{AgentId, ErrorCode, Event, Failure, Frame, ItemId, Json, Timestamp};
use serde_json::{Value, json};

use crate::messages;

fn server() -> Server {
    Server::new(&AgentId::parse("shop/zeus").unwrap())
}

fn receive(server: &mut Server, message: &Value) -> Option<ServerAction> {
    server.receive(message.to_string().as_bytes())
}

fn frame(event: &Value) -> Frame {
    let event: Event = Json::parse(&event.to_string()).unwrap().decode().unwrap();
    Frame { offset: 1, epoch: 1, ts: Timestamp::from_seconds(1.0).unwrap(), event }
}

/// Returns a server with a prompt at work, the item `q-1`.
fn prompting() -> Server {
    let mut server = server();
    receive(&mut server, &json!({ "id": 0, "method": "initialize", "params": { "protocolVersion": 1 } }));
    let new = json!({ "id": 1, "method": "session/new", "params": { "cwd": "/", "mcpServers": [] } });
    assert_eq!(receive(&mut server, &new), Some(ServerAction::Attach { is_load: false }));
    server.note_session();
    let sent = messages(&server.take_output());
    assert_eq!(sent[0]["result"]["agentCapabilities"]["loadSession"], true);
    assert_eq!(sent[1]["result"]["sessionId"], "shop/zeus");
    let prompt = json!([{ "type": "text", "text": "do it" }]);
    let params = json!({ "sessionId": "shop/zeus", "prompt": prompt });
    let action = receive(&mut server, &json!({ "id": 2, "method": "session/prompt", "params": params }));
    assert_eq!(action, Some(ServerAction::Input("do it".to_owned())));
    server.note_item(ItemId::parse("q-1").unwrap());
    server
}

#[test]
fn frames_of_the_prompt_become_reports() {
    let mut server = prompting();
    for event in [
        json!({ "type": "token", "text": "of another item", "model": "m", "qid": "q-0" }),
        json!({ "type": "token", "text": "ok", "model": "m", "qid": "q-1" }),
        json!({ "type": "tool", "name": "os.exec", "input": { "cmd": "ls" }, "call_id": "c", "qid": "q-1" }),
        json!({ "type": "token", "text": "a\n", "model": "tool", "stream": "stdout", "qid": "q-1" }),
        json!({ "type": "tool.result", "call_id": "c", "name": "os.exec", "ok": true, "duration_ms": 1, "qid": "q-1" }),
        json!({ "type": "task.end", "id": "q-1", "ok": true, "reason": "done", "qid": "q-1" }),
    ] {
        server.take_frame(&frame(&event));
    }
    let sent = messages(&server.take_output());
    let updates: Vec<&Value> = sent.iter().map(|message| &message["params"]["update"]).collect();
    assert_eq!(updates[0]["content"]["text"], "ok");
    assert_eq!((&updates[1]["sessionUpdate"], &updates[1]["kind"]), (&json!("tool_call"), &json!("execute")));
    assert_eq!(updates[2]["status"], "completed");
    assert_eq!(updates[2]["content"][0]["content"]["text"], "a\n");
    assert_eq!((&sent[3]["id"], &sent[3]["result"]["stopReason"]), (&json!(2), &json!("end_turn")));
    assert_eq!(sent.len(), 4);
}

#[test]
fn the_end_of_an_item_is_that_of_the_prompt() {
    for (reason, expected) in [
        ("done", json!("end_turn")),
        ("interrupted", json!("cancelled")),
        ("cancelled", json!("cancelled")),
        ("refused", json!("refusal")),
        ("max_steps", json!("max_turn_requests")),
        ("model", Value::Null),
    ] {
        let mut server = prompting();
        let error = json!({ "type": "error", "msg": "no key", "code": "model.unavailable", "qid": "q-1" });
        server.take_frame(&frame(&error));
        let end = json!({ "type": "task.end", "id": "q-1", "ok": false, "reason": reason, "qid": "q-1" });
        server.take_frame(&frame(&end));
        let sent = messages(&server.take_output()).remove(0);
        assert_eq!(sent["result"]["stopReason"], expected, "{reason}");
        if expected.is_null() {
            assert_eq!(sent["error"]["message"], "no key");
            assert_eq!(sent["error"]["data"]["code"], "model.unavailable");
        }
        assert!(!server.has_prompt());
    }
}

#[test]
fn a_confirmation_is_a_question_to_the_editor() {
    for (answer, expected) in [
        (json!({ "result": { "outcome": { "outcome": "selected", "optionId": "allow" } } }), true),
        (json!({ "result": { "outcome": { "outcome": "selected", "optionId": "reject" } } }), false),
        (json!({ "result": { "outcome": { "outcome": "cancelled" } } }), false),
        (json!({ "error": { "code": 1, "message": "" } }), false),
        (json!({ "result": 1 }), false),
    ] {
        let mut server = prompting();
        let request = json!({ "type": "confirm.request", "id": "c-1", "kind": "tool", "title": "run it", "body": "{}", "expires_at": 2.0, "qid": "q-1" });
        server.take_frame(&frame(&request));
        let asked = messages(&server.take_output()).remove(0);
        assert_eq!(asked["params"]["toolCall"]["title"], "run it");
        let mut answer = answer.clone();
        answer["id"] = asked["id"].clone();
        let action = receive(&mut server, &answer);
        assert_eq!(action, Some(ServerAction::Confirm { id: "c-1".to_owned(), is_allowed: expected }));
        assert_eq!(receive(&mut server, &answer), None, "a second answer has no question");
    }
}

#[test]
fn impossible_requests_are_refused() {
    let prompt = |id: u64, session: &str| {
        let params = json!({ "sessionId": session, "prompt": [{ "type": "text", "text": "x" }] });
        json!({ "id": id, "method": "session/prompt", "params": params })
    };
    let code = |server: &mut Server| messages(&server.take_output())[0]["error"]["code"].as_i64();
    let mut fresh = server();
    assert_eq!(receive(&mut fresh, &prompt(1, "shop/zeus")), None);
    assert_eq!(code(&mut fresh), Some(-32_602));
    let load = json!({ "id": 1, "method": "session/load", "params": { "sessionId": "other", "cwd": "/", "mcpServers": [] } });
    assert_eq!(receive(&mut fresh, &load), None);
    assert_eq!(code(&mut fresh), Some(-32_602));
    assert_eq!(receive(&mut fresh, &json!({ "id": 1, "method": "x" })), None);
    assert_eq!(code(&mut fresh), Some(-32_601));
    assert_eq!(fresh.receive(b"{"), None);
    assert_eq!(code(&mut fresh), Some(-32_700));
    let mut server = prompting();
    assert_eq!(receive(&mut server, &prompt(3, "shop/zeus")), None);
    assert_eq!(code(&mut server), Some(-32_600));
    let cancel = |session: &str| json!({ "method": "session/cancel", "params": { "sessionId": session } });
    assert_eq!(receive(&mut server, &cancel("other")), None);
    assert_eq!(receive(&mut server, &cancel("shop/zeus")), Some(ServerAction::Interrupt));
}

#[test]
fn a_failure_has_its_code_in_the_data() {
    let mut server = server();
    let new = json!({ "id": 1, "method": "session/new", "params": { "cwd": "/", "mcpServers": [] } });
    receive(&mut server, &new);
    let detail = Json::parse(r#"{"owner":"console:s-1"}"#).ok();
    server.fail(&Failure { detail, ..Failure::new(ErrorCode::OwnershipDenied, "another owner") });
    let sent = messages(&server.take_output()).remove(0);
    assert_eq!(sent["error"]["data"]["code"], "ownership.denied");
    assert_eq!(sent["error"]["data"]["detail"]["owner"], "console:s-1");
    assert_eq!(receive(&mut server, &new), Some(ServerAction::Attach { is_load: false }));
}
