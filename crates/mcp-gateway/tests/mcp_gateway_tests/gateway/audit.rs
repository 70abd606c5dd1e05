//! What a gateway writes to its folder.

use minds_mcp_gateway::Gateway;
use minds_toolset::{ServerState, ToolSource as _};
use serde_json::{Value, json};

use super::{Ask as _, World, eventually};

#[test]
fn each_call_is_recorded_without_its_arguments() {
    let world = World::new();
    world.offer("one", &["one_a"]);
    world.servers(&[("one", "transform: [{prefix: x_}]")]);
    let gateway = world.start();
    gateway.call_in("c", "x_one_a", json!({"secret": "do not record"})).unwrap();
    gateway.call_in("c", "x_one_a", json!({"do": "die"})).unwrap_err();
    gateway.pid_in("c", "x_one_a");
    let call = gateway.start_call("c", "x_one_a", json!({"do": "hang"}));
    eventually("the call at the server", || (gateway.server("one").in_flight == 1).then_some(()));
    call.running.cancel();
    eventually("its end", || (gateway.server("one").in_flight == 0).then_some(()));
    drop(gateway);
    let text = std::fs::read_to_string(world.path("state/gateway/calls.jsonl")).unwrap();
    assert!(!text.contains("do not record"));
    let calls: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let outcomes: Vec<_> = calls.iter().map(|call| (call["ok"].clone(), call.get("code").cloned())).collect();
    let refused = |code: &str| (json!(false), Some(json!(code)));
    assert_eq!(
        outcomes,
        [(json!(true), None), refused("SERVER_UNAVAILABLE"), (json!(true), None), refused("CANCELLED")]
    );
    let first = calls[0].as_object().unwrap();
    for (key, value) in [
        ("caller", "coder"),
        ("conversation", "c"),
        ("server", "one"),
        ("tool", "x_one_a"),
        ("original", "one_a"),
    ] {
        assert_eq!(first[key], value);
    }
    assert_eq!(first["bytes_in"], json!({"secret": "do not record"}).to_string().len());
    assert!(first["bytes_out"].as_u64().unwrap() > 10 && first["duration_ms"].is_u64());
    let mode = |path: &str| {
        use std::os::unix::fs::PermissionsExt as _;
        std::fs::metadata(world.path(path)).unwrap().permissions().mode() & 0o777
    };
    assert_eq!((mode("state/gateway"), mode("state/gateway/calls.jsonl")), (0o700, 0o600));
}

#[test]
fn tools_are_remembered_for_the_same_configuration() {
    let world = World::new();
    world.offer("one", &["one_a"]);
    world.servers(&[("one", "")]);
    drop(world.start());
    world.behave("one", &json!({"tools": [super::tool("one_a"), super::tool("one_b")], "hangs": "list"}));
    let gateway = Gateway::start(world.options()).unwrap();
    gateway.wait_for_tools();
    assert_eq!(gateway.names(), ["one_a"], "no server has answered yet");
    let server = gateway.server("one");
    assert!(server.from_memory && server.state == ServerState::Starting);
    world.let_continue("one");
    gateway.wait_for_names(&["one_a", "one_b"]);
    assert!(!gateway.server("one").from_memory);
    drop(gateway);
    // Another configuration knows nothing, and neither does a damaged list.
    std::fs::remove_file(world.path("servers/one.continue")).unwrap();
    world.servers(&[("one", "cwd: .minds")]);
    let gateway = Gateway::start(world.options()).unwrap();
    assert_eq!((gateway.names().len(), gateway.server("one").from_memory), (0, false));
    drop(gateway);
    world.servers(&[("one", "")]);
    for list in std::fs::read_dir(world.path("state/gateway")).unwrap() {
        let list = list.unwrap().path();
        if list.extension().is_some_and(|extension| extension == "json") {
            std::fs::write(list, "{").unwrap();
        }
    }
    let gateway = Gateway::start(world.options()).unwrap();
    assert_eq!((gateway.names().len(), gateway.server("one").from_memory), (0, false));
    world.let_continue("one");
    gateway.wait_for_names(&["one_a", "one_b"]);
}

#[test]
fn a_lazy_gateway_starts_only_what_is_called() {
    let world = World::new();
    world.offer("one", &["one_a"]);
    world.offer("two", &["two_a"]);
    world.servers(&[("one", ""), ("two", "")]);
    drop(world.start());
    let options = minds_mcp_gateway::Options { is_lazy: true, ..world.options() };
    let gateway = Gateway::start(options).unwrap();
    gateway.wait_for_tools();
    assert_eq!(gateway.names(), ["one_a", "two_a"]);
    assert_eq!(gateway.server("one").state, ServerState::NotStarted);
    gateway.pid_in("c", "two_a");
    assert_eq!((world.starts("one").len(), world.starts("two").len()), (1, 2));
}
