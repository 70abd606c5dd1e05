//! `acp`, with an editor of the tests.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

use minds_fleet_protocol::{Event, EventKind, Json};
use serde_json::{Value, json};

use crate::support::World;
use crate::support::fake_agent::FakeAgent;

/// An editor that has started the program.
struct Editor {
    process: Child,
    stdin: Option<ChildStdin>,
    stdout: BufReader<ChildStdout>,
    /// The notifications that came before the last answer.
    updates: Vec<Value>,
}

impl Editor {
    fn start(world: &World, args: &[&str]) -> Self {
        let mut command = world.command(&[&["acp"], args].concat());
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut process = command.spawn().unwrap();
        let stdin = process.stdin.take();
        let stdout = BufReader::new(process.stdout.take().unwrap());
        let mut editor = Self { process, stdin, stdout, updates: Vec::new() };
        let initialized = editor.request(0, "initialize", &json!({ "protocolVersion": 1 }));
        assert_eq!(initialized["result"]["protocolVersion"], 1);
        editor
    }

    fn send(&mut self, message: &Value) {
        let stdin = self.stdin.as_mut().unwrap();
        stdin.write_all(format!("{message}\n").as_bytes()).unwrap();
    }

    fn receive(&mut self) -> Value {
        let mut line = String::new();
        assert!(self.stdout.read_line(&mut line).unwrap() > 0, "the program has ended");
        serde_json::from_str(&line).unwrap()
    }

    /// Returns the next message that is not a notification.
    fn next(&mut self) -> Value {
        self.updates.clear();
        loop {
            let message = self.receive();
            if message["id"].is_null() {
                self.updates.push(message["params"]["update"].clone());
            } else {
                return message;
            }
        }
    }

    fn request(&mut self, id: u64, method: &str, params: &Value) -> Value {
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        self.next()
    }

    fn open(&mut self) -> Value {
        self.request(1, "session/new", &json!({ "cwd": "/", "mcpServers": [] }))
    }

    fn send_prompt(&mut self, id: u64, text: &str) {
        let params = json!({ "sessionId": "shop/zeus", "prompt": [{ "type": "text", "text": text }] });
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": "session/prompt", "params": params }));
    }

    fn cancel(&mut self) {
        let params = json!({ "sessionId": "shop/zeus" });
        self.send(&json!({ "jsonrpc": "2.0", "method": "session/cancel", "params": params }));
    }

    /// Returns the text of the last notifications.
    fn text(&self, kind: &str) -> String {
        let chunks = self.updates.iter().filter(|update| update["sessionUpdate"] == kind);
        chunks.map(|update| update["content"]["text"].as_str().unwrap_or_default()).collect()
    }

    /// Closes the connection, and returns the exit code.
    fn close(mut self) -> Option<i32> {
        drop(self.stdin.take());
        self.process.wait().unwrap().code()
    }
}

