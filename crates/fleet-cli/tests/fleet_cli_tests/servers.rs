//! Agents with tools of MCP servers, which run as processes of their own.

use std::fs;
use std::path::PathBuf;

use serde_json::{Value, json};

use crate::support::World;
use crate::support::mcp_server::BEHAVIOR;
use crate::support::tool_agent::{call, configure, fleet, frames, history, read, results, set_script};

const LIST: &str = "tools: {allow: [mcp.web, mcp.db.query]}\n";

/// Returns the path of the behavior of a server, without its extension.
fn behavior(world: &World, server: &str) -> PathBuf {
    world.home().join(server)
}

/// Returns the entry of a server.
fn entry(world: &World, server: &str, more: &str) -> String {
    let program = std::env::current_exe().unwrap();
    format!(
        "  {server}:\n    transport: stdio\n    command: {}\n    args: [--exact, 'support::mcp_server::serve', --nocapture, --quiet]\n    env: {{{BEHAVIOR}: {}, API_TOKEN: hunter2-secret}}\n{more}",
        program.display(),
        behavior(world, server).display()
    )
}

/// Makes a workspace with the servers `web` and `db`.
fn serve(world: &World) {
    for (server, tools) in [("web", ["open", "fs_read"]), ("db", ["query", "drop"])] {
        let schema = json!({"type": "object", "properties": {"do": {"type": "string"}}});
        let tools = tools.map(|name| {
            let description = format!("the tool {name}\u{202e} hunter2-secret");
            json!({"name": name, "description": description, "inputSchema": schema})
        });
        let text = json!([{"type": "text", "text": "the token is hunter2-secret"}]);
        let text = json!({"tools": tools, "content": text}).to_string();
        fs::write(behavior(world, server).with_extension("json"), text).unwrap();
    }
    let entries = ["web", "db"].map(|server| entry(world, server, "")).concat();
    world.write(".minds/mcp.yaml", &format!("version: 1\nservers:\n{entries}"));
}

/// Returns the process ids of the starts of a server.
fn starts(world: &World, server: &str) -> Vec<String> {
    let text = fs::read_to_string(behavior(world, server).with_extension("starts")).unwrap_or_default();
    text.lines().map(str::to_owned).collect()
}

/// Returns the names of the tools whose calls reached a server.
fn served_calls(world: &World, server: &str) -> Vec<String> {
    let text = fs::read_to_string(behavior(world, server).with_extension("calls")).unwrap_or_default();
    text.lines().map(str::to_owned).collect()
}

fn is_running(pid: &str) -> bool {
    PathBuf::from("/proc").join(pid).exists()
}

/// Returns the codes of the results of calls.
fn codes(world: &World) -> Vec<Value> {
    frames(world, "tool.result").into_iter().map(|frame| frame["code"].clone()).collect()
}

#[test]
fn listed_tools_of_servers_run() {
    let script = [
        call("open", json!({"do": "nothing"})),
        call("query", json!({})),
        call("drop", json!({})),
        call("fs_read", json!({"path": "a"})),
        call("open", json!({"do": 5})),
        json!({"text": "done"}),
    ];
    let world = fleet(LIST, &script);
    serve(&world);
    world.document(&["send", "zeus", "--start", "--wait", "go"], 0);
    let denied = json!("tool.denied");
    assert_eq!(
        codes(&world),
        [Value::Null, Value::Null, denied.clone(), denied, json!("args.invalid")],
        "{:?}",
        results(&world)
    );
    assert_eq!(
        (served_calls(&world, "web"), served_calls(&world, "db")),
        (vec!["open".into()], vec!["query".into()])
    );
    let names: Vec<Value> = frames(&world, "tool").into_iter().map(|frame| frame["name"].clone()).collect();
    assert_eq!(names[..2], [json!("mcp.web.open"), json!("mcp.db.query")], "{names:?}");
    let warnings = frames(&world, "warn");
    assert!(
        warnings.iter().any(|warning| warning["msg"].as_str().unwrap().contains("`fs_read`")),
        "{warnings:?}"
    );
    // The secret of the server is in its answers, and in nothing that is kept or shown.
    assert!(results(&world)[0].contains("the token is ****"), "{:?}", results(&world));
    let kept: Vec<String> = history(&world).iter().map(Value::to_string).collect();
    for text in [kept.join("\n"), world.succeed(&["tail", "zeus", "--json"])] {
        assert!(!text.contains("hunter2"), "{text}");
    }
    // One process for each server, which ends with the agent.
    let pids = [starts(&world, "web"), starts(&world, "db")].concat();
    assert_eq!(pids.len(), 2, "{pids:?}");
    assert!(pids.iter().all(|pid| is_running(pid)), "{pids:?}");
    world.succeed(&["down"]);
    while pids.iter().any(|pid| is_running(pid)) {
        minds_process::pause(std::time::Duration::from_millis(2));
    }
}

