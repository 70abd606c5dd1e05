//! Confirmations that an agent asks for while its work is waited for.

use std::sync::{Arc, Mutex};

use minds_fleet_protocol::{
    ConfirmRequest, EndReason, ErrorCode, Event, EventKind, ItemId, Json, TaskEnd, Timestamp, Token,
    ToolCall, ToolResult,
};
use serde_json::json;

use crate::support::World;
use crate::support::fake_agent::FakeAgent;
use crate::support::terminal::Terminal;

/// Starts an agent that asks for a confirmation, and ends its work with the answer.
fn start(world: &World) -> (FakeAgent, Arc<Mutex<Vec<bool>>>) {
    let qid = ItemId::parse("q-5-000").unwrap();
    let answers = Arc::new(Mutex::new(Vec::new()));
    let noted = Arc::clone(&answers);
    let event =
        move |kind: EventKind| Event { kind, qid: Some(ItemId::parse("q-5-000").unwrap()), trace_id: None };
    let agent = FakeAgent::start(world, "shop/zeus", move |method, params| match method {
        "input" => {
            let request = ConfirmRequest {
                id: "c-1".to_owned(),
                kind: "tool".to_owned(),
                title: "write `a.txt`".to_owned(),
                body: "+new line\u{1b}[2J".to_owned(),
                expires_at: Timestamp::from_seconds(1.8e9).unwrap(),
            };
            let token = Token { text: "I write.".to_owned(), model: "small".to_owned(), stream: None };
            let output = Token { text: "hidden".to_owned(), model: "tool:os.exec".to_owned(), stream: None };
            let call = ToolCall {
                name: "fs.write".to_owned(),
                input: Json::parse("{}").unwrap(),
                call_id: "1".to_owned(),
            };
            let events =
                vec![event(token.into()), event(output.into()), event(call.into()), event(request.into())];
            Ok((json!({ "queued": true, "qid": qid }), events))
        }
        "confirm.answer" => {
            assert_eq!(params["id"], "c-1");
            let answer = params["answer"].as_bool().unwrap();
            noted.lock().unwrap().push(answer);
            let result = ToolResult {
                call_id: "1".to_owned(),
                name: "fs.write".to_owned(),
                ok: answer,
                rc: None,
                duration_ms: 1,
                code: None,
            };
            let end = TaskEnd { id: qid.clone(), ok: answer, reason: Some(EndReason::Refused) };
            Ok((json!({ "ok": true }), vec![event(result.into()), event(end.into())]))
        }
        _ => Err(ErrorCode::NoSuchMethod),
    });
    (agent, answers)
}

#[test]
fn confirmations_are_refused_without_a_terminal() {
    let world = World::empty();
    let (_agent, answers) = start(&world);
    let ended = world.document(&["send", "shop/zeus", "--wait", "go"], 1);
    assert_eq!((&ended["ok"], &ended["reason"]), (&false.into(), &"refused".into()));
    assert_eq!(ended["text"], "I write.", "the output of tools is not a part of the answer");
    assert_eq!(ended["tools"], json!([{ "name": "fs.write", "ok": false }]));
    assert_eq!(*answers.lock().unwrap(), [false]);
}

#[test]
fn a_person_is_asked() {
    let world = World::empty();
    let (_agent, answers) = start(&world);
    for (key, exit, expected) in [("y\n", 0, true), ("\n", 1, false)] {
        answers.lock().unwrap().clear();
        let mut terminal = Terminal::start(world.command(&["send", "shop/zeus", "--wait", "go"]));
        let before = terminal.until("write `a.txt`? [y/N] ");
        assert!(before.contains("I write.") && before.contains("+new line\\u{1b}[2J"), "{before}");
        terminal.types(key);
        let end = terminal.end();
        assert_eq!((end.exit, end.signal), (Some(exit), None), "{key:?}");
        assert_eq!(*answers.lock().unwrap(), [expected], "{key:?}");
    }
}
