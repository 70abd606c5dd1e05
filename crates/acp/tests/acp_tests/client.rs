//! The client of a program.

use std::time::Duration;

use minds_acp::{Client, ClientEvent, McpServer, Opening, SessionOrigin, ToolKind};
use minds_fleet_protocol::EndReason;
use serde_json::{Value, json};

use crate::messages;

const ZERO: Duration = Duration::ZERO;

fn receive(client: &mut Client, message: &Value) -> Vec<ClientEvent> {
    client.receive(message.to_string().as_bytes())
}

/// Opens a client whose program has these capabilities, up to the request for a session, which is returned.
fn begin(opening: Opening, capabilities: &Value) -> (Client, Value) {
    let mut client = Client::open(opening, ZERO);
    assert_eq!(messages(&client.take_output())[0]["method"], "initialize");
    let result = json!({ "protocolVersion": 1, "agentCapabilities": capabilities });
    assert_eq!(receive(&mut client, &json!({ "id": 0, "result": result })), []);
    let request = messages(&client.take_output()).remove(0);
    (client, request)
}

/// Returns a client with a prompt at work.
fn prompting() -> Client {
    let (mut client, request) = begin(Opening { cwd: "/w".to_owned(), ..Opening::default() }, &json!({}));
    assert_eq!(request["method"], "session/new");
    let opened = receive(&mut client, &json!({ "id": 1, "result": { "sessionId": "s" } }));
    assert_eq!(opened, [ClientEvent::Opened { session: "s".to_owned(), origin: SessionOrigin::New }]);
    client.prompt(&["do it".to_owned()]);
    let prompt = messages(&client.take_output()).remove(0);
    assert_eq!(
        prompt["params"],
        json!({ "sessionId": "s", "prompt": [{ "type": "text", "text": "do it" }] })
    );
    client
}

fn update(session: &str, update: &Value) -> Value {
    json!({ "method": "session/update", "params": { "sessionId": session, "update": update } })
}

fn question(id: u64, session: &str, kind: &str, options: &[&str]) -> Value {
    let options: Vec<Value> = options
        .iter()
        .map(|kind| json!({ "optionId": format!("o-{kind}"), "name": "", "kind": kind }))
        .collect();
    let call = json!({ "toolCallId": "c", "kind": kind, "title": "t" });
    let params = json!({ "sessionId": session, "toolCall": call, "options": options });
    json!({ "id": id, "method": "session/request_permission", "params": params })
}

fn asked(events: &[ClientEvent]) -> (u64, [ToolKind; 2]) {
    let found = events.iter().find_map(|event| match event {
        ClientEvent::Asked(question) => Some((question.number, question.kinds)),
        _ => None,
    });
    found.expect("a question")
}

#[test]
fn an_earlier_session_is_continued_where_the_program_can() {
    let opening = || Opening { session: Some("old".to_owned()), ..Opening::default() };
    for (capabilities, method) in [
        (json!({ "sessionCapabilities": { "resume": {} }, "loadSession": true }), "session/resume"),
        (json!({ "loadSession": true }), "session/load"),
        (json!({}), "session/new"),
    ] {
        let (mut client, request) = begin(opening(), &capabilities);
        assert_eq!(request["method"], method);
        if method == "session/new" {
            let events = receive(&mut client, &json!({ "id": 1, "result": { "sessionId": "s" } }));
            let (session, origin) = ("s".to_owned(), SessionOrigin::NewInsteadOfEarlier);
            assert_eq!(events, [ClientEvent::Opened { session, origin }]);
            continue;
        }
        assert_eq!(request["params"]["sessionId"], "old");
        // What a program replays belongs to earlier turns.
        let old =
            json!({ "sessionUpdate": "agent_message_chunk", "content": { "type": "text", "text": "old" } });
        assert_eq!(receive(&mut client, &update("old", &old)), []);
        let error = json!({ "code": -32_000, "message": "not found" });
        assert_eq!(receive(&mut client, &json!({ "id": 1, "error": error })), []);
        assert_eq!(messages(&client.take_output())[0]["method"], "session/new");
    }
}

#[test]
fn a_session_has_servers_and_a_model() {
    let server = McpServer {
        name: "minds".to_owned(),
        command: "/bin/minds".to_owned(),
        args: vec!["mcp".to_owned()],
    };
    let opening = Opening { servers: vec![server], model: Some("m2".to_owned()), ..Opening::default() };
    let (mut client, request) = begin(opening.clone(), &json!({}));
    let expected = json!([{ "name": "minds", "command": "/bin/minds", "args": ["mcp"], "env": [] }]);
    assert_eq!(request["params"]["mcpServers"], expected);
    let option = |value: &str| json!({ "value": value, "name": value });
    let model = json!({ "id": "model", "name": "Model", "category": "model", "type": "select", "currentValue": "m1", "options": [option("m1"), option("m2")] });
    let result = json!({ "sessionId": "s", "configOptions": [model] });
    assert_eq!(receive(&mut client, &json!({ "id": 1, "result": result })), []);
    let request = messages(&client.take_output()).remove(0);
    assert_eq!(request["method"], "session/set_config_option");
    assert_eq!(request["params"], json!({ "sessionId": "s", "configId": "model", "value": "m2" }));
    assert!(!client.is_idle());
    receive(&mut client, &json!({ "id": 2, "result": { "configOptions": [] } }));
    assert!(client.is_idle());

    let (mut client, _) = begin(opening, &json!({}));
    let events = receive(&mut client, &json!({ "id": 1, "result": { "sessionId": "s" } }));
    assert!(matches!(&events[0], ClientEvent::Warning(message) if message.contains("`m2`")), "{events:?}");
    assert!(client.is_idle());
}