impl Drop for Editor {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

#[test]
fn a_session_owns_the_agent_and_a_prompt_waits_for_its_end() {
    let world = World::new(
        &["zeus"],
        &[
            r#"{"when":"one","text":"The first answer"}"#,
            r#"{"when":"slow","text":"a b c d e f g h i j k l m n o p q r s t","chunk":1,"delay_ms":500}"#,
        ],
    );
    let mut editor = Editor::start(&world, &["zeus"]);
    // The agent is started.
    assert_eq!(editor.open()["result"]["sessionId"], "shop/zeus");
    let owner = world.document(&["who", "zeus"], 0);
    assert!(owner["agents"][0]["owner"]["caller"].as_str().unwrap().starts_with("acp:s-"), "{owner}");
    editor.send_prompt(2, "one");
    assert_eq!(editor.next()["result"]["stopReason"], "end_turn");
    assert_eq!(editor.text("agent_message_chunk"), "The first answer");
    editor.send_prompt(3, "slow");
    assert_eq!(editor.receive()["params"]["update"]["sessionUpdate"], "agent_message_chunk");
    editor.cancel();
    assert_eq!(editor.next()["result"]["stopReason"], "cancelled");
    assert_eq!(editor.close(), Some(0));
    let owner = world.document(&["who", "zeus"], 0);
    assert_eq!(owner["agents"][0]["owner"], Value::Null);

    let mut editor = Editor::start(&world, &["zeus"]);
    let params = json!({ "sessionId": "shop/zeus", "cwd": "/", "mcpServers": [] });
    assert!(editor.request(1, "session/load", &params)["error"].is_null());
    assert_eq!(editor.text("user_message_chunk"), "oneslow");
    assert!(editor.text("agent_message_chunk").starts_with("The first answera"));
}

#[test]
fn another_owner_is_an_error_with_its_code() {
    let world = World::new(&["zeus"], &[]);
    let mut first = Editor::start(&world, &["zeus"]);
    first.open();
    let mut second = Editor::start(&world, &["zeus"]);
    let refused = second.open();
    assert_eq!(refused["error"]["data"]["code"], "ownership.denied", "{refused}");
    assert!(refused["error"]["data"]["detail"]["owner"].is_string(), "{refused}");
    let mut third = Editor::start(&world, &["zeus", "--takeover"]);
    assert_eq!(third.open()["result"]["sessionId"], "shop/zeus");
    first.send_prompt(2, "hello");
    assert_eq!(first.next()["error"]["data"]["code"], "ownership.denied");
}

#[test]
fn an_agent_that_is_not_configured_cannot_be_opened() {
    let world = World::new(&["zeus"], &[]);
    let mut editor = Editor::start(&world, &["hera"]);
    assert_eq!(editor.open()["error"]["data"]["code"], "agent.not_found");
    assert_eq!(editor.close(), Some(0));
}

#[test]
fn a_confirmation_is_asked_in_the_editor() {
    let world = World::new(&["zeus"], &[]);
    let answers = std::sync::Arc::new(std::sync::Mutex::new(Vec::new()));
    let noted = std::sync::Arc::clone(&answers);
    let event = |text: Value| {
        let mut event: Event = Json::parse(&text.to_string()).unwrap().decode().unwrap();
        event.qid = minds_fleet_protocol::ItemId::parse("q-1").ok();
        event
    };
    let _agent = FakeAgent::start(&world, "shop/zeus", move |method, params| match method {
        "input" => {
            let request = json!({ "type": "confirm.request", "id": "c-1", "kind": "tool", "title": "run it", "body": "{}", "expires_at": 2.0 });
            Ok((json!({ "queued": true, "qid": "q-1" }), vec![event(request)]))
        }
        "confirm.answer" => {
            noted.lock().unwrap().push(params.clone());
            let end = event(json!({ "type": "task.end", "id": "q-1", "ok": true, "reason": "done" }));
            assert!(matches!(end.kind, EventKind::TaskEnd(_)));
            Ok((json!({ "ok": true }), vec![end]))
        }
        _ => Err(minds_fleet_protocol::ErrorCode::NoSuchMethod),
    });
    let mut editor = Editor::start(&world, &["zeus"]);
    editor.open();
    editor.send_prompt(2, "hello");
    let asked = editor.next();
    assert_eq!(asked["method"], "session/request_permission");
    let outcome = json!({ "outcome": "selected", "optionId": "allow" });
    editor.send(&json!({ "jsonrpc": "2.0", "id": asked["id"], "result": { "outcome": outcome } }));
    assert_eq!(editor.next()["result"]["stopReason"], "end_turn");
    assert_eq!(*answers.lock().unwrap(), [json!({ "id": "c-1", "answer": true })]);
}

#[test]
fn doctor_looks_for_the_programs_of_engines() {
    let world = World::new(&["zeus", "hera"], &[]);
    let engines = |world: &World, code| {
        let checks = world.document(&["doctor"], code)["checks"].as_array().unwrap().clone();
        checks.into_iter().find(|check| check["name"] == "engines").unwrap()
    };
    assert_eq!(engines(&world, 0)["ok"], true);
    let file = |command: &str| format!("name: hera\nengine: {{kind: acp, command: {command}}}\n");
    world.write(".ateam/agents/hera/agent.yaml", &file("no-such-program-of-an-engine"));
    let check = engines(&world, 1);
    assert_eq!(check["message"], "not found: `no-such-program-of-an-engine` of `hera`");
    assert!(check["help"].as_str().unwrap().contains("PATH"));
    world.write(".ateam/agents/hera/agent.yaml", &file("sh"));
    assert_eq!(engines(&world, 0)["message"], "the programs of 1 agent are on PATH");
}
