//! Connections of conversations.

use minds_toolset::{Code, ServerAction, ServerState, ToolSource as _};
use serde_json::json;

use super::{Ask as _, World, eventually, expect_code, expect_end, is_running};

#[test]
fn each_conversation_has_a_process_of_its_own() {
    let world = World::new();
    world.offer("one", &["one_a"]);
    world.servers(&[("one", "")]);
    let gateway = world.start();
    let (a, b) = (gateway.pid_in("a", "one_a"), gateway.pid_in("b", "one_a"));
    assert_ne!(a, b);
    assert_eq!((gateway.pid_in("a", "one_a"), gateway.pid_in("b", "one_a")), (a, b));
    assert_eq!(
        world.starts("one"),
        [a, b],
        "the connection that listed the tools is that of the first conversation"
    );
    assert_eq!((gateway.server("one").leases, gateway.state().conversations), (2, 2));
    gateway.end_conversation("a");
    expect_end(&[a]);
    assert!(is_running(b));
    let outcome = gateway.act("b", "one", ServerAction::Release).unwrap();
    assert!(outcome.released && outcome.state == ServerState::Ready);
    assert!(!gateway.act("b", "one", ServerAction::Release).unwrap().released);
    expect_end(&[b]);
    assert_eq!(gateway.names(), ["one_a"], "the tools stay listed");
    assert_ne!(gateway.pid_in("b", "one_a"), b);
}

#[test]
fn conversations_share_a_server_without_state() {
    let world = World::new();
    world.offer("one", &["one_a"]);
    world.servers(&[("one", "truely-stateless: true")]);
    let gateway = world.start();
    let (a, b) = (gateway.pid_in("a", "one_a"), gateway.pid_in("b", "one_a"));
    assert_eq!(a, b);
    assert!(!gateway.act("a", "one", ServerAction::Release).unwrap().released);
    gateway.end_conversation("a");
    assert_eq!(gateway.pid_in("b", "one_a"), a);
    assert_eq!(world.starts("one"), [a]);
}

#[test]
fn calls_of_a_conversation_that_come_together_share_one_connection() {
    let world = World::new();
    world.offer("one", &["one_a"]);
    world.servers(&[("one", "")]);
    let gateway = world.start();
    gateway.pid_in("other", "one_a");
    world.behave("one", &json!({"tools": [super::tool("one_a")], "hangs": "handshake"}));
    let calls: Vec<_> = (0..100).map(|_| gateway.start_call("c", "one_a", json!({}))).collect();
    eventually("the second start", || (world.starts("one").len() == 2).then_some(()));
    world.let_continue("one");
    for call in calls {
        let result = call.answer().unwrap();
        assert_eq!(result["structuredContent"]["pid"], world.starts("one")[1]);
    }
    assert_eq!(world.starts("one").len(), 2);
}

#[test]
fn calls_that_wait_for_a_connection_are_cancelled_by_its_release() {
    let world = World::new();
    world.offer("one", &["one_a"]);
    world.servers(&[("one", "")]);
    let gateway = world.start();
    gateway.pid_in("other", "one_a");
    world.behave("one", &json!({"tools": [super::tool("one_a")], "hangs": "handshake"}));
    let calls: Vec<_> = (0..10).map(|_| gateway.start_call("c", "one_a", json!({}))).collect();
    eventually("the second start", || (world.starts("one").len() == 2).then_some(()));
    assert!(gateway.act("c", "one", ServerAction::Release).unwrap().released);
    for call in calls {
        expect_code(call.answer().map(serde_json::Value::Object), Code::Cancelled);
    }
    expect_end(&world.starts("one")[1..]);
}

