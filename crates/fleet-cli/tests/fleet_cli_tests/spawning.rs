//! Agents that start other agents.

use serde_json::{Value, json};

use crate::support::World;
use crate::support::terminal::Terminal;
use crate::support::tool_agent::{call, exists_in, fleet, given_tools, read, results, set_script};

const SPAWN: &str = "tools: {allow: [agents.spawn, fs.read, fs.write], confirm: [fs.write]}\n";

fn spawn(changes: &[(&str, &str)]) -> Value {
    let mut arguments = json!({"project": "shop", "name": "hera", "cwd": "sub", "model_id": "small"});
    for (name, value) in changes {
        arguments[*name] = (*value).into();
    }
    call("agents_spawn", arguments)
}

/// Makes a fleet whose agent `zeus` calls the tool once.
fn world(call: &Value) -> World {
    let world = fleet(SPAWN, &[call.clone(), json!({"text": "done"})]);
    world.write("sub/notes.md", "notes");
    world.succeed(&["up"]);
    world
}

/// Answers the question of the call.
fn answer(world: &World, key: &str) {
    let mut terminal = Terminal::start(world.command(&["send", "zeus", "--wait", "go"]));
    terminal.until("start the new agent `shop/hera`? [y/N] ");
    terminal.types(key);
    assert_eq!(terminal.end().exit, Some(0));
}

fn running(world: &World) -> Vec<String> {
    let listed = world.document(&["ps"], 0);
    let agents = listed["agents"].as_array().unwrap().iter();
    agents.map(|agent| agent["id"].as_str().unwrap().to_owned()).collect()
}

#[track_caller]
fn assert_nothing_is_left(world: &World) {
    assert_eq!(running(world), ["shop/zeus"]);
    assert!(!exists_in(world, ".ateam/agents/hera"));
    let entries = std::fs::read_dir(world.workspace().join(".ateam")).unwrap();
    let names: Vec<String> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    assert!(names.iter().all(|name| !name.contains("hera")), "{names:?}");
    let state = std::fs::read_dir(world.home().join("state")).unwrap();
    for workspace in state {
        assert!(!workspace.unwrap().path().join("fleet/shop-hera.policy.json").exists());
    }
}

#[test]
fn an_agent_starts_another_one_within_its_rights() {
    let world = world(&spawn(&[]));
    answer(&world, "y\n");
    let result: Value = serde_json::from_str(&results(&world)[0]).unwrap();
    assert_eq!(result["id"], "shop/hera");
    assert_eq!(running(&world), ["shop/hera", "shop/zeus"]);
    let file = read(&world, ".ateam/agents/hera/agent.yaml");
    let sub = world.workspace().canonicalize().unwrap().join("sub");
    assert!(file.contains(&format!("cwd: \"{}\"", sub.display())), "{file}");
    assert!(file.contains(r#"tools: {"allow":["fs.read","fs.write"],"confirm":["fs.write"]}"#), "{file}");
    let tools = world.document(&["tools", "hera"], 0);
    let given = |tool: &&Value| tool["given"] == true;
    let names: Vec<&str> = tools["tools"]
        .as_array()
        .unwrap()
        .iter()
        .filter(given)
        .map(|tool| tool["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["fs.read", "fs.write"]);
    assert_eq!(given_tools(&world), ["agents.spawn", "fs.read", "fs.write"]);
    // It is an agent like any other one, and the files are valid.
    world.succeed(&["stop", "hera"]);
    assert_eq!(world.document(&["up", "hera"], 0)["agents"][0]["result"], "started");
    // It is not replaced.
    set_script(&world, &[spawn(&[("cwd", ".")]), json!({"text": "done"})]);
    world.succeed(&["stop", "zeus"]);
    world.succeed(&["up", "zeus"]);
    answer(&world, "y\n");
    assert!(results(&world).last().unwrap().contains("exists already"), "{:?}", results(&world));
    assert_eq!(read(&world, ".ateam/agents/hera/agent.yaml"), file);
}

#[test]
fn no_and_no_terminal_start_nothing() {
    let world = world(&spawn(&[]));
    answer(&world, "n\n");
    assert_nothing_is_left(&world);
    set_script(&world, &[spawn(&[]), json!({"text": "done"})]);
    world.succeed(&["stop", "zeus"]);
    world.succeed(&["up", "zeus"]);
    world.document(&["send", "zeus", "--wait", "go"], 0);
    assert_nothing_is_left(&world);
}

#[test]
fn a_failure_leaves_nothing() {
    for (change, expected) in [
        (("model_id", "large"), "`model_id` is not in `models.yaml`, which has `small`"),
        (("project", "other"), "`project` must be that of the workspace, `shop`"),
    ] {
        let world = world(&spawn(&[change]));
        let title = if change.0 == "project" { "other/hera" } else { "shop/hera" };
        let mut terminal = Terminal::start(world.command(&["send", "zeus", "--wait", "go"]));
        terminal.until(&format!("start the new agent `{title}`? [y/N] "));
        terminal.types("y\n");
        assert_eq!(terminal.end().exit, Some(0));
        assert!(results(&world)[0].contains(expected), "{:?}", results(&world));
        assert_nothing_is_left(&world);
    }
    // The process cannot be started, because its runtime folder is a file.
    let world = world(&spawn(&[]));
    std::fs::write(world.home().join("run/fleet/tests/shop/hera"), "").unwrap();
    answer(&world, "y\n");
    assert!(!results(&world)[0].contains("\"pid\""), "{:?}", results(&world));
    assert_nothing_is_left(&world);
}
