//! Servers that a person accepted: no other one starts.

use std::collections::BTreeMap;
use std::path::Path;

use minds_mcp_gateway::{Config, Gateway, Options};
use minds_toolset::ToolSource as _;
use minds_vfs::{Snapshot, WorkspacePath};

use super::{Ask as _, World, expect_end};

/// Returns the definitions of the servers in a file.
fn definitions(text: &str, workspace: &Path) -> BTreeMap<String, String> {
    let path = WorkspacePath::parse(".minds/mcp.yaml").unwrap();
    let config = Config::read_declared(&Snapshot::new().with_file(path, text), workspace);
    let servers = config.servers.into_iter();
    servers.filter_map(|entry| Some((entry.id, entry.server.ok()?.definition()))).collect()
}

/// Returns the definition of the only server in a file.
fn definition_of(entry: &str) -> String {
    let text = format!("version: 1\nservers: {{one: {{transport: stdio, command: server, {entry}}}}}\n");
    definitions(&text, Path::new("/work")).remove("one").unwrap_or_else(|| panic!("{text}"))
}

#[test]
fn everything_that_decides_changes_a_definition() {
    let first = "args: [a], env: {KEY: {env: TOKEN}}, tools: {blacklist: [drop]}";
    let others = [
        "args: [a, b], env: {KEY: {env: TOKEN}}, tools: {blacklist: [drop]}",
        "args: ['a b'], env: {KEY: {env: TOKEN}}, tools: {blacklist: [drop]}",
        "args: [a], env: {KEY: {env: OTHER}}, tools: {blacklist: [drop]}",
        "args: [a], env: {KEY: TOKEN}, tools: {blacklist: [drop]}",
        "args: [a], env: {NAME: {env: TOKEN}}, tools: {blacklist: [drop]}",
        "args: [a], env: {KEY: {env: TOKEN}}",
        "args: [a], env: {KEY: {env: TOKEN}}, tools: {whitelist: [drop]}",
        "args: [a], env: {KEY: {env: TOKEN}}, tools: {blacklist: [drop]}, transform: [{prefix: x_}]",
        "args: [a], env: {KEY: {env: TOKEN}}, tools: {blacklist: [drop]}, cwd: sub",
    ];
    assert_eq!(definition_of(first), definition_of(first));
    for other in others {
        assert_ne!(definition_of(other), definition_of(first), "{other}");
    }
}

#[test]
fn other_servers_do_not_start() {
    let world = World::new();
    world.offer("one", &["one_a"]);
    world.offer("two", &["two_a"]);
    let one = world.entry("one", "one", "");
    let text = |one: &str| format!("version: 1\nservers:\n{one}{}", world.entry("two", "two", ""));
    world.write("mcp.yaml", &text(&one));
    let mut accepted = definitions(&text(&one), &world.path("ws"));
    accepted.remove("two");
    let gateway = Gateway::start(Options { accepted: Some(accepted), ..world.options() }).unwrap();
    gateway.wait_for_tools();
    assert_eq!(gateway.names(), ["one_a"]);
    let pid = gateway.pid_in("c", "one_a");
    // An entry that was changed is not the accepted one, and starts nothing.
    world.write("mcp.yaml", &text(&world.entry("one", "one", "cwd: .minds")));
    gateway.wait_for_names(&[]);
    expect_end(&[pid]);
    world.write("mcp.yaml", &text(&one));
    gateway.wait_for_names(&["one_a"]);
    let again = gateway.pid_in("c", "one_a");
    assert_eq!((world.starts("one"), world.starts("two")), (vec![pid, again], Vec::new()));
}
