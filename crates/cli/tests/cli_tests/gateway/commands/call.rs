//! `minds gateway call`

use serde_json::{Value, json};

use super::expect_failure;
use crate::gateway::harness::processes::signal;
use crate::gateway::{World, eventually};

/// Calls a tool, and returns the exit code and the document.
fn call(world: &World, args: &[&str]) -> (i32, Value) {
    let (code, document) = world.document(&[&["gateway", "call"], args].concat());
    assert_eq!(document["version"], 1);
    (code, document)
}

#[test]
fn the_result_of_a_tool_is_printed() {
    let world = World::with_servers();
    let (code, mut document) = call(&world, &["open_file", "--args", r#"{"token": "one"}"#]);
    let pid = document["structuredContent"]["pid"].take();
    assert!(code == 0 && pid == world.starts("files")[0], "{document}");
    let expected = json!({
        "version": 1, "status": "ok", "tool": "open_file", "server": "files", "isError": false,
        "content": [{"type": "text", "text": "open_file was called"}],
        "structuredContent": {"token": "one", "pid": null, "calls": 1},
    });
    assert_eq!(document, expected);
    assert!(world.starts("web").len() <= 1);
    // With remembered tools, only the server of the tool is started.
    let (code, _) = call(&world, &["open_file"]);
    assert_eq!(code, 0);
    assert_eq!((world.starts("files").len(), world.starts("web").len()), (2, 1));
    // All options that say the same.
    for more in [&["--json"][..], &["--format", "json"]] {
        assert_eq!(call(&world, &[&["open_file"], more].concat()).0, 0);
    }
}

#[test]
fn arguments_are_read_from_stdin() {
    let world = World::with_servers();
    let args = ["gateway", "call", "open_file", "--args", "-"];
    let (code, stdout, stderr) = world.run_with(&args, "{\"token\": \"from stdin\"}\n");
    assert_eq!(code, 0, "{stderr}");
    let document: Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!(document["structuredContent"]["token"], "from stdin");
    for wrong in ["", "7", "[]", "{", "null"] {
        let (code, stdout, stderr) = world.run_with(&args, wrong);
        assert_eq!(code, 2, "{wrong:?}: {stdout}{stderr}");
        let args = ["gateway", "call", "open_file", "--args", wrong];
        let (code, stdout, stderr) = world.run(&args);
        assert_eq!(code, 2, "{wrong:?}: {stdout}{stderr}");
    }
    assert_eq!(world.lines("files", "calls"), ["from stdin"]);
}

#[test]
fn errors_and_refusals_have_the_exit_code_1() {
    let world = World::with_servers();
    let (code, document) = call(&world, &["open_file", "--args", r#"{"do": "refuse"}"#]);
    assert_eq!((code, &document["status"], &document["isError"]), (1, &json!("error"), &json!(true)));
    let (code, document) = call(&world, &["open_file", "--args", r#"{"do": "die"}"#]);
    assert_eq!(
        (code, &document["status"], &document["code"]),
        (1, &json!("error"), &json!("SERVER_UNAVAILABLE"))
    );
    assert_eq!(document["details"]["server"], "files");
    let (code, document) = call(&world, &["open_file", "--args", r#"{"do": "hang"}"#, "--timeout", "1"]);
    assert_eq!((code, &document["code"]), (1, &json!("TIMED_OUT")));
    // A question cannot be answered by a command.
    let (code, document) = call(&world, &["open_file", "--args", r#"{"do": "ask"}"#]);
    assert_eq!((code, &document["structuredContent"]["reply"]), (0, &json!({"action": "decline"})));
}

#[test]
fn an_interrupted_command_leaves_no_process() {
    let world = World::with_servers();
    let mut command =
        world.command(&["gateway", "call", "open_file", "--args", r#"{"do": "hang", "token": "x"}"#]);
    let mut child = command.spawn().unwrap();
    eventually("the call at the server", || (!world.lines("files", "calls").is_empty()).then_some(()));
    signal("INT", child.id().into());
    assert!(!child.wait().unwrap().success());
    world.wait_for_end().unwrap();
}

#[test]
fn the_rights_of_a_member_apply() {
    let world = World::with_servers();
    assert_eq!(call(&world, &["open_file", "--as", "coder"]).0, 0);
    let (code, document) = call(&world, &["fetch", "--as", "coder"]);
    assert_eq!((code, &document["code"]), (1, &json!("TOOL_NOT_GRANTED")));
    assert!(world.lines("web", "calls").is_empty());
    let (code, document) = call(&world, &["open_file", "--as", "codr"]);
    assert_eq!((code, &document["code"]), (2, &json!("UNKNOWN_MEMBER")), "{document}");
}

#[test]
fn unknown_tools_and_wrong_options_are_named() {
    let world = World::with_servers();
    expect_failure(
        &world,
        &["gateway", "call", "open_flie"],
        2,
        "no MCP server has a tool `open_flie`; did you mean `open_file`?",
    );
    // Built-in tools are not tools of servers.
    expect_failure(&world, &["gateway", "call", "read_file"], 2, "no MCP server has a tool `read_file`");
    for args in [&["--timeout", "0"][..], &["--timeout", "x"], &["--timeout", "86401"], &["--no-such-option"]]
    {
        let (code, stdout, stderr) = world.run(&[&["gateway", "call", "open_file"], args].concat());
        assert_eq!((code, stdout.as_str()), (2, ""), "{args:?}: {stderr}");
    }
    assert!(world.lines("files", "calls").is_empty());
}

#[test]
fn a_server_that_fails_is_named_by_its_tool() {
    let world = World::with_servers();
    assert_eq!(call(&world, &["open_file"]).0, 0);
    // Its tools are remembered.
    world.behave("files", &json!({"tools": ["open_file"], "fails": "handshake"}));
    let (code, document) = call(&world, &["open_file"]);
    assert_eq!((code, &document["code"]), (1, &json!("SERVER_UNAVAILABLE")), "{document}");
    assert!(document["message"].as_str().unwrap().contains("files fails at handshake"), "{document}");
}
