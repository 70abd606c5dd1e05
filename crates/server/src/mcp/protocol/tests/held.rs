//! Calls that the session sees late, or never.

use serde_json::{Value, json};

use super::Place;
use super::client::Client;
use super::source::FakeSource;
use crate::mcp::protocol::output::MAX_DIRECT;

fn call(id: impl Into<Value>, name: &str, arguments: &Value) -> Value {
    let id: Value = id.into();
    let params = json!({"name": name, "arguments": arguments});
    json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params})
}

fn cancellation(id: &Value) -> Value {
    json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id}})
}

#[test]
fn the_session_does_not_see_a_call_with_a_short_answer() {
    let (place, source) = (Place::new(), FakeSource::new(&["echo", "count"]));
    let mut client = Client::start(&place, &source, "coder", json!({}));
    client.call("web_echo", json!({}));
    client.call("web_echo", json!({}));
    // Progress that the client did not ask for is not passed on.
    client.call("web_count", json!({}));
    assert_eq!(client.direct, [2, 3, 4]);
    client.call("list_dir", json!({}));
    assert!(client.end().is_empty());
}

#[test]
fn the_session_sends_what_does_not_fit_or_would_wait() {
    let (place, source) = (Place::new(), FakeSource::new(&["echo"]));
    let mut client = Client::start(&place, &source, "coder", json!({}));
    let text = "x".repeat(MAX_DIRECT);
    let result = client.call("web_echo", json!({"text": text}));
    assert_eq!(result["structuredContent"]["arguments"]["text"], text);
    client.set_ready(false);
    client.call("web_echo", json!({}));
    assert!(client.direct.is_empty());
    client.set_ready(true);
    client.call("web_echo", json!({}));
    assert_eq!(client.direct, [4]);
    assert!(client.end().is_empty());
}

#[test]
fn the_session_knows_a_call_before_its_cancellation() {
    let (place, source) = (Place::new(), FakeSource::new(&["gate", "echo"]));
    let mut client = Client::start(&place, &source, "coder", json!({}));
    for id in [json!("a"), json!(77)] {
        client.send(call(id.clone(), "web_gate", &json!({})));
        client.send(cancellation(&json!("other")));
        client.send(cancellation(&id));
    }
    client.send(call("b", "web_gate", &json!({})));
    source.wait_for_count("cancel gate", 2);
    source.open_gate();
    assert_eq!(client.wait_for(|message| message["id"] == "b")["result"]["content"][0]["text"], "gate");
    assert_eq!(client.direct, ["b"]);
    assert!(client.end().is_empty(), "a cancelled call has no answer");
    assert_eq!(source.count("cancel gate"), 2, "a call that has ended is not cancelled");
}

#[test]
fn calls_that_run_at_the_end_of_the_input_are_answered() {
    let (place, source) = (Place::new(), FakeSource::new(&["gate"]));
    let mut client = Client::start(&place, &source, "coder", json!({}));
    let ids = ["a", "b", "c"];
    for id in ids {
        client.send(call(id, "web_gate", &json!({})));
    }
    client.close();
    source.open_gate();
    let mut answered: Vec<Value> = client.end().into_iter().map(|mut answer| answer["id"].take()).collect();
    answered.sort_by_key(Value::to_string);
    assert_eq!(answered, ids);
}

/// A client must not do that, but each call is made, and the id has one answer.
#[test]
fn an_id_that_is_used_twice_at_the_same_time_is_answered_once() {
    let (place, source) = (Place::new(), FakeSource::new(&["gate", "echo"]));
    let mut client = Client::start(&place, &source, "coder", json!({}));
    client.send(call("a", "web_gate", &json!({})));
    client.send(call("a", "web_gate", &json!({})));
    client.call("web_echo", json!({}));
    assert_eq!(source.calls.lock().unwrap().len(), 3);
    source.open_gate();
    client.wait_for(|message| message["id"] == "a");
    assert!(client.direct.iter().all(|id| id != "a"));
    assert!(client.end().iter().all(|message| message["id"] != "a"));
}