#[test]
fn a_session_begins_in_the_mode_in_which_the_program_asks() {
    let meta = json!({ "claudeCode": { "options": {} } });
    let opening = || Opening {
        mode: Some("default".to_owned()),
        meta: meta.as_object().cloned(),
        ..Opening::default()
    };
    let session = json!({ "id": 1, "result": { "sessionId": "s" } });
    let (mut client, request) = begin(opening(), &json!({}));
    assert_eq!(request["params"]["_meta"], meta);
    assert_eq!(receive(&mut client, &session), []);
    let request = messages(&client.take_output()).remove(0);
    assert_eq!(request["method"], "session/set_mode");
    assert_eq!(request["params"], json!({ "sessionId": "s", "modeId": "default" }));
    assert!(!client.is_idle());
    let opened = receive(&mut client, &json!({ "id": 2, "result": {} }));
    assert_eq!(opened, [ClientEvent::Opened { session: "s".to_owned(), origin: SessionOrigin::New }]);

    // A session that is continued gets the same, and a program that does not take the mode gets no prompt.
    let earlier = Opening { session: Some("old".to_owned()), ..opening() };
    let (mut client, request) = begin(earlier, &json!({ "loadSession": true }));
    assert_eq!((&request["method"], &request["params"]["_meta"]), (&json!("session/load"), &meta));
    assert_eq!(receive(&mut client, &json!({ "id": 1, "result": {} })), []);
    let error = json!({ "code": -32_602, "message": "unknown mode" });
    let events = receive(&mut client, &json!({ "id": 2, "error": error }));
    assert!(
        matches!(&events[..], [ClientEvent::Failed(message)] if message.contains("unknown mode")),
        "{events:?}"
    );
    assert!(!client.is_idle());
}

#[test]
fn another_version_of_the_protocol_is_refused() {
    let mut client = Client::open(Opening::default(), ZERO);
    let events = receive(&mut client, &json!({ "id": 0, "result": { "protocolVersion": 2 } }));
    assert!(matches!(&events[..], [ClientEvent::Failed(message)] if message.contains("version 2")));
}

#[test]
fn a_question_is_answered_for_one_call_only() {
    for (options, is_allowed, expected) in [
        (&["allow_always", "allow_once", "reject_once", "reject_always"][..], true, json!("o-allow_once")),
        (&["allow_always", "allow_once", "reject_once", "reject_always"], false, json!("o-reject_once")),
        (&["allow_always", "reject_once"], true, json!("o-reject_once")),
        (&["allow_always"], true, Value::Null),
        (&["allow_once", "reject_always"], false, Value::Null),
    ] {
        let mut client = prompting();
        let (number, kinds) = asked(&receive(&mut client, &question(7, "s", "edit", options)));
        assert_eq!(kinds, [ToolKind::Edit; 2]);
        client.answer(number, is_allowed);
        // A second answer has no question.
        client.answer(number, !is_allowed);
        let answers = messages(&client.take_output());
        assert_eq!((answers.len(), &answers[0]["id"]), (1, &json!(7)));
        assert_eq!(answers[0]["result"]["outcome"]["optionId"], expected, "{options:?}");
    }
}

