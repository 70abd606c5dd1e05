//! Which tools of servers a member has.

use serde_json::json;

use super::{World, foreign_names, pid, wait_for_names};

#[test]
fn a_member_has_its_own_tools_and_those_of_granted_servers() {
    let world = World::with_servers();
    let mut session = world.session(&["--member", "coder"]);
    let tools = session.tools();
    assert_eq!(foreign_names(&mut session), ["list_files", "open_file"]);
    assert!(tools.contains(&"read_file".to_owned()) && !tools.contains(&"fetch".to_owned()), "{tools:?}");
    let list = session.ask("tools/list", json!({}));
    let tool = list["tools"].as_array().unwrap().iter().find(|tool| tool["name"] == "open_file").unwrap();
    assert_eq!(tool["_meta"], json!({"minds/server": "files", "minds/original": "open_file"}));
    assert_eq!(tool["annotations"]["openWorldHint"], true);
    let result = session.call("open_file", json!({"token": "one"}));
    assert_eq!(result["content"], json!([{"type": "text", "text": "open_file was called"}]));
    assert_eq!(result["structuredContent"]["token"], "one");
    assert_eq!(session.refusal_code("fetch", json!({})), "TOOL_NOT_GRANTED");
    assert!(world.lines("web", "calls").is_empty());
    // The operator has everything.
    let mut operator = world.session(&[]);
    assert_eq!(foreign_names(&mut operator), ["list_files", "open_file", "fetch"]);
}

#[test]
fn a_session_can_be_restricted_to_a_server() {
    let world = World::with_servers();
    let mut session = world.session(&["--member", "coder", "--toolset", "files"]);
    assert_eq!(session.tools(), ["list_files", "open_file"]);
    assert_eq!(session.refusal_code("read_file", json!({"path": "a"})), "TOOL_NOT_GRANTED");
    // This selects tools, but grants none.
    let mut session = world.session(&["--member", "coder", "--toolset", "web"]);
    assert!(session.tools().is_empty());
    assert_eq!(session.refusal_code("fetch", json!({})), "TOOL_NOT_GRANTED");
    assert_eq!(session.refusal_code("open_file", json!({})), "TOOL_NOT_GRANTED");
    let (code, _, stderr) = world.run(&["mcp", "--toolset", "wed"]);
    assert_eq!(code, 2, "{stderr}");
    assert!(stderr.contains("toolset `wed` has no tools here"), "{stderr}");
}

#[test]
fn grants_are_read_at_each_call() {
    let world = World::with_servers();
    let mut session = world.session(&["--member", "coder"]);
    let process = pid(&mut session, "open_file");
    for _ in 0..3 {
        world.team(&json!({"coder": {"toolsets": ["ws_read", "web"]}}));
        assert_eq!(session.refusal_code("open_file", json!({})), "TOOL_NOT_GRANTED");
        session.call("fetch", json!({"token": "x"}));
        world.team(&json!({"coder": {"toolsets": ["ws_read"], "tools": ["open_file"]}}));
        assert_eq!(session.refusal_code("fetch", json!({})), "TOOL_NOT_GRANTED");
        assert_eq!(session.refusal_code("list_files", json!({})), "TOOL_NOT_GRANTED");
        assert_eq!(pid(&mut session, "open_file"), process, "servers are not restarted");
    }
    wait_for_names(&mut session, &["open_file"]);
    // A team that cannot be read grants nothing.
    world.write("ws/.minds/team.yaml", "members: [");
    session.refusal_code("open_file", json!({}));
    // Without the member nothing is left.
    world.team(&json!({"other": {}}));
    assert_eq!(session.refusal_code("open_file", json!({})), "UNKNOWN_MEMBER");
    assert_eq!(world.starts("files").len(), 1);
}

#[test]
fn without_a_gateway_there_are_only_own_tools() {
    let world = World::with_servers();
    let mut session = world.session(&["--member", "coder", "--no-gateway"]);
    assert!(foreign_names(&mut session).is_empty());
    session.done("list_dir", json!({}));
    assert!(session.error_code("tools/call", json!({"name": "open_file", "arguments": {}})) < 0);
    assert_eq!(world.processes().len(), 1, "{:?}", world.processes());
    let ended = session.end();
    assert!(ended.stderr.contains("granted toolsets without tools here: `files`"), "{}", ended.stderr);
    assert!(world.starts("files").is_empty());
}

#[test]
fn servers_may_join_later() {
    let world = World::new();
    world.team(&json!({"coder": {"toolsets": ["files"]}}));
    let mut session = world.session(&["--member", "coder"]);
    assert!(foreign_names(&mut session).is_empty());
    world.offer("files", &["open_file"]);
    world.servers(&[("files", world.entry("files", &json!({})))]);
    wait_for_names(&mut session, &["open_file"]);
    let process = pid(&mut session, "open_file");
    assert_eq!(world.starts("files").iter().map(|pid| u64::from(*pid)).collect::<Vec<_>>(), [process]);
    assert_eq!(session.end().code, 0);
}
