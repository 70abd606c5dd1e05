//! Which tools of servers are offered, and what is wrong with the others.

use serde_json::{Value, json};

use super::{Ask as _, World, tools_of};

/// A server with 40 tools for all rules.
fn forty_tools() -> Vec<Value> {
    let named = |name: &str| super::tool(name);
    let mut tools: Vec<Value> = (0..20).map(|number| named(&format!("open_{number}"))).collect();
    tools.extend((0..8).map(|number| named(&format!("admin_{number}"))));
    tools.push(named("open_0"));
    tools.push(named("with space"));
    tools.push(named(&"x".repeat(65)));
    tools.push(named(&"y".repeat(62)));
    tools.push(named("read_file"));
    tools.push(named("shared"));
    tools.push(named("close"));
    tools.push(json!({"name": "no_schema"}));
    tools.push(json!({"name": "list_schema", "inputSchema": []}));
    let deep = (0..40).fold(json!({}), |inner, _| json!({"properties": {"a": inner}}));
    tools.push(json!({"name": "deep_schema", "inputSchema": deep}));
    tools.push(json!({"name": "large_schema", "inputSchema": {"description": "z".repeat(70_000)}}));
    tools.push(json!({
        "name": "hidden", "title": "a\u{202e}b", "description": format!("a\u{e0041}b\u{7}c{}", "d".repeat(20_000)),
        "inputSchema": {"type": "object", "x-odd": [1]}, "outputSchema": "no", "annotations": {"readOnlyHint": true},
    }));
    tools
}

#[test]
fn every_rule_decides_about_tools() {
    let world = World::new();
    let tools = forty_tools();
    assert_eq!(tools.len(), 40);
    world.behave("first", &json!({"tools": [super::tool("shared"), super::tool("ws_shared")]}));
    world.behave("second", &json!({"tools": tools}));
    let filters = "tools: {whitelist: [admin_7, 'nothing*'], blacklist: ['admin_*', close, unknown]}\ntransform: [{prefix: {remove: open_, add: ws_}}]";
    world.servers(&[("first", ""), ("ws_read", ""), ("second", filters)]);
    world.offer("ws_read", &["never"]);
    let gateway = world.start();
    assert!(world.starts("ws_read").is_empty(), "a server named like a built-in toolset is not started");
    let second = tools_of(&gateway, "second");
    let hidden = second.tools.iter().find(|tool| tool.original == "hidden").unwrap();
    assert!(hidden.description.starts_with("abcddd") && hidden.description.len() < 17_000);
    assert!(hidden.output_schema.is_none() && hidden.input_schema.contains_key("x-odd"));
    insta::assert_snapshot!(describe(&gateway));
}

fn describe(gateway: &minds_mcp_gateway::Gateway) -> String {
    let mut text = String::new();
    for server in gateway.server_tools() {
        text.push_str(&format!("{}: {:?}\n", server.id, server.state));
        for tool in server.tools {
            text.push_str(&format!("  {} is {}\n", tool.name, tool.original));
        }
        for tool in server.skipped {
            text.push_str(&format!("  without {}: {}: {}\n", tool.original, tool.reason, tool.detail));
        }
        for unmatched in server.unmatched {
            text.push_str(&format!("  {} of {} matches nothing\n", unmatched.entry, unmatched.list));
        }
    }
    for problem in gateway.state().problems {
        text.push_str(&format!(
            "{}[{}] {}: {}\n",
            problem.severity, problem.code, problem.id, problem.message
        ));
    }
    text
}

#[test]
fn names_belong_to_the_server_that_comes_first_in_the_file() {
    let world = World::new();
    world.behave("slow", &json!({"tools": [super::tool("shared"), super::tool("own")], "hangs": "list"}));
    world.offer("fast", &["shared", "other"]);
    world.servers(&[("slow", ""), ("fast", "")]);
    let gateway = minds_mcp_gateway::Gateway::start(world.options()).unwrap();
    gateway.wait_for_names(&["shared", "other"]);
    world.let_continue("slow");
    gateway.wait_for_names(&["shared", "own", "other"]);
    assert_eq!(gateway.pid_in("c", "shared"), world.starts("slow")[0]);
    gateway.wait_for_problems(&["mcp/server/fast/tool_collision/shared"]);
    // Once the first one is gone, the name is free again.
    world.servers(&[("fast", "")]);
    gateway.wait_for_names(&["shared", "other"]);
    assert!(gateway.problem_ids().is_empty());
    assert_eq!(world.starts("fast").len(), 1, "filters and names need no restart");
}

#[test]
fn changes_of_the_tools_of_a_server_are_followed() {
    let world = World::new();
    world.offer("files", &["one"]);
    world.servers(&[("files", "")]);
    let gateway = world.start();
    gateway.wait_for_names(&["one"]);
    world.offer("files", &["one", "two"]);
    gateway.call_in("c", "one", json!({"do": "change"})).unwrap();
    gateway.wait_for_names(&["one", "two"]);
    assert_eq!(world.starts("files").len(), 1);
}