#[test]
fn a_question_shows_the_last_arguments_of_the_call() {
    let call = |method: &str, input: &Value| {
        update(
            "s",
            &json!({ "sessionUpdate": method, "toolCallId": "c", "title": "write", "kind": "edit", "rawInput": input }),
        )
    };
    let (none, path, diff) = (json!({}), json!({ "path": "a" }), json!({ "path": "a", "diff": "+1" }));
    for (begun, updated, asked, expected) in [
        (&none, None, Some(&diff), Some(&diff)),
        (&none, Some(&path), None, Some(&path)),
        (&none, Some(&path), Some(&none), Some(&path)),
        (&path, None, None, Some(&path)),
        (&path, Some(&none), Some(&diff), Some(&diff)),
        (&none, None, None, None),
    ] {
        let mut client = prompting();
        receive(&mut client, &call("tool_call", begun));
        if let Some(input) = updated {
            receive(&mut client, &call("tool_call_update", input));
        }
        let mut question = question(7, "s", "edit", &["allow_once"]);
        if let Some(input) = asked {
            question["params"]["toolCall"]["rawInput"] = input.clone();
        }
        let events = receive(&mut client, &question);
        let [ClientEvent::Asked(question)] = &events[..] else { panic!("{events:?}") };
        assert_eq!(question.input["title"], "t");
        assert_eq!(question.input.get("input"), expected, "{begun} {updated:?} {asked:?}");
    }
    // A long one is cut, and not left out.
    let mut client = prompting();
    let mut question = question(7, "s", "edit", &["allow_once"]);
    question["params"]["toolCall"]["rawInput"] = json!({ "diff": "x".repeat(100_000) });
    let events = receive(&mut client, &question);
    let Some(ClientEvent::Asked(question)) = events.last() else { panic!("{events:?}") };
    let shown = question.input["input"].as_str().unwrap();
    assert!(shown.starts_with("{\"diff\":\"xxx") && shown.ends_with('…') && shown.len() < 17_000);
}

#[test]
fn a_program_cannot_name_a_harmless_kind_for_a_call_of_another_one() {
    let mut client = prompting();
    receive(
        &mut client,
        &update(
            "s",
            &json!({ "sessionUpdate": "tool_call", "toolCallId": "c", "title": "t", "kind": "execute" }),
        ),
    );
    let (_, kinds) = asked(&receive(&mut client, &question(7, "s", "read", &["allow_once"])));
    assert_eq!(kinds, [ToolKind::Execute, ToolKind::Read]);
}

#[test]
fn unknown_ids_and_sessions_are_refused_or_ignored() {
    let mut client = prompting();
    let is_warning = |events: &[ClientEvent]| matches!(events, [ClientEvent::Warning(_)]);
    assert!(is_warning(&receive(&mut client, &json!({ "id": 99, "result": {} }))));
    assert_eq!(receive(&mut client, &json!({ "id": 0, "result": {} })), [], "one warning for each thing");
    assert!(is_warning(&receive(&mut client, &question(7, "other", "edit", &["allow_once"]))));
    let text = json!({ "sessionUpdate": "agent_message_chunk", "content": { "type": "text", "text": "x" } });
    assert!(is_warning(&receive(&mut client, &update("other", &text))));
    for method in ["fs/write_text_file", "fs/read_text_file", "terminal/create", "x"] {
        assert_eq!(receive(&mut client, &json!({ "id": "a", "method": method, "params": {} })), []);
    }
    let codes: Vec<i64> = messages(&client.take_output())
        .iter()
        .map(|answer| answer["error"]["code"].as_i64().unwrap())
        .collect();
    assert_eq!(codes, [-32_602, -32_601, -32_601, -32_601, -32_601]);
}

#[test]
fn a_call_begins_and_ends_once() {
    let mut client = prompting();
    let call = |status: &str| {
        update(
            "s",
            &json!({ "sessionUpdate": "tool_call_update", "toolCallId": "c", "status": status, "rawOutput": status }),
        )
    };
    let started = receive(&mut client, &call("in_progress"));
    assert!(matches!(&started[..], [ClientEvent::CallStarted { id, .. }] if id == "e-0"));
    let ended = receive(&mut client, &call("completed"));
    assert!(
        matches!(&ended[..], [ClientEvent::CallEnded { is_ok: true, content, .. }] if content == "completed")
    );
    assert_eq!(receive(&mut client, &call("failed")), []);
    let other = update("s", &json!({ "sessionUpdate": "tool_call", "toolCallId": "d", "title": "t" }));
    receive(&mut client, &other);
    let ended = receive(&mut client, &json!({ "id": 2, "result": { "stopReason": "end_turn" } }));
    assert!(
        matches!(
            &ended[..],
            [ClientEvent::CallEnded { is_ok: false, .. }, ClientEvent::Ended(EndReason::Done)]
        ),
        "{ended:?}"
    );
}

#[test]
fn a_program_that_does_not_answer_fails_in_time() {
    let mut client = Client::open(Opening::default(), ZERO);
    assert_eq!(client.poll(Duration::from_secs(59)), []);
    assert!(matches!(&client.poll(Duration::from_mins(1))[..], [ClientEvent::Failed(_)]));

    let mut client = prompting();
    assert_eq!(client.poll(Duration::from_hours(1)), [], "a prompt has no limit of its own");
    receive(&mut client, &question(7, "s", "edit", &["allow_once"]));
    client.cancel(Duration::from_hours(1));
    let sent = messages(&client.take_output());
    assert_eq!(sent[0]["method"], "session/cancel");
    assert_eq!(sent[1]["result"]["outcome"]["outcome"], "cancelled");
    assert!(matches!(&client.poll(Duration::from_secs(3_605))[..], [.., ClientEvent::Failed(_)]));
    assert_eq!(receive(&mut client, &json!({ "id": 2, "result": { "stopReason": "end_turn" } })), []);
}
