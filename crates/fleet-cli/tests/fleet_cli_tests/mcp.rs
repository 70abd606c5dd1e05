//! The toolset `fleet`, used by a client over pipes.

mod tasks;

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};
use std::sync::mpsc::channel;

use minds_fleet_protocol::ErrorCode;
use serde_json::{Value, json};

use crate::support::World;
use crate::support::fake_agent::FakeAgent;

const SLOW: &str =
    r#"{"when":"slow","text":"0123456789012345678901234567890123456789","chunk":1,"delay_ms":500}"#;
/// Each answer is given once.
const SCRIPT: [&str; 4] = [
    r#"{"when":"one","text":"The first\nanswer","chunk":3}"#,
    r#"{"when":"escape","text":"a\u001b[2J\u202eb"}"#,
    SLOW,
    SLOW,
];

/// A client of the server.
struct McpClient {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    last_id: i64,
    /// The messages that were read while another one was expected.
    others: Vec<Value>,
}

impl McpClient {
    /// Starts a server without a handshake.
    fn open(world: &World, args: &[&str]) -> Self {
        let mut command = world.command(&[&["mcp"], args].concat());
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let (input, output) = (child.stdin.take(), BufReader::new(child.stdout.take().unwrap()));
        Self { child, input, output, last_id: 0, others: Vec::new() }
    }

    /// Starts a server, and begins a session.
    fn start(world: &World, args: &[&str]) -> Self {
        let mut client = Self::open(world, args);
        let params = json!({
            "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": { "name": "test", "version": "1" },
        });
        let id = client.send("initialize", &params);
        let started = client.response(id);
        assert_eq!(started["result"]["serverInfo"]["name"], "minds-fleet", "{started}");
        client.write(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }).to_string());
        client
    }

    fn write(&mut self, line: &str) {
        writeln!(self.input.as_mut().unwrap(), "{line}").unwrap();
    }

    fn send(&mut self, method: &str, params: &Value) -> i64 {
        self.last_id += 1;
        let message = json!({ "jsonrpc": "2.0", "id": self.last_id, "method": method, "params": params });
        self.write(&message.to_string());
        self.last_id
    }

    /// Begins a call that reports progress.
    fn begin(&mut self, tool: &str, args: &Value) -> i64 {
        let token = format!("p{}", self.last_id + 1);
        let params = json!({ "name": tool, "arguments": args, "_meta": { "progressToken": token } });
        self.send("tools/call", &params)
    }

    fn read(&mut self) -> Value {
        let mut line = String::new();
        assert_ne!(self.output.read_line(&mut line).unwrap(), 0, "the server has ended");
        assert!(!line.contains(['\u{1b}', '\u{202e}']), "a control character: {line}");
        serde_json::from_str(&line).unwrap()
    }

    /// Returns the response to a request.
    fn response(&mut self, id: i64) -> Value {
        loop {
            let message = self.read();
            if message["id"] == id {
                return message;
            }
            self.others.push(message);
        }
    }

    /// Reads until the progress of a call has this message.
    fn until_progress(&mut self, id: i64, message: &str) {
        loop {
            let read = self.read();
            let params = &read["params"];
            let is_own = params["progressToken"] == format!("p{id}");
            if is_own && params["message"].as_str().is_some_and(|text| text.starts_with(message)) {
                return;
            }
            self.others.push(read);
        }
    }

    /// Calls a tool, and returns its result.
    fn call(&mut self, tool: &str, args: &Value) -> Value {
        let id = self.send("tools/call", &json!({ "name": tool, "arguments": args }));
        self.response(id)["result"].clone()
    }

    /// Calls a tool, which fails with this code.
    #[track_caller]
    fn fail(&mut self, tool: &str, args: &Value, code: &str) -> Value {
        let result = self.call(tool, args);
        assert_eq!(
            (&result["isError"], &result["structuredContent"]["code"]),
            (&true.into(), &code.into()),
            "{result}"
        );
        assert!(result["content"][0]["text"].as_str().unwrap().starts_with(&format!("{code}: ")), "{result}");
        result["structuredContent"].clone()
    }

    /// Ends the session, and returns all messages that were not expected.
    fn end(mut self) -> Vec<Value> {
        drop(self.input.take());
        let mut line = String::new();
        while self.output.read_line(&mut line).unwrap() > 0 {
            self.others.push(serde_json::from_str(&line).unwrap());
            line.clear();
        }
        assert_eq!(self.child.wait().unwrap().code(), Some(0));
        self.others
    }
}

fn text(result: &Value) -> &str {
    result["content"][0]["text"].as_str().unwrap()
}