#[test]
fn a_released_connection_ends_after_its_calls() {
    let world = World::new();
    world.offer("one", &["one_a"]);
    world.servers(&[("one", "")]);
    let gateway = world.start();
    let call = gateway.start_call("c", "one_a", json!({"do": "wait"}));
    world.wait_for_line("one.waiting");
    let old = world.starts("one")[0];
    assert!(gateway.act("c", "one", ServerAction::Release).unwrap().released);
    let new = gateway.pid_in("c", "one_a");
    assert!(new != old && is_running(old), "new calls use another connection");
    world.let_continue("one");
    assert_eq!(call.answer().unwrap()["structuredContent"]["pid"], old);
    expect_end(&[old]);
}

#[test]
fn a_restart_replaces_the_connections_of_all_conversations() {
    let world = World::new();
    world.offer("one", &["one_a"]);
    world.servers(&[("one", "")]);
    let gateway = world.start();
    let before = [gateway.pid_in("a", "one_a"), gateway.pid_in("b", "one_a")];
    // A restart that fails keeps what works.
    world.behave("one", &json!({"tools": [super::tool("one_a")], "fails": "list"}));
    let refused = gateway.act("a", "one", ServerAction::Restart).unwrap_err();
    assert_eq!(refused.code, Code::ServerUnavailable);
    assert_eq!([gateway.pid_in("a", "one_a"), gateway.pid_in("b", "one_a")], before);
    world.offer("one", &["one_a"]);
    assert_eq!(gateway.act("a", "one", ServerAction::Restart).unwrap().state, ServerState::Ready);
    expect_end(&before);
    for conversation in ["a", "b"] {
        assert!(!before.contains(&gateway.pid_in(conversation, "one_a")));
    }
}

#[test]
fn calls_that_wait_for_a_start_are_refused_when_the_server_is_stopped() {
    let world = World::new();
    world.offer("one", &["one_a"]);
    world.servers(&[("one", "")]);
    let gateway = world.start();
    let restart = || {
        world.behave("one", &json!({"tools": [super::tool("one_a")], "hangs": "handshake"}));
        let count = world.starts("one").len();
        let pid = world.starts("one")[count - 1];
        minds_process::kill(pid);
        eventually("a start that hangs", || (world.starts("one").len() > count).then_some(()));
    };
    restart();
    let call = gateway.start_call("c", "one_a", json!({}));
    gateway.act("c", "one", ServerAction::Disable).unwrap();
    expect_code(call.answer().map(serde_json::Value::Object), Code::ServerUnavailable);
    world.offer("one", &["one_a"]);
    gateway.act("c", "one", ServerAction::Restart).unwrap();
    gateway.wait_for_names(&["one_a"]);
    restart();
    let call = gateway.start_call("c", "one_a", json!({}));
    world.write("mcp.yaml", "version: 1\nservers: {}\n");
    expect_code(call.answer().map(serde_json::Value::Object), Code::ServerUnavailable);
}

#[test]
fn a_call_that_is_cancelled_is_cancelled_at_the_server() {
    let world = World::new();
    world.offer("one", &["one_a"]);
    world.servers(&[("one", "")]);
    let gateway = world.start();
    let pid = gateway.pid_in("c", "one_a");
    let call = gateway.start_call("c", "one_a", json!({"do": "hang"}));
    eventually("the call at the server", || (gateway.server("one").in_flight == 1).then_some(()));
    call.running.cancel();
    eventually("the cancellation", || {
        world.lines("one.notes").iter().any(|line| line.starts_with("notifications/cancelled")).then_some(())
    });
    eventually("the end of the call", || (gateway.server("one").in_flight == 0).then_some(()));
    assert_eq!(gateway.pid_in("c", "one_a"), pid);
}

#[test]
fn questions_of_a_server_reach_the_client_of_the_call() {
    let world = World::new();
    world.offer("one", &["one_a"]);
    world.servers(&[("one", "")]);
    let gateway = world.start();
    let reply = gateway.call_in("c", "one_a", json!({"do": "ask"})).unwrap();
    assert_eq!(reply, json!({"action": "accept"}));
}
