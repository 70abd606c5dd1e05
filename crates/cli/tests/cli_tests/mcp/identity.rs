//! The identity of a client is fixed before its first message.

use serde_json::json;

use crate::mcp::session::Workspace;

#[test]
fn a_member_has_its_own_tools_and_paths() {
    let workspace = Workspace::with_team();
    let mut session = workspace.session(&["--member", "coder"]);
    assert!(session.instructions.contains("as member `coder`"), "{}", session.instructions);
    let tools = session.tools();
    assert!(tools.contains(&"create_new_file".to_owned()), "{tools:?}");
    assert!(!tools.iter().any(|tool| tool.starts_with("team_mgmt_")), "{tools:?}");
    session.done("read_file", json!({"path": "src/a.txt"}));
    assert_eq!(session.refusal_code("read_file", json!({"path": "secret/key"})), "ACCESS_DENIED");
    assert_eq!(
        session.refusal_code("create_new_file", json!({"path": ".minds/x", "content": ""})),
        "ACCESS_DENIED"
    );
    assert_eq!(
        session.refusal_code("team_mgmt_read_file", json!({"path": ".minds/team.yaml"})),
        "TOOL_NOT_GRANTED"
    );

    let mut session = workspace.session(&["--member", "reviewer"]);
    assert!(!session.tools().contains(&"create_new_file".to_owned()));
    assert_eq!(session.refusal_code("create_new_file", json!({"path": "src/b"})), "TOOL_NOT_GRANTED");
}

#[test]
fn no_argument_changes_the_identity_of_a_member() {
    let workspace = Workspace::with_team();
    let mut session = workspace.session(&["--member", "reviewer"]);
    let sneaky = json!({"path": "src/b", "content": "", "member": "lead", "as": "lead", "caller": "lead"});
    assert_eq!(session.refusal_code("create_new_file", sneaky), "TOOL_NOT_GRANTED");
    let meta =
        json!({"name": "create_new_file", "arguments": {"path": "src/b"}, "_meta": {"member": "lead"}});
    assert_eq!(session.ask("tools/call", meta)["structuredContent"]["code"], "TOOL_NOT_GRANTED");
    assert!(!workspace.path().join("src/b").exists());
}

#[test]
fn a_member_that_leaves_the_team_has_no_tools() {
    let workspace = Workspace::with_team();
    let mut session = workspace.session(&["--member", "coder"]);
    assert!(!session.tools().is_empty());
    workspace.write(".minds/team.yaml", "members: {}\n");
    assert_eq!(session.tools(), Vec::<String>::new());
    assert_eq!(session.refusal_code("read_file", json!({"path": "src/a.txt"})), "UNKNOWN_MEMBER");
    let list = session.ask("resources/list", json!({}));
    for resource in list["resources"].as_array().unwrap() {
        assert!(resource["uri"].as_str().unwrap().starts_with("minds://schema/"), "{resource}");
    }
    assert_eq!(session.ask("prompts/list", json!({}))["prompts"], json!([]));
    assert_eq!(session.end().code, 0);
}

#[test]
fn an_unknown_member_is_not_served() {
    let workspace = Workspace::with_team();
    let output =
        workspace.command(&["mcp", "--member", "ghost"]).stdin(std::process::Stdio::null()).output().unwrap();
    let printed = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{printed}");
    assert!(printed.starts_with("error[UNKNOWN_MEMBER]: ") && printed.contains("`ghost`"), "{printed}");
}

#[test]
fn granted_toolsets_without_tools_are_named_at_the_start() {
    let team = "members:\n  coder:\n    toolsets: [ws_read, os, memory, stocks]\n  plain:\n    toolsets: [ws_read]\n";
    let workspace = Workspace::new(&[(".minds/team.yaml", team)]);
    let session = workspace.session(&["--member", "coder"]);
    let line = "Your toolsets `os`, `memory`, `stocks` have no tools here.";
    assert!(session.instructions.contains(line), "{}", session.instructions);
    let stderr = session.end().stderr;
    assert!(
        stderr.contains("minds: granted toolsets without tools here: `os`, `memory`, `stocks`\n"),
        "{stderr}"
    );
    for args in [["--member", "plain"].as_slice(), &["--member", "coder", "--toolset", "ws_read"], &[]] {
        let session = workspace.session(args);
        assert!(!session.instructions.contains("have no tools here"), "{}", session.instructions);
        assert!(!session.end().stderr.contains("without tools"), "{args:?}");
    }
}