#[test]
fn a_client_lists_the_agents_and_gives_them_work() {
    let world = World::new(&["zeus"], &SCRIPT);
    world.succeed(&["up"]);
    let mut client = McpClient::start(&world, &[]);
    let id = client.send("tools/list", &json!({}));
    let tools = client.response(id);
    let names: Vec<&str> = tools["result"]["tools"]
        .as_array()
        .unwrap()
        .iter()
        .map(|tool| tool["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["fleet_list", "fleet_send", "fleet_read", "fleet_cancel"]);
    let listed = client.call("fleet_list", &json!({}));
    assert_eq!(listed["structuredContent"]["agents"][0]["id"], "shop/zeus", "{listed}");

    let sent = client.call("fleet_send", &json!({ "agent": "zeus", "text": "one" }));
    let document = &sent["structuredContent"];
    assert_eq!(document["text"], "The first\nanswer", "{sent}");
    assert_eq!(
        (&document["ok"], &document["queued"], &document["reason"]),
        (&true.into(), &true.into(), &"done".into())
    );
    assert_eq!((&document["untrusted"], &sent["isError"]), (&true.into(), &false.into()));
    assert!(
        text(&sent).contains("written by another agent") && text(&sent).ends_with("The first\nanswer"),
        "{sent}"
    );

    // Nothing that an agent writes reaches a terminal; `read` checks each line.
    let sent = client.call("fleet_send", &json!({ "agent": "shop/zeus", "text": "escape" }));
    assert_eq!(sent["structuredContent"]["text"], "a\\u{1b}[2J\\u{202e}b");
    let queued = client.call("fleet_send", &json!({ "agent": "zeus", "text": "one", "wait": false }));
    assert!(
        queued["structuredContent"]["qid"].is_string() && queued["structuredContent"]["ok"].is_null(),
        "{queued}"
    );
    let idle = client.call("fleet_cancel", &json!({ "agent": "zeus" }));
    assert_eq!(idle["isError"], false, "{idle}");
    assert_eq!(client.end(), Vec::<Value>::new());
    // The client has released the agent.
    assert_eq!(world.document(&["who", "zeus"], 0)["agents"][0]["owner"], Value::Null);
}

#[test]
fn events_are_read_in_pages_also_of_an_agent_that_has_ended() {
    let world = World::new(&["zeus"], &SCRIPT);
    world.succeed(&["up"]);
    let mut client = McpClient::start(&world, &[]);
    client.call("fleet_send", &json!({ "agent": "zeus", "text": "escape" }));
    world.succeed(&["down"]);
    let all = client.call("fleet_read", &json!({ "agent": "zeus" }))["structuredContent"].clone();
    let count = all["events"].as_array().unwrap().len();
    assert!(count > 4 && all["more"] == false, "{all}");
    let (mut from, mut paged) = (0, Vec::new());
    loop {
        let page = client.call("fleet_read", &json!({ "agent": "zeus", "from_offset": from, "limit": 2 }));
        let page = &page["structuredContent"];
        paged.extend(page["events"].as_array().unwrap().clone());
        from = page["next_offset"].as_u64().unwrap();
        if page["more"] == false {
            break;
        }
    }
    assert_eq!(paged, *all["events"].as_array().unwrap());
    assert_eq!(from, all["next_offset"].as_u64().unwrap());
    client.end();
}

#[test]
fn failures_are_results_with_the_code_of_the_fleet() {
    let world = World::new(&["zeus"], &[]);
    let mut client = McpClient::start(&world, &[]);
    let _agent = FakeAgent::start(&world, "shop/hera", |method, _| {
        if method == "input" { Err(ErrorCode::Busy) } else { Ok((json!({}), Vec::new())) }
    });
    let near = client.fail("fleet_send", &json!({ "agent": "zeu", "text": "one" }), "agent.not_found");
    assert_eq!(near["detail"]["near"][0], "shop/zeus", "{near}");
    client.fail("fleet_send", &json!({ "agent": "zeus", "text": "one" }), "agent.not_found");
    client.fail("fleet_send", &json!({ "agent": "hera", "text": "one" }), "busy");
    client.fail("fleet_read", &json!({ "agent": "nobody" }), "agent.not_found");
    client.fail("fleet_read", &json!({ "agent": "hera", "limit": 513 }), "args.invalid");
    client.fail("fleet_cancel", &json!({ "agent": "../hera" }), "args.invalid");
    client.fail("fleet_send", &json!({ "agent": "hera", "text": "one", "more": 1 }), "args.invalid");
    client.fail("fleet_send", &json!({ "agent": "hera", "text": "x".repeat(262_145) }), "payload.too_large");
    // The text is within the limit, and the message with it is not.
    client.fail("fleet_send", &json!({ "agent": "hera", "text": "x".repeat(262_140) }), "payload.too_large");
    let id = client.send("tools/call", &json!({ "name": "fleet_stop", "arguments": {} }));
    assert_eq!(client.response(id)["error"]["code"], -32602);
    client.end();
}

#[test]
fn lines_that_are_not_messages_do_not_end_the_session() {
    let world = World::new(&["zeus"], &[]);
    let mut client = McpClient::start(&world, &[]);
    for line in
        ["{", "[]", "null", "", r#"{"jsonrpc":"2.0","method":"notifications/nope"}"#, &"x".repeat(3_000_000)]
    {
        client.write(line);
    }
    let id = client.send("no/such/method", &json!({}));
    assert_eq!(client.response(id)["error"]["code"], -32601);
    assert_eq!(client.call("fleet_list", &json!({}))["structuredContent"]["agents"], json!([]));
    let codes: Vec<i64> =
        client.end().iter().map(|message| message["error"]["code"].as_i64().unwrap()).collect();
    assert_eq!(codes, [-32700, -32600, -32600, -32600]);
}

#[test]
fn the_end_of_a_call_is_not_the_end_of_the_work() {
    let world = World::new(&["zeus"], &SCRIPT);
    world.succeed(&["up"]);
    let mut client = McpClient::start(&world, &[]);
    let id = client.begin("fleet_send", &json!({ "agent": "zeus", "text": "slow" }));
    client.until_progress(id, "works on q-");
    let params = json!({ "requestId": id, "reason": "enough" });
    client.write(
        &json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": params }).to_string(),
    );
    // The agent works on. Its entry in the registry follows its events.
    while client.call("fleet_list", &json!({}))["structuredContent"]["agents"][0]["state"] != "busy" {}
    // A wait that ends is a failure with the item, and the agent works on too.
    let late = json!({ "agent": "zeus", "text": "one", "timeout_seconds": 0.2 });
    let late = client.fail("fleet_send", &late, "timeout");
    assert!(late["detail"]["qid"].is_string(), "{late}");
    // While one call waits for the agent, another ends its work.
    let waiting = client.begin("fleet_send", &json!({ "agent": "zeus", "text": "slow" }));
    client.until_progress(waiting, "queued q-");
    // The item of the cancelled call, the one in front of the last, and the last one.
    client.call("fleet_cancel", &json!({ "agent": "zeus" }));
    client.until_progress(waiting, "works on q-");
    let cancelled = client.call("fleet_cancel", &json!({ "agent": "zeus" }));
    assert!(cancelled["structuredContent"]["qid"].is_string(), "{cancelled}");
    let ended = client.response(waiting)["result"].clone();
    assert_eq!(
        (&ended["isError"], &ended["structuredContent"]["ok"]),
        (&true.into(), &false.into()),
        "{ended}"
    );
    let others = client.end();
    assert!(others.iter().all(|message| message["id"] != id), "a cancelled call has no response: {others:?}");
}

#[test]
fn calls_that_a_client_has_ended_use_no_threads() {
    let world = World::empty();
    // The work never ends.
    let _agent = FakeAgent::start(&world, "shop/zeus", |_, _| {
        Ok((json!({ "queued": true, "qid": "q-1-000" }), Vec::new()))
    });
    let mut client = McpClient::start(&world, &[]);
    let args = json!({ "agent": "shop/zeus", "text": "hello", "timeout_seconds": 86_400 });
    // More calls than the server has threads.
    for _ in 0..40 {
        let id = client.begin("fleet_send", &args);
        client.until_progress(id, "queued q-");
        let params = json!({ "requestId": id });
        client.write(
            &json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": params }).to_string(),
        );
    }
    assert_eq!(client.call("fleet_list", &json!({}))["isError"], false);
    client.end();
}

#[test]
fn a_server_ends_with_its_client_while_a_call_waits() {
    let world = World::new(&["zeus"], &SCRIPT);
    world.succeed(&["up"]);
    let mut client = McpClient::start(&world, &[]);
    let id = client.begin("fleet_send", &json!({ "agent": "zeus", "text": "slow" }));
    client.until_progress(id, "works on q-");
    client.end();
    // The agent works on. Its entry in the registry follows its events.
    while world.document(&["ps"], 0)["agents"][0]["state"] != "busy" {}
}

#[test]
fn inputs_are_marked_with_the_member() {
    let world = World::empty();
    let (sender, sources) = channel();
    let _agent = FakeAgent::start(&world, "shop/zeus", move |method, params| {
        if method == "input" {
            sender.send(params["meta"]["source"].clone()).unwrap();
        }
        Ok((json!({ "queued": true, "qid": "q-1-000" }), Vec::new()))
    });
    for (args, expected) in [(&[] as &[&str], "mcp"), (&["--as", "coder"], "mcp:coder")] {
        let mut client = McpClient::start(&world, args);
        client.call("fleet_send", &json!({ "agent": "shop/zeus", "text": "one", "wait": false }));
        client.end();
        assert_eq!(sources.recv().unwrap(), expected);
    }
    assert_eq!(world.run(&["mcp", "--as", "a b"]).code, 2);
}