/// An agent without an entry for a server starts none.
#[test]
fn servers_that_are_not_listed_do_not_start() {
    let script = [call("query", json!({})), json!({"text": "done"})];
    for lines in ["", "tools: {allow: [fs.read]}\n", "tools: {allow: [mcp.web]}\n"] {
        let world = fleet(lines, &script);
        serve(&world);
        world.document(&["send", "zeus", "--start", "--wait", "go"], 0);
        assert_eq!(codes(&world), [json!("tool.denied")], "{lines}");
        assert_eq!(starts(&world, "db"), Vec::<String>::new(), "{lines}");
        assert_eq!(starts(&world, "web").len(), usize::from(lines.contains("web")), "{lines}");
    }
}

/// Only the tools of the toolsets of the member are given.
#[test]
fn the_toolsets_of_the_member_bound_servers() {
    let script = [call("open", json!({})), call("query", json!({})), json!({"text": "done"})];
    let world = fleet(&format!("member: ann\n{LIST}"), &script);
    serve(&world);
    world.write(
        ".minds/team.yaml",
        "member_defaults: {provider: p, model: m}\nmembers: {ann: {name: Ann, toolsets: [db]}}\n",
    );
    world.document(&["send", "zeus", "--start", "--wait", "go"], 0);
    assert_eq!(codes(&world), [json!("tool.denied"), Value::Null], "{:?}", results(&world));
    assert_eq!((served_calls(&world, "web").len(), served_calls(&world, "db").len()), (0, 1));
}

/// A command that changes the entry of a server starts nothing before a person accepts it.
#[test]
fn a_changed_server_waits_for_a_person() {
    let world =
        fleet("tools: {allow: [mcp.web, os.exec]}\n", &[call("open", json!({})), json!({"text": "one"})]);
    serve(&world);
    world.document(&["send", "zeus", "--start", "--wait", "go"], 0);
    assert_eq!(served_calls(&world, "web").len(), 1);
    let changed = entry(&world, "web", "").replace("--quiet", "--quiet, --color=never");
    let script = [call("open", json!({})), json!({"text": "tried"})];
    set_script(&world, &script);
    world.write(".minds/mcp.yaml", &format!("version: 1\nservers:\n{changed}"));
    world.succeed(&["down"]);
    world.document(&["up"], 0);
    world.document(&["send", "zeus", "--wait", "go"], 0);
    assert_eq!(codes(&world).last(), Some(&json!("tool.denied")), "{:?}", results(&world));
    assert_eq!(starts(&world, "web").len(), 1);
    let warnings = frames(&world, "warn");
    let last = warnings.last().unwrap()["msg"].as_str().unwrap();
    assert!(last.contains("+ servers: web: ") && last.contains("--color=never"), "{last}");
    world.succeed(&["down"]);
    world.document(&["up", "--accept"], 0);
    world.document(&["send", "zeus", "--wait", "go"], 0);
    assert_eq!(codes(&world).last(), Some(&Value::Null), "{:?}", results(&world));
}

/// A server that fails or ends does not harm the agent.
#[test]
fn a_server_that_fails_does_not_harm_the_agent() {
    let script = [
        call("open", json!({"do": "die"})),
        call("open", json!({})),
        call("query", json!({})),
        json!({"text": "done"}),
    ];
    let world = fleet(LIST, &script);
    serve(&world);
    fs::write(
        behavior(&world, "db").with_extension("json"),
        json!({"tools": [], "fails": "start"}).to_string(),
    )
    .unwrap();
    let ended = world.document(&["send", "zeus", "--start", "--wait", "go"], 0);
    assert_eq!(ended["text"], "done");
    assert_eq!(
        codes(&world),
        [json!("handler.error"), Value::Null, json!("tool.denied")],
        "{:?}",
        results(&world)
    );
    assert!(results(&world)[0].contains("SERVER_UNAVAILABLE"), "{:?}", results(&world));
}

#[test]
fn doctor_names_servers_that_are_missing() {
    let world = fleet(LIST, &[json!({"text": "one"})]);
    let check = |world: &World| {
        let found: Value = serde_json::from_str(&world.run(&["doctor", "--json"]).stdout).unwrap();
        let checks = found["checks"].as_array().unwrap().clone();
        checks.into_iter().find(|check| check["name"] == "servers").unwrap()
    };
    let missing = check(&world);
    assert_eq!((&missing["ok"], &missing["severity"]), (&json!(false), &json!("warning")), "{missing}");
    assert!(missing["message"].as_str().unwrap().ends_with(": db, web"), "{missing}");
    serve(&world);
    let found = check(&world);
    assert_eq!((&found["ok"], &found["message"]), (&json!(true), &json!("in `.minds/mcp.yaml`: db, web")));
    configure(&world, "tools: {allow: [fs.read]}\n");
    assert_eq!(check(&world)["message"], "no agent lists tools of MCP servers");
    assert_eq!(read(&world, "effect"), "none");
}
