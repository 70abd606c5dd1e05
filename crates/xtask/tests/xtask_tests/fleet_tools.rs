//! The toolset `fleet` with both real programs: `minds mcp` starts `minds-fleet`, whose agents have a scripted model.

mod client;
mod world;

use serde_json::{Value, json};

use client::{Client, tasks, text_of};
use world::World;

/// The tools, in the order of the program.
const TOOLS: [&str; 4] = ["fleet_list", "fleet_send", "fleet_read", "fleet_cancel"];

fn send(text: &str) -> Value {
    json!({"agent": "zeus", "text": text})
}

#[test]
fn a_member_with_the_toolset_uses_the_agents() {
    let world = World::with_fleet();
    world.succeed("minds-fleet", &["up"]);
    let mut client = world.client(&["mcp", "--member", "lead"]);
    assert_eq!(client.fleet_tools(), TOOLS);
    let listed = client.call("fleet_list", json!({}));
    assert_eq!(listed["structuredContent"]["agents"][0]["id"], "shop/zeus", "{listed}");
    let id = client.begin("fleet_send", send("one"));
    client.until_progress(id, "queued q-");
    let sent = client.response(id)["result"].clone();
    assert_eq!(sent["structuredContent"]["text"], "The first answer", "{sent}");
    assert!(text_of(&sent).contains("written by another agent"), "{sent}");
    // The input has the name of the member.
    let history = world.succeed("minds-fleet", &["tail", "zeus", "--json"]);
    assert!(history.contains("task.end"), "{history}");
    assert!(world.inputs().contains("\"mcp:lead\""), "{}", world.inputs());
    let failed = client.call("fleet_send", json!({"agent": "nobody", "text": "one"}));
    assert_eq!(failed["structuredContent"]["code"], "agent.not_found", "{failed}");
    // One conversation has one process, which ends with it.
    assert_eq!(world.count_servers(), 1);
    client.end();
    world.wait_for_servers(0);
}

#[test]
fn a_call_reports_progress_and_its_end_is_not_the_end_of_the_work() {
    let world = World::with_fleet();
    world.succeed("minds-fleet", &["up"]);
    let mut client = world.client(&["mcp", "--member", "lead"]);
    client.fleet_tools();
    let id = client.begin("fleet_send", send("slow"));
    client.until_progress(id, "works on q-");
    // Nothing happens, and the client hears of it again.
    client.until_progress(id, "works on q-");
    client.cancel(id);
    let read = client.call("fleet_read", json!({"agent": "zeus"}));
    assert!(!text_of(&read).contains("task.end"), "the work goes on: {read}");
    let state = |client: &mut Client| {
        client.call("fleet_list", json!({}))["structuredContent"]["agents"][0]["state"].clone()
    };
    assert_eq!(state(&mut client), "busy");
    let cancelled = client.call("fleet_cancel", json!({"agent": "zeus"}));
    assert!(cancelled["structuredContent"]["qid"].is_string(), "{cancelled}");
    while state(&mut client) == "busy" {}
    assert!(client.end().iter().all(|message| message["id"] != id), "a cancelled call has no response");
}

#[test]
fn a_wait_is_a_task_for_a_client_that_declares_tasks() {
    let world = World::with_fleet();
    world.succeed("minds-fleet", &["up"]);
    let mut client = world.open(&["mcp", "--member", "lead"]);
    let names = client.tools_of(&tasks());
    assert!(TOOLS.iter().all(|tool| names.iter().any(|name| name == tool)), "{names:?}");
    let call = json!({"name": "fleet_send", "arguments": send("one")});
    let task = client.ask_with("tools/call", call.clone(), &tasks());
    let id = task["taskId"].as_str().unwrap().to_owned();
    assert!(task["resultType"] == "task" && id.starts_with("fleet/"), "{task}");
    let ended = client.until_status(&id, "completed");
    assert_eq!(ended["result"]["structuredContent"]["text"], "The first answer", "{ended}");
    // The same client without the declaration gets a result.
    let sent =
        client.ask_with("tools/call", json!({"name": "fleet_send", "arguments": send("two")}), &json!({}));
    assert_eq!(sent["structuredContent"]["text"], "The second answer", "{sent}");
    // The end of the wait is not the end of the work.
    let call = json!({"name": "fleet_send", "arguments": send("slow")});
    let task = client.ask_with("tools/call", call, &tasks());
    let id = task["taskId"].as_str().unwrap().to_owned();
    while !client.until_status(&id, "working")["statusMessage"].to_string().contains("works on") {}
    client.ask_with("tasks/cancel", json!({"taskId": id}), &tasks());
    client.until_status(&id, "cancelled");
    let list = json!({"name": "fleet_list", "arguments": {}});
    let listed = client.ask_with("tools/call", list, &tasks());
    assert_eq!(listed["structuredContent"]["agents"][0]["state"], "busy", "{listed}");
    // Another member has no say in the task, because it has no tool of the toolset.
    let mut other = world.open(&["mcp", "--member", "coder"]);
    let error = other.reply_with("tasks/get", json!({"taskId": id}), &tasks());
    assert_eq!(error["error"]["code"], -32602, "{error}");
}

