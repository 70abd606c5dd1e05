//! An agent with tools, whose model calls them.

use std::fs;

use serde_json::{Value, json};

use super::World;

/// Makes a fleet with the agent `zeus`, whose file has these lines too.
pub(crate) fn fleet(lines: &str, script: &[Value]) -> World {
    let script: Vec<String> = script.iter().map(Value::to_string).collect();
    let script: Vec<&str> = script.iter().map(String::as_str).collect();
    let world = World::new(&["zeus"], &script);
    configure(&world, lines);
    world
}

pub(crate) fn configure(world: &World, lines: &str) {
    let text = format!("name: zeus\nmodel: small\nprompt: {{base: system_base.md}}\n{lines}");
    world.write(".ateam/agents/zeus/agent.yaml", &text);
}

pub(crate) fn set_script(world: &World, script: &[Value]) {
    let lines: Vec<String> = script.iter().map(Value::to_string).collect();
    world.write(".ateam/answers.jsonl", &(lines.join("\n") + "\n"));
}

pub(crate) fn call(name: &str, args: Value) -> Value {
    let mut call = json!({ "name": name });
    call["args"] = args;
    json!({ "tool_calls": [call] })
}

/// Returns the lines of the history.
pub(crate) fn history(world: &World) -> Vec<Value> {
    let path = world.workspace().join(".ateam/agents/zeus/state/history.jsonl");
    let text = fs::read_to_string(path).unwrap_or_default();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Returns the results of the calls, as the model reads them.
pub(crate) fn results(world: &World) -> Vec<String> {
    let lines = history(world).into_iter().filter(|line| line["role"] == "tool");
    lines.map(|line| line["content"].as_str().unwrap().to_owned()).collect()
}

/// Returns the frames of a type.
pub(crate) fn frames(world: &World, kind: &str) -> Vec<Value> {
    let text = world.succeed(&["tail", "zeus", "--json"]);
    let frames = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    frames.map(|frame| frame["event"].clone()).filter(|event| event["type"] == kind).collect()
}

/// Returns the given tools of the document of `tools`.
pub(crate) fn given_tools(world: &World) -> Vec<String> {
    let document = world.document(&["tools", "zeus"], 0);
    let tools = document["tools"].as_array().unwrap().iter().filter(|tool| tool["given"] == true);
    tools.map(|tool| tool["name"].as_str().unwrap().to_owned()).collect()
}

pub(crate) fn read(world: &World, path: &str) -> String {
    fs::read_to_string(world.workspace().join(path)).unwrap_or_else(|_| "none".to_owned())
}

/// Returns whether the workspace has a file or folder.
pub(crate) fn exists_in(world: &World, path: &str) -> bool {
    world.workspace().join(path).exists()
}

/// Returns the result of a call as JSON.
#[track_caller]
pub(crate) fn result(world: &World, at: usize) -> Value {
    let results = results(world);
    serde_json::from_str(&results[at]).unwrap_or_else(|_| panic!("{}", results[at]))
}
