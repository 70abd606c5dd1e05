//! Changes of `mcp.yaml` while servers run.

use minds_toolset::{Code, ServerAction, ServerState, ToolSource as _};
use serde_json::json;

use super::{Ask as _, World, eventually, expect_code, expect_end, is_running};

#[test]
fn servers_are_added_changed_and_removed_and_the_rest_keeps_running() {
    let world = World::new();
    world.offer("one", &["one_a"]);
    world.offer("two", &["two_a"]);
    world.servers(&[("one", "")]);
    let gateway = world.start();
    let one = gateway.pid_in("c", "one_a");
    world.servers(&[("two", ""), ("one", "")]);
    gateway.wait_for_names(&["two_a", "one_a"]);
    let two = gateway.pid_in("c", "two_a");
    // Filters and renaming restart nothing.
    world.servers(&[("two", "transform: [{prefix: x_}]"), ("one", "")]);
    gateway.wait_for_names(&["x_two_a", "one_a"]);
    assert_eq!(gateway.pid_in("c", "x_two_a"), two);
    // Another argument does.
    world.servers(&[("two", "cwd: .minds"), ("one", "")]);
    let changed = eventually("another process", || {
        let pid = gateway.pid_in("c", if gateway.names()[0] == "two_a" { "two_a" } else { "x_two_a" });
        (pid != two).then_some(pid)
    });
    expect_end(&[two]);
    world.servers(&[("one", "")]);
    gateway.wait_for_names(&["one_a"]);
    expect_end(&[changed]);
    assert_eq!(gateway.pid_in("c", "one_a"), one);
    assert_eq!(world.starts("one"), [one], "a server that did not change keeps its process");
    drop(gateway);
    expect_end(&[one]);
}

#[test]
fn a_file_that_cannot_be_used_changes_nothing() {
    let world = World::new();
    world.offer("one", &["one_a"]);
    world.servers(&[("one", "")]);
    let gateway = world.start();
    let one = gateway.pid_in("c", "one_a");
    let entry = world.entry("one", "one", "");
    let broken = [
        "version: 1\nservers: [".to_owned(),
        String::new(),
        "version: 2\nservers: {}\n".to_owned(),
        "servers: {}\n".to_owned(),
        "version: 1\nservers: 7\n".to_owned(),
        format!("version: 1\nservers:\n{entry}{entry}"),
        "version: 1\nservers: {}\n---\nversion: 1\n".to_owned(),
        "\u{feff}not: [a, file".to_owned(),
    ];
    for text in broken {
        world.write("mcp.yaml", &text);
        eventually(&format!("a problem of {text:?}"), || {
            (gateway.problem_ids() == ["mcp/workspace_config_error"]).then_some(())
        });
        assert_eq!(gateway.pid_in("c", "one_a"), one, "{text:?}");
        world.servers(&[("one", "")]);
        gateway.wait_for_problems(&[]);
    }
    // Not UTF-8, and a directory.
    std::fs::write(world.path("ws/.minds/mcp.yaml"), b"version: 1\nservers: {\xff: 1}\n").unwrap();
    gateway.wait_for_problems(&["mcp/workspace_config_error"]);
    std::fs::remove_file(world.path("ws/.minds/mcp.yaml")).unwrap();
    std::fs::create_dir(world.path("ws/.minds/mcp.yaml")).unwrap();
    gateway.wait_for_problems(&["mcp/workspace_config_error"]);
    assert_eq!(gateway.pid_in("c", "one_a"), one);
    // Without the file there are no servers, and nothing is wrong.
    std::fs::remove_dir(world.path("ws/.minds/mcp.yaml")).unwrap();
    gateway.wait_for_names(&[]);
    gateway.wait_for_problems(&[]);
    expect_end(&[one]);
    assert_eq!(world.starts("one"), [one]);
}

#[test]
fn a_configuration_that_worked_stays_until_the_new_one_works() {
    let world = World::new();
    world.offer("one", &["one_a"]);
    world.servers(&[("one", "")]);
    let gateway = world.start();
    let one = gateway.pid_in("c", "one_a");
    for step in ["start", "handshake", "list"] {
        world.behave("one", &json!({"tools": [super::tool("one_b")], "fails": step}));
        let count = world.starts("one").len();
        std::fs::create_dir(world.path("ws").join(step)).unwrap();
        world.servers(&[("one", &format!("cwd: {step}"))]);
        eventually("a start that fails", || (world.starts("one").len() > count).then_some(()));
        gateway.wait_for_state("one", ServerState::Failing);
        assert_eq!(gateway.names(), ["one_a"]);
        assert_eq!(gateway.pid_in("c", "one_a"), one, "{step}");
        gateway.wait_for_problems(&["mcp/server/one/server_error"]);
        // An entry that cannot be used keeps it too.
        world.servers(&[("one", "cwd: ' '")]);
        eventually("the invalid entry", || {
            gateway
                .state()
                .problems
                .first()
                .is_some_and(|problem| problem.message.contains("`cwd`"))
                .then_some(())
        });
        assert_eq!(gateway.pid_in("c", "one_a"), one, "{step}");
        world.offer("one", &["one_a"]);
        world.servers(&[("one", "")]);
        gateway.wait_for_problems(&[]);
        assert_eq!(gateway.pid_in("c", "one_a"), one, "the entry is as it was, so nothing is restarted");
    }
    // Once it works, the new one replaces the old one.
    world.offer("one", &["one_b"]);
    world.servers(&[("one", "cwd: .minds")]);
    gateway.wait_for_names(&["one_b"]);
    assert_ne!(gateway.pid_in("c", "one_b"), one);
    expect_end(&[one]);
}

