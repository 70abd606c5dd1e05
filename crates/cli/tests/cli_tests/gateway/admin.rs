//! The tools of `mcp_admin`.

use serde_json::json;

use super::{World, eventually, foreign_names, pid, wait_for_names};

#[test]
fn a_server_is_restarted_released_and_disabled() {
    let world = World::with_servers();
    world.team(&json!({"coder": {"toolsets": ["files", "mcp_admin"]}}));
    let mut session = world.session(&["--member", "coder"]);
    let first = pid(&mut session, "open_file");
    let done = session.done("mcp_restart", json!({"serverId": "files"}));
    assert_eq!((&done["serverId"], &done["state"]), (&json!("files"), &json!("ready")));
    assert_eq!(done["summary"], "ok: the server `files` was started again");
    let second = pid(&mut session, "open_file");
    assert_ne!(second, first);
    let done = session.done("mcp_release", json!({"serverId": "files"}));
    assert_eq!(done["released"], true);
    assert!(done["summary"].as_str().unwrap().starts_with("ok: "), "{done}");
    assert_eq!(session.done("mcp_release", json!({"serverId": "files"}))["released"], false);
    assert_eq!(foreign_names(&mut session), ["list_files", "open_file"], "released tools stay listed");
    let third = pid(&mut session, "open_file");
    assert_ne!(third, second);
    let done = session.done("mcp_disable", json!({"serverId": "files"}));
    assert!(done["summary"].as_str().unwrap().starts_with("ok: "), "{done}");
    wait_for_names(&mut session, &[]);
    assert!(session.error_code("tools/call", json!({"name": "open_file", "arguments": {}})) < 0);
    assert_eq!(session.done("mcp_restart", json!({"serverId": "files"}))["state"], "ready");
    wait_for_names(&mut session, &["list_files", "open_file"]);
    assert!(![first, second, third].contains(&pid(&mut session, "open_file")));
}

#[test]
fn wrong_servers_are_refused() {
    let world = World::with_servers();
    world.offer("bad", &["bad"]);
    let unset = json!({"env": {"A": {"env": "MINDS_TEST_UNSET"}}});
    world.behave("bad", &json!({"tools": [], "fails": "handshake"}));
    world.servers(&[
        ("bad", world.entry("bad", &json!({}))),
        ("unset", world.entry("unset", &unset)),
        ("off", world.entry("bad", &json!({"enabled": false}))),
    ]);
    let mut session = world.session(&["--member", "lead"]);
    for tool in ["mcp_restart", "mcp_release", "mcp_disable"] {
        let result = session.call(tool, json!({"serverId": "bed"}));
        let refusal = &result["structuredContent"];
        assert_eq!(
            (&refusal["code"], &refusal["next"]),
            (&json!("UNKNOWN_SERVER"), &json!("did you mean `bad`?"))
        );
    }
    assert_eq!(session.refusal_code("mcp_restart", json!({"serverId": "bad"})), "SERVER_UNAVAILABLE");
    assert_eq!(session.refusal_code("mcp_restart", json!({"serverId": "unset"})), "SERVER_INVALID");
    assert_eq!(session.refusal_code("mcp_restart", json!({"serverId": "off"})), "SERVER_INVALID");
    // A member without the toolset has none of them.
    let mut session = world.session(&["--member", "coder"]);
    assert_eq!(session.refusal_code("mcp_restart", json!({"serverId": "bad"})), "TOOL_NOT_GRANTED");
}

#[test]
fn a_restart_waits_for_calls_for_a_limited_time() {
    let world = World::with_servers();
    world.write("ws/.minds/minds.toml", "[gateway]\nstop_timeout_seconds = 1\n");
    world.team(&json!({"coder": {"toolsets": ["files", "mcp_admin"]}}));
    let mut session = world.session(&["--member", "coder"]);
    let call = |id: &str, arguments| json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {"name": "open_file", "arguments": arguments}});
    session.send(&call("hanging", json!({"do": "hang", "token": "hanging"})));
    eventually("the call at the server", || (world.lines("files", "calls") == ["hanging"]).then_some(()));
    assert_eq!(session.done("mcp_restart", json!({"serverId": "files"}))["state"], "ready");
    // The answer to the first call may have come before the one to the restart.
    let answer = loop {
        let known = session.notifications().iter().find(|message| message["id"] == "hanging").cloned();
        if let Some(answer) = known.or_else(|| session.next().filter(|message| message["id"] == "hanging")) {
            break answer;
        }
    };
    assert_eq!(answer["result"]["structuredContent"]["code"], "SERVER_UNAVAILABLE", "{answer}");
    pid(&mut session, "open_file");
}

/// Only the gateway of the session is concerned, and so is the one of another session of the same workspace by the command.
#[test]
fn sessions_do_not_disturb_each_other() {
    let world = World::with_servers();
    world.team(&json!({"coder": {"toolsets": ["files", "mcp_admin"]}}));
    let (mut one, mut other) = (world.session(&["--member", "coder"]), world.session(&["--member", "coder"]));
    let (first, second) = (pid(&mut one, "open_file"), pid(&mut other, "open_file"));
    assert_ne!(first, second);
    one.done("mcp_disable", json!({"serverId": "files"}));
    assert_eq!(pid(&mut other, "open_file"), second);
    let (code, _) = world.document(&["gateway", "restart", "files", "--json"]);
    assert_eq!(code, 0);
    assert_ne!(pid(&mut other, "open_file"), second);
    wait_for_names(&mut one, &["list_files", "open_file"]);
}