#[test]
fn a_member_without_the_toolset_reaches_no_agent() {
    let world = World::with_fleet();
    world.succeed("minds-fleet", &["up"]);
    // The first one has all toolsets of `*`, which this is not one of.
    for member in ["coder", "stranger"] {
        let mut client = world.client(&["mcp", "--member", member]);
        assert!(client.fleet_tools().is_empty(), "{member}");
        for tool in TOOLS {
            let refused = client.call(tool, json!({"agent": "zeus", "text": "canary"}));
            assert_eq!(refused["structuredContent"]["code"], "TOOL_NOT_GRANTED", "{tool}: {refused}");
        }
        assert_eq!(world.count_servers(), 0, "{member}");
        client.end();
    }
    // With one tool, the others are refused.
    let mut client = world.client(&["mcp", "--member", "reader"]);
    assert_eq!(client.fleet_tools(), ["fleet_list"]);
    let refused = client.call("fleet_send", send("canary"));
    assert_eq!(refused["structuredContent"]["code"], "TOOL_NOT_GRANTED", "{refused}");
    // A grant that is taken away ends the program too.
    world.team("{reader: {toolsets: ['*']}}");
    let refused = client.call("fleet_list", json!({}));
    assert_eq!(refused["structuredContent"]["code"], "TOOL_NOT_GRANTED", "{refused}");
    world.wait_for_servers(0);
    assert!(!world.inputs().contains("canary"), "no agent has an input: {}", world.inputs());
}

#[test]
fn a_user_without_a_member_has_the_toolset_unless_it_is_left_out() {
    let world = World::with_fleet();
    let mut client = world.client(&["mcp"]);
    assert_eq!(client.fleet_tools(), TOOLS);
    // The agent does not run.
    let failed = client.call("fleet_send", send("one"));
    assert_eq!(failed["structuredContent"]["code"], "agent.not_found", "{failed}");
    client.end();
    let mut client = world.client(&["mcp", "--toolset", "ws_read"]);
    assert!(client.fleet_tools().is_empty());
    assert_eq!(world.count_servers(), 0);
    client.end();
    let mut client = world.client(&["mcp", "--toolset", "fleet"]);
    assert_eq!(client.fleet_tools(), TOOLS);
    client.end();
    let mut client = world.client(&["mcp", "--no-gateway"]);
    assert!(client.fleet_tools().is_empty());
}

#[test]
fn a_missing_program_is_a_problem_until_it_is_installed() {
    let world = World::with_fleet();
    world.uninstall();
    let mut client = world.client(&["mcp", "--member", "lead"]);
    assert!(client.fleet_tools().is_empty());
    let error = client.reply("tools/call", json!({"name": "fleet_send", "arguments": send("one")}));
    let message = error["error"]["message"].as_str().unwrap();
    assert!(message.contains("the program `minds-fleet`") && message.contains("minds problems"), "{error}");
    let problems = || {
        let listed = world.run("minds", &["problems", "--format", "json"]).1;
        let listed: Value = serde_json::from_str(&listed).unwrap();
        let open = |problem: &&Value| problem["resolved"] != true;
        let problems = listed["problems"].as_array().unwrap().iter().filter(open);
        problems.map(ToString::to_string).collect::<String>()
    };
    world.eventually("the problem", || problems().contains("mcp/server/fleet/server_error").then_some(()));
    let shown = problems();
    assert!(shown.contains("`minds-fleet` is not installed") && shown.contains("cargo install"), "{shown}");
    world.install();
    world.succeed("minds", &["gateway", "restart", "fleet"]);
    assert_eq!(client.fleet_tools(), TOOLS);
    client.call("fleet_list", json!({}));
    client.end();
}

#[test]
fn a_workspace_without_a_fleet_has_no_tools_of_it() {
    let world = World::empty();
    let mut client = world.client(&["mcp", "--member", "lead"]);
    assert!(client.fleet_tools().is_empty());
    assert!(client.reply("tools/call", json!({"name": "fleet_list", "arguments": {}}))["error"].is_object());
    assert_eq!(world.count_servers(), 0);
    // It may get one later.
    world.add_fleet();
    client.until_notified("notifications/tools/list_changed");
    assert_eq!(client.fleet_tools(), TOOLS);
    client.end();
    let mut client = world.client(&["mcp", "--member", "lead"]);
    // The tools are remembered, so nothing is started until one of them is called.
    assert_eq!(client.fleet_tools(), TOOLS);
    assert_eq!(world.count_servers(), 0);
    let listed = client.call("fleet_list", json!({}));
    assert_eq!(listed["structuredContent"]["agents"], json!([]), "{listed}");
    assert_eq!(world.count_servers(), 1);
}

#[test]
fn a_server_of_the_file_does_not_take_the_place_of_the_toolset() {
    let world = World::with_fleet();
    let canary = world.path("canary");
    let server = json!({"transport": "stdio", "command": "touch", "args": [canary]});
    world.write("ws/.minds/mcp.yaml", &json!({"version": 1, "servers": {"fleet": server}}).to_string());
    let mut client = world.client(&["mcp", "--member", "lead"]);
    assert_eq!(client.fleet_tools(), TOOLS);
    client.call("fleet_list", json!({}));
    let problems = world.eventually("the problem", || {
        let listed = world.run("minds", &["problems", "--format", "json"]).1;
        listed.contains("mcp/server/fleet/toolset_collision").then_some(listed)
    });
    assert!(!canary.exists(), "{problems}");
}