#[test]
fn a_variable_that_is_not_set_is_named() {
    let world = World::new();
    world.offer("one", &["one_a"]);
    let program = std::env::current_exe().unwrap();
    world.write(
        "mcp.yaml",
        &format!(
            "version: 1\nservers: {{one: {{transport: stdio, command: '{}', env: {{A: {{env: MINDS_TEST_UNSET}}}}}}}}\n",
            program.display()
        ),
    );
    let gateway = world.start();
    let problem = gateway.state().problems.remove(0);
    assert!(
        problem.message.contains("`MINDS_TEST_UNSET`") && problem.message.contains("`env`"),
        "{problem:?}"
    );
    assert_eq!(gateway.server("one").state, ServerState::Invalid);
}

#[test]
fn a_server_is_disabled_by_its_entry_and_by_a_tool() {
    let world = World::new();
    world.offer("one", &["one_a"]);
    world.servers(&[("one", "")]);
    let gateway = world.start();
    let one = gateway.pid_in("c", "one_a");
    gateway.act("c", "one", ServerAction::Disable).unwrap();
    gateway.wait_for_names(&[]);
    expect_end(&[one]);
    gateway.wait_for_state("one", ServerState::Disabled);
    // It stays so, whatever happens to other entries.
    world.offer("two", &["two_a"]);
    world.servers(&[("one", ""), ("two", "")]);
    gateway.wait_for_names(&["two_a"]);
    let outcome = gateway.act("c", "one", ServerAction::Restart).unwrap();
    assert_eq!(outcome.state, ServerState::Ready);
    assert_eq!(gateway.names(), ["one_a", "two_a"]);
    gateway.act("c", "one", ServerAction::Disable).unwrap();
    gateway.wait_for_names(&["two_a"]);
    world.servers(&[("one", "transform: [{suffix: _x}]"), ("two", "")]);
    gateway.wait_for_names(&["one_a_x", "two_a"]);
    world.servers(&[("one", "enabled: false"), ("two", "")]);
    gateway.wait_for_names(&["two_a"]);
    gateway.wait_for_state("one", ServerState::Disabled);
    let refused = gateway.act("c", "one", ServerAction::Restart).unwrap_err();
    assert_eq!(refused.code, Code::ServerInvalid);
    for action in [ServerAction::Restart, ServerAction::Disable, ServerAction::Release] {
        let refused = gateway.act("c", "tow", action).unwrap_err();
        assert_eq!(
            (refused.code, refused.next.as_deref()),
            (Code::UnknownServer, Some("did you mean `two`?"))
        );
    }
}

#[test]
fn a_call_that_runs_keeps_the_server_that_was_removed() {
    let world = World::new();
    world.offer("one", &["one_a"]);
    world.servers(&[("one", "")]);
    let gateway = world.start();
    let call = gateway.start_call("c", "one_a", json!({"do": "wait"}));
    world.wait_for_line("one.waiting");
    let tools = gateway.tools();
    world.servers(&[]);
    world.write("mcp.yaml", "version: 1\nservers: {}\n");
    gateway.wait_for_names(&[]);
    world.let_continue("one");
    let pid = call.answer().unwrap()["structuredContent"]["pid"].as_u64().unwrap();
    expect_end(&[pid.try_into().unwrap()]);
    assert!(!is_running(pid.try_into().unwrap()));
    // A caller that still knows the tool is refused.
    let (sender, received) = std::sync::mpsc::channel();
    let client = super::Client(std::sync::Mutex::new(sender));
    let call = minds_toolset::ForeignCall {
        conversation: "c".to_owned(),
        caller: "coder".to_owned(),
        tool: tools[0].clone(),
        arguments: serde_json::Map::new(),
        can_elicit: false,
        accepts_tasks: false,
    };
    drop(gateway.call(call, std::sync::Arc::new(client)));
    let received = received.recv().unwrap();
    let super::Received::Answer(answer) = received else { panic!("no answer") };
    expect_code(answer.map(serde_json::Value::Object), Code::ServerUnavailable);
}
