//! Servers that end, hang, or never work.

use minds_toolset::{Code, ServerState, ToolSource as _};
use serde_json::json;

use super::{Ask as _, World, eventually, expect_code, expect_end, is_running};

#[test]
fn a_server_that_ends_refuses_its_calls_and_runs_again() {
    let world = World::new();
    world.offer("one", &["one_a"]);
    world.servers(&[("one", "")]);
    let gateway = world.start();
    let first = gateway.pid_in("c", "one_a");
    let waiting = gateway.start_call("c", "one_a", json!({"do": "hang"}));
    let refused = gateway.call_in("c", "one_a", json!({"do": "die"})).unwrap_err();
    assert_eq!(refused.code, Code::ServerUnavailable);
    assert!(refused.message.contains("exited with status 3"), "{refused:?}");
    expect_code(waiting.answer().map(serde_json::Value::Object), Code::ServerUnavailable);
    assert_eq!(gateway.names(), ["one_a"], "its tools stay listed");
    // The next call does not wait for the pause.
    assert_ne!(gateway.pid_in("c", "one_a"), first);
    gateway.wait_for_state("one", ServerState::Ready);
    gateway.wait_for_problems(&[]);
    assert_eq!(gateway.server("one").restarts, 1);
    let running: Vec<u32> = world.starts("one").into_iter().filter(|pid| is_running(*pid)).collect();
    assert_eq!(running.len(), 1, "one conversation has one process");
}

#[test]
fn a_server_that_ends_without_a_call_runs_again_by_itself() {
    let world = World::new();
    world.offer("one", &["one_a"]);
    world.servers(&[("one", "")]);
    let gateway = world.start();
    let first = world.starts("one")[0];
    minds_process::kill(first);
    let marked = eventually("marked tools", || {
        let tools = gateway.tools();
        (!tools[0].is_available).then_some(tools)
    });
    assert_eq!(marked[0].name, "one_a");
    eventually("another start", || (world.starts("one").len() == 2).then_some(()));
    gateway.wait_for_state("one", ServerState::Ready);
    eventually("tools that are not marked", || gateway.tools()[0].is_available.then_some(()));
}

#[test]
fn a_server_that_never_works_is_named() {
    let world = World::new();
    world.behave("bad", &json!({"tools": [], "fails": "handshake"}));
    world.offer("good", &["good_a"]);
    world.servers(&[("bad", ""), ("good", "")]);
    let gateway = world.start();
    assert_eq!(gateway.names(), ["good_a"]);
    let bad = gateway.wait_for_state("bad", ServerState::Failing);
    assert!(bad.last_error.is_some_and(|error| error.contains("failing at handshake")), "the log is named");
    eventually("further attempts", || (world.starts("bad").len() > 2).then_some(()));
    let problem = gateway.state().problems.remove(0);
    assert_eq!(
        (problem.id.as_str(), problem.severity),
        ("mcp/server/bad/server_error", minds_diagnostics::Severity::Error)
    );
    world.offer("bad", &["bad_a"]);
    gateway.wait_for_names(&["bad_a", "good_a"]);
    gateway.wait_for_problems(&[]);
}

#[test]
fn a_server_that_hangs_ends_its_calls_in_time() {
    let world = World::new();
    world.write("minds.toml", "[gateway]\ncall_timeout_seconds = 1\nstart_timeout_seconds = 1\n");
    world.offer("one", &["one_a"]);
    world.servers(&[("one", "")]);
    let gateway = world.start();
    let pid = gateway.pid_in("c", "one_a");
    expect_code(gateway.call_in("c", "one_a", json!({"do": "hang"})), Code::TimedOut);
    // It answers, so it is not restarted.
    assert_eq!(gateway.pid_in("c", "one_a"), pid);
    // A server that does not even start in time is not waited for.
    world.behave("two", &json!({"tools": [], "hangs": "handshake"}));
    world.servers(&[("one", ""), ("two", "")]);
    let two = gateway.wait_for_state("two", ServerState::Failing);
    assert!(two.last_error.is_some_and(|error| error.contains("did not answer within 1 s")));
}

/// What a server writes may contain the values that it was given.
#[test]
fn secrets_of_servers_are_redacted() {
    let world = World::new();
    world.behave(
        "leaky",
        &json!({"tools": [super::tool("leaky_a")], "fails": "handshake", "prints": "API_TOKEN"}),
    );
    let entry = world
        .entry("leaky", "leaky", "")
        .replace("env: {", "env: {API_TOKEN: hunter2-hunter2, PLAIN: visible-value, ");
    world.write("mcp.yaml", &format!("version: 1\nservers:\n{entry}"));
    let gateway = world.start();
    let leaky = gateway.wait_for_state("leaky", ServerState::Failing);
    let shown = format!("{leaky:?} {:?}", gateway.state().problems);
    assert!(shown.contains("token is ****") && !shown.contains("hunter2"), "{shown}");
    drop(gateway);
    let log = std::fs::read_to_string(world.path("state/gateway/leaky.log")).unwrap();
    assert!(log.contains("token is ****") && !log.contains("hunter2"), "{log}");
    let remembered = std::fs::read_to_string(world.path("state/problems.json")).unwrap();
    assert!(!remembered.contains("hunter2"));
}

#[test]
fn all_processes_end_with_the_gateway() {
    let world = World::new();
    world.behave("stays", &json!({"tools": [super::tool("stays_a")], "stays": true}));
    world.behave("hangs", &json!({"tools": [], "hangs": "handshake"}));
    world.servers(&[("stays", ""), ("hangs", "")]);
    let gateway = minds_mcp_gateway::Gateway::start(world.options()).unwrap();
    gateway.wait_for_names(&["stays_a"]);
    gateway.pid_in("a", "stays_a");
    gateway.pid_in("b", "stays_a");
    eventually("a start", || (!world.starts("hangs").is_empty()).then_some(()));
    drop(gateway);
    let pids = [world.starts("stays"), world.starts("hangs")].concat();
    assert_eq!(pids.len(), 3);
    expect_end(&pids);
}
