//! Waits of clients that ask for the result later: tasks of the extension of the protocol.

use serde_json::{Value, json};

use super::{McpClient, SCRIPT};
use crate::support::World;
use crate::support::fake_agent::FakeAgent;

/// Returns parameters with the metadata of a client without a handshake.
fn with(mut params: Value, capabilities: &Value) -> Value {
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": { "name": "test", "version": "1" },
        "io.modelcontextprotocol/clientCapabilities": capabilities,
    });
    params
}

fn tasks() -> Value {
    json!({ "extensions": { "io.modelcontextprotocol/tasks": {} } })
}

impl McpClient {
    /// Makes a request, and returns its complete response.
    fn ask(&mut self, method: &str, params: Value, capabilities: &Value) -> Value {
        let id = self.send(method, &with(params, capabilities));
        self.response(id)
    }

    /// Gives an agent some work as a task, and returns the id of the task.
    fn start_task(&mut self, text: &str) -> String {
        let args = json!({ "agent": "shop/zeus", "text": text });
        let started = self.ask("tools/call", json!({ "name": "fleet_send", "arguments": args }), &tasks());
        let result = &started["result"];
        assert_eq!(
            (&result["resultType"], &result["status"]),
            (&"task".into(), &"working".into()),
            "{started}"
        );
        // The task outlives the longest wait, which is that of the arguments.
        assert!(result["ttlMs"].as_u64().unwrap() > 600_000, "{started}");
        result["taskId"].as_str().unwrap().to_owned()
    }

    /// Asks for the state of a task until it has a status.
    fn until_status(&mut self, task: &str, status: &str) -> Value {
        loop {
            let state = self.ask("tasks/get", json!({ "taskId": task }), &tasks());
            let result = &state["result"];
            if result["status"] == status {
                return result.clone();
            }
            assert_eq!(result["status"], "working", "{state}");
        }
    }
}

#[test]
fn a_wait_is_a_task_for_a_client_that_declares_tasks() {
    let world = World::new(&["zeus"], &SCRIPT);
    world.succeed(&["up"]);
    let mut client = McpClient::open(&world, &[]);
    let discovered = client.ask("server/discover", json!({}), &json!({}));
    assert!(
        discovered["result"]["capabilities"]["extensions"]["io.modelcontextprotocol/tasks"].is_object(),
        "{discovered}"
    );
    let task = client.start_task("one");
    let ended = client.until_status(&task, "completed");
    assert_eq!(ended["result"]["structuredContent"]["text"], "The first\nanswer", "{ended}");
    // Calls that do not wait, and those of other clients, have results.
    let call = json!({ "name": "fleet_list", "arguments": {} });
    assert_eq!(client.ask("tools/call", call, &tasks())["result"]["resultType"], "complete");
    let args = json!({ "agent": "zeus", "text": "escape" });
    let sent = client.ask("tools/call", json!({ "name": "fleet_send", "arguments": args }), &json!({}));
    assert_eq!(sent["result"]["structuredContent"]["ok"], true, "{sent}");
    // A call that is not valid has a result too.
    let failed = client.ask(
        "tools/call",
        json!({ "name": "fleet_send", "arguments": { "agent": "zeus", "text": "" } }),
        &tasks(),
    );
    assert_eq!(failed["result"]["structuredContent"]["code"], "args.invalid", "{failed}");
    let unknown = client.ask("tasks/get", json!({ "taskId": "nobody" }), &tasks());
    assert_eq!(unknown["error"]["code"], -32602, "{unknown}");
    assert_eq!(client.ask("tasks/get", json!({ "taskId": task }), &json!({}))["error"]["code"], -32021);
    client.end();
}

#[test]
fn the_end_of_a_task_is_not_the_end_of_the_work() {
    let world = World::new(&["zeus"], &SCRIPT);
    world.succeed(&["up"]);
    let mut client = McpClient::open(&world, &[]);
    let task = client.start_task("slow");
    let mut status = String::new();
    while !status.starts_with("works on q-") {
        let state = client.until_status(&task, "working");
        status = state["statusMessage"].as_str().unwrap_or_default().to_owned();
    }
    assert!(client.ask("tasks/cancel", json!({ "taskId": task }), &tasks())["error"].is_null());
    client.until_status(&task, "cancelled");
    client.end();
    // The agent works on. Its entry in the registry follows its events.
    while world.document(&["ps"], 0)["agents"][0]["state"] != "busy" {}
    assert_eq!(world.document(&["who", "zeus"], 0)["agents"][0]["owner"], Value::Null);
}

#[test]
fn a_wait_reports_again_and_again_while_nothing_happens() {
    let world = World::empty();
    // The work never ends.
    let _agent = FakeAgent::start(&world, "shop/zeus", |_, _| {
        Ok((json!({ "queued": true, "qid": "q-1-000" }), Vec::new()))
    });
    let mut client = McpClient::start(&world, &[]);
    let id = client.begin("fleet_send", &json!({ "agent": "shop/zeus", "text": "hello" }));
    client.until_progress(id, "queued q-1-000");
    client.until_progress(id, "queued q-1-000");
    client.end();
}
