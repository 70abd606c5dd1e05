//! Lists of tools, and notifications of their changes.

use minds_toolset::ForeignTool;
use serde_json::{Value, json};

use super::client::Client;
use super::source::{FakeSource, object, tool};
use super::{Place, TEAM};

const CHANGED: &str = "notifications/tools/list_changed";

fn is_change(message: &Value) -> bool {
    message["method"] == CHANGED
}

fn names(tools: &[Value]) -> Vec<&str> {
    tools.iter().map(|tool| tool["name"].as_str().unwrap()).filter(|name| name.starts_with("web_")).collect()
}

#[test]
fn granted_tools_of_servers_are_listed_as_they_are_described() {
    let (place, source) = (Place::new(), FakeSource::new(&[]));
    source.set(vec![
        ForeignTool {
            title: Some("Echo".to_owned()),
            output_schema: Some(object(json!({"type": "object", "x-own": 1}))),
            annotations: object(json!({"title": "An echo", "readOnlyHint": true, "openWorldHint": false})),
            input_schema: object(json!({"type": "object", "properties": {"a": {"$ref": "#/x"}}, "x": {}})),
            ..tool("browser", "echo")
        },
        ForeignTool { is_available: false, ..tool("browser", "count") },
        tool("tickets", "find"),
    ]);
    let mut client = Client::start(&place, &source, "coder", json!({}));
    let tools = client.tools();
    let expected = json!({
        "name": "web_echo",
        "title": "Echo",
        "description": "does echo",
        "inputSchema": {"type": "object", "properties": {"a": {"$ref": "#/x"}}, "x": {}},
        "outputSchema": {"type": "object", "x-own": 1},
        "annotations": {"title": "An echo", "readOnlyHint": true, "openWorldHint": true},
        "_meta": {"minds/server": "browser", "minds/original": "echo"},
    });
    assert_eq!(tools[tools.len() - 2], expected);
    let down = tools[tools.len() - 1]["description"].as_str().unwrap();
    assert!(down.starts_with("The server `browser` does not run at present") && down.ends_with("does count"));
    assert_eq!(names(&tools), ["web_echo", "web_count"]);
    assert!(source.log.lock().unwrap().contains(&"wait".to_owned()));
    let mut reader = Client::start(&place, &source, "reader", json!({}));
    assert!(names(&reader.tools()).is_empty());
}

#[test]
fn clients_are_notified_when_the_tools_of_servers_change() {
    let (place, source) = (Place::new(), FakeSource::new(&["echo"]));
    let mut client = Client::start(&place, &source, "coder", json!({}));
    let mut reader = Client::start(&place, &source, "reader", json!({}));
    assert_eq!(names(&client.tools()), ["web_echo"]);
    reader.tools();
    source.set(vec![tool("browser", "echo"), tool("browser", "count")]);
    client.wait_for(is_change);
    assert_eq!(names(&client.tools()), ["web_echo", "web_count"]);
    // Not only names count.
    source
        .set(vec![ForeignTool { is_available: false, ..tool("browser", "echo") }, tool("browser", "count")]);
    client.wait_for(is_change);
    // A tool that the caller does not have is not a change.
    source.set(vec![
        ForeignTool { is_available: false, ..tool("browser", "echo") },
        tool("browser", "count"),
        tool("tickets", "other"),
    ]);
    client.tools();
    source.set(Vec::new());
    client.wait_for(is_change);
    let rest = client.end();
    assert!(!rest.iter().any(is_change), "{rest:?}");
    let rest = reader.end();
    assert!(!rest.iter().any(is_change), "{rest:?}");
}

#[test]
fn a_grant_is_a_change_as_well() {
    let (place, source) = (Place::new(), FakeSource::new(&["echo"]));
    let mut reader = Client::start(&place, &source, "reader", json!({}));
    reader.tools();
    place.write(&TEAM.replace("reader: {toolsets: [ws_read]}", "reader: {toolsets: [ws_read, tickets]}"));
    reader.wait_for(is_change);
    assert_eq!(names(&reader.tools()), ["web_find"]);
}

#[test]
fn a_server_can_be_selected_before_it_has_tools() {
    let (place, source) = (Place::new(), FakeSource::new(&["echo"]));
    let select = |toolset: &str| place.server(&source, "coder").restricted_to(vec![toolset.to_owned()]);
    assert!(select("browser").is_ok());
    assert_eq!(
        select("browsr").unwrap_err().to_string(),
        "toolset `browsr` has no tools here; did you mean `browser`?"
    );
    source.set(Vec::new());
    assert!(select("browser").is_err());
    let mcp = "version: 1\nservers: {browser: {transport: stdio, command: x}}\n";
    std::fs::write(place.0.path().join("workspace/.minds/mcp.yaml"), mcp).unwrap();
    assert!(select("browser").is_ok());
}
