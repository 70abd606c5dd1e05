//! Calls of tools of servers.

use serde_json::{Value, json};

use super::client::Client;
use super::source::{FakeSource, object, strange_result};
use super::{Place, TEAM};

#[test]
fn arguments_and_results_pass_unchanged() {
    let (place, source) = (Place::new(), FakeSource::new(&["echo"]));
    let mut client = Client::start(&place, &source, "coder", json!({}));
    let arguments = json!({"a": [1, {"b": null}], "task": 7, "serverId": "é"});
    assert_eq!(client.call("web_echo", arguments.clone()), strange_result(&object(arguments.clone())));
    assert_eq!(client.ask("tools/call", json!({"name": "web_echo"})), strange_result(&object(json!({}))));
    let calls = source.calls.lock().unwrap();
    assert_eq!((&calls[0].caller, &calls[0].tool.original), (&"coder".to_owned(), &"echo".to_owned()));
    assert_eq!(Value::Object(calls[0].arguments.clone()), arguments);
    assert!(!calls[0].can_elicit);
}

#[test]
fn structured_content_of_older_clients_is_an_object() {
    let (place, source) = (Place::new(), FakeSource::new(&["numbers"]));
    let mut client = Client::start(&place, &source, "coder", json!({}));
    let expected = json!({"content": [{"type": "text", "text": "[1,2]"}]});
    assert_eq!(client.call("web_numbers", json!({})), expected);
}

#[test]
fn a_call_is_authorized_with_the_current_files() {
    let (place, source) = (Place::new(), FakeSource::new(&["echo"]));
    let mut client = Client::start(&place, &source, "reader", json!({}));
    let refused = client.call("web_echo", json!({}));
    let message = "`reader` does not have `web_echo`, which is in the toolset `browser`";
    assert_eq!(refused["isError"], true);
    let document = json!({"status": "error", "tool": "web_echo", "code": "TOOL_NOT_GRANTED", "message": message,
        "next": "use a tool that you have, or ask the team's manager", "details": {"toolsets": ["browser"]}});
    assert_eq!(refused["structuredContent"], document);
    let text = refused["content"][0]["text"].as_str().unwrap();
    assert!(text.starts_with(&format!("TOOL_NOT_GRANTED: {message}\nnext: ")), "{text}");
    assert!(source.calls.lock().unwrap().is_empty());
    place.write(&TEAM.replace("[ws_read]", "[browser]"));
    assert_eq!(client.call("web_echo", json!({}))["isError"], false);
}

#[test]
fn an_unknown_tool_is_an_error_of_the_protocol() {
    let (place, source) = (Place::new(), FakeSource::new(&["echo"]));
    let mut client = Client::start(&place, &source, "coder", json!({}));
    let id = client.request("tools/call", json!({"name": "web_ech", "arguments": {}}));
    let reply = client.reply(id);
    assert_eq!(reply["error"]["code"], -32602);
    assert_eq!(reply["error"]["message"], "unknown tool `web_ech`; did you mean `web_echo`?");
    source.set(Vec::new());
    let id = client.request("tools/call", json!({"name": "web_echo", "arguments": {}}));
    assert_eq!(client.reply(id)["error"]["code"], -32602);
}

#[test]
fn a_refusal_of_the_gateway_is_an_error_of_the_tool() {
    let (place, source) = (Place::new(), FakeSource::new(&["refuse", "vanish"]));
    let mut client = Client::start(&place, &source, "coder", json!({}));
    let refused = client.call("web_refuse", json!({}));
    assert_eq!(refused["isError"], true);
    let document = json!({"status": "error", "tool": "web_refuse", "code": "TIMED_OUT",
        "message": "no answer in 300 s", "next": "try again"});
    assert_eq!(refused["structuredContent"], document);
    assert_eq!(refused["content"][0]["text"], "TIMED_OUT: no answer in 300 s\nnext: try again");
    // A gateway that ends without an answer does not leave a call open.
    assert_eq!(client.call("web_vanish", json!({}))["structuredContent"]["code"], "SERVER_UNAVAILABLE");
}

#[test]
fn progress_is_forwarded_in_order_on_request() {
    let (place, source) = (Place::new(), FakeSource::new(&["count"]));
    let mut client = Client::start(&place, &source, "coder", json!({}));
    let params = json!({"name": "web_count", "arguments": {}, "_meta": {"progressToken": "mine"}});
    assert_eq!(client.ask("tools/call", params)["content"][0]["text"], "counted");
    let heard: Vec<Value> = client.heard.drain(..).map(|mut message| message["params"].take()).collect();
    let progress = |number: f64| json!({"progressToken": "mine", "progress": number, "total": 3.0, "message": "counting"});
    assert_eq!(heard, [progress(1.0), progress(2.0), progress(3.0)]);
    client.call("web_count", json!({}));
    assert_eq!(client.heard, Vec::<Value>::new());
}

#[test]
fn a_call_that_the_client_cancels_is_cancelled_at_the_server() {
    let (place, source) = (Place::new(), FakeSource::new(&["hang", "echo"]));
    let mut client = Client::start(&place, &source, "coder", json!({}));
    let id = client.request("tools/call", json!({"name": "web_hang"}));
    client.call("web_echo", json!({}));
    let params = json!({"requestId": id, "reason": "changed my mind"});
    client.send(json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params}));
    source.wait_for("cancel hang");
    client.call("web_echo", json!({}));
    let rest = client.end();
    assert!(rest.iter().all(|message| message["id"] != id), "{rest:?}");
    assert_eq!(source.log.lock().unwrap().iter().filter(|entry| entry.starts_with("cancel")).count(), 1);
}

/// More calls than there are threads for files.
#[test]
fn long_calls_do_not_delay_other_calls() {
    let (place, source) = (Place::new(), FakeSource::new(&["hang", "echo"]));
    let mut client = Client::start(&place, &source, "coder", json!({}));
    for _ in 0..100 {
        client.request("tools/call", json!({"name": "web_hang"}));
    }
    assert_eq!(client.call("web_echo", json!({}))["isError"], false);
    let answer = client.call("search_text", json!({"text": "x"}));
    assert_eq!(answer["structuredContent"]["status"], "ok", "{answer}");
}

#[test]
fn a_session_is_a_conversation_that_ends_with_it() {
    let (place, source) = (Place::new(), FakeSource::new(&["echo", "hang"]));
    let mut client = Client::start(&place, &source, "coder", json!({}));
    client.call("web_echo", json!({}));
    client.call("web_echo", json!({}));
    client.call("mcp_release", json!({"serverId": "browser"}));
    let conversations = source.conversations();
    assert_eq!(conversations[0], conversations[1]);
    assert_eq!(conversations[0].len(), 32);
    source.wait_for(&format!("Release browser {}", conversations[0]));
    client.request("tools/call", json!({"name": "web_hang"}));
    client.call("web_echo", json!({}));
    client.end();
    source.wait_for("cancel hang");
    source.wait_for(&format!("end {}", conversations[0]));
    let mut other = Client::start(&place, &source, "coder", json!({}));
    other.call("web_echo", json!({}));
    assert_ne!(source.conversations().last(), Some(&conversations[0]));
}