#[test]
fn toolsets_narrow_and_never_widen() {
    let workspace = Workspace::with_team();
    let mut session = workspace.session(&["--member", "coder", "--toolset", "ws_read"]);
    let tools = session.tools();
    assert!(
        tools.contains(&"read_file".to_owned()) && !tools.contains(&"create_new_file".to_owned()),
        "{tools:?}"
    );
    assert_eq!(session.refusal_code("create_new_file", json!({"path": "src/b"})), "TOOL_NOT_GRANTED");

    // `access_explain` answers only for the member itself, because it does not manage the team.
    let mut session = workspace.session(&["--member", "coder", "--toolset", "team-mgmt"]);
    assert_eq!(session.tools(), ["access_explain"]);
    let other = json!({"path": "src/b", "operation": "read", "member": "lead"});
    assert_eq!(session.refusal_code("access_explain", other), "ACCESS_DENIED");
    assert_eq!(
        session.refusal_code("team_mgmt_read_file", json!({"path": ".minds/team.yaml"})),
        "TOOL_NOT_GRANTED"
    );

    let mut session = workspace.session(&["--toolset", "team-mgmt,ws_read"]);
    let both = session.tools();
    let mut session = workspace.session(&["--toolset", "team-mgmt", "--toolset", "ws_read"]);
    assert_eq!(session.tools(), both);
    let tools = session.tools();
    assert!(
        tools.contains(&"team_mgmt_create_new_file".to_owned())
            && !tools.contains(&"create_new_file".to_owned())
    );
}

#[test]
fn a_changed_team_changes_the_tools_of_a_member() {
    let workspace = Workspace::with_team();
    let mut session = workspace.session(&["--member", "reviewer"]);
    assert!(session.tools().contains(&"read_file".to_owned()));
    let team = std::fs::read_to_string(workspace.path().join(".minds/team.yaml")).unwrap();
    workspace.write(".minds/team.yaml", &team.replace("[ws_read]", "[ws_mod]"));
    assert!(session.tools().contains(&"create_new_file".to_owned()));
    workspace.write(".minds/team.yaml", &team.replace("  reviewer:\n    toolsets: [ws_read]\n", ""));
    assert_eq!(session.tools(), Vec::<String>::new());
    assert_eq!(session.refusal_code("read_file", json!({"path": "src/a.txt"})), "UNKNOWN_MEMBER");
}

#[test]
fn an_invalid_server_ends_without_protocol_output() {
    let workspace = Workspace::with_team();
    for (args, printed) in [
        (&["--root", "nowhere"][..], "nowhere"),
        (&["--root", "src/a.txt"], "a.txt"),
        (&["--toolset", "ws_raed"], "did you mean `ws_read`?"),
        (&["--no-token"], "--http"),
        (&["--http", "0.0.0.0:0"], "loopback address"),
        (&["--http", "somewhere"], "somewhere"),
    ] {
        let ended = workspace.open(args).end();
        assert_eq!((ended.code, ended.rest), (2, vec![]), "{args:?}: {}", ended.stderr);
        assert!(ended.stderr.contains(printed), "{args:?}: {}", ended.stderr);
    }
}

#[test]
fn the_root_that_is_named_is_the_one_that_is_served() {
    let workspace = Workspace::with_team();
    workspace.write("inner/b.txt", "two\n");
    let mut session = workspace.session(&["--root", "inner"]);
    assert!(session.instructions.contains("Workspace `inner`"), "{}", session.instructions);
    session.done("read_file", json!({"path": "b.txt"}));
    assert_eq!(session.refusal_code("read_file", json!({"path": "../src/a.txt"})), "INVALID_PATH");
}

#[test]
fn no_reply_names_a_place_on_the_machine() {
    let workspace = Workspace::with_team();
    let mut session = workspace.session(&["--task", "release"]);
    assert!(session.instructions.contains("Your task is `release`"));
    let place = workspace.path().parent().unwrap().to_str().unwrap().to_owned();
    for (method, params) in [
        ("initialize", crate::mcp::session::handshake()),
        ("tools/list", json!({})),
        ("tools/call", json!({"name": "read_file", "arguments": {"path": "none"}})),
        ("tools/call", json!({"name": "create_new_file", "arguments": {"path": "src"}})),
        ("resources/list", json!({})),
        ("resources/read", json!({"uri": "minds://problems"})),
        ("resources/read", json!({"uri": "minds://team"})),
    ] {
        let reply = session.reply(method, params).to_string();
        assert!(!reply.contains(&place), "{method}: {reply}");
    }
}
