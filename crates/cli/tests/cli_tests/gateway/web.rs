//! Sessions over HTTP.

use serde_json::{Value, json};

use super::{World, eventually};
use crate::mcp::http::{Served, request};

const TOKEN: &str = "an-agreed-upon-word";

fn call(served: &Served, session: &str, arguments: &Value) -> Value {
    let call = request(2, "tools/call", &json!({"name": "open_file", "arguments": arguments}));
    served.post(session, &call).message()["result"]["structuredContent"].clone()
}

#[test]
fn each_session_has_a_connection_of_its_own() {
    let world = World::with_servers();
    let mut command = world.command(&["mcp", "--http", "127.0.0.1:0", "--member", "coder"]);
    command.env("MINDS_MCP_TOKEN", TOKEN);
    let served = Served::start_command(command).with_token(TOKEN);
    let sessions = [served.open(), served.open()];
    let list = served.post(&sessions[0], &request(3, "tools/list", &json!({}))).message();
    assert!(list["result"]["tools"].to_string().contains("open_file"), "{list}");
    let pids = sessions.each_ref().map(|session| call(&served, session, &json!({}))["pid"].clone());
    assert!(pids[0].is_u64() && pids[0] != pids[1], "{pids:?}");
    // A server keeps what belongs to a conversation.
    for (session, pid) in sessions.iter().zip(&pids) {
        let result = call(&served, session, &json!({}));
        assert_eq!((&result["pid"], &result["calls"]), (pid, &json!(2)));
    }
    let variables = call(&served, &sessions[0], &json!({"do": "list variables"}))["names"].to_string();
    assert!(variables.contains("\"MINDS_HOME\"") && !variables.contains("TOKEN"), "{variables}");
    // The connection ends with its session.
    let head = served.head(&sessions[0]).replacen("POST", "DELETE", 1);
    served.send(&head, "");
    let runs = |pid: &Value| world.processes().iter().any(|one| *pid == one.id);
    eventually("the end of one connection", || (!runs(&pids[0])).then_some(()));
    assert!(runs(&pids[1]));
    assert_eq!(call(&served, &sessions[1], &json!({}))["pid"], pids[1]);
    // One without state is shared.
    let stateless = json!({"truely-stateless": true});
    world.servers(&[("files", world.entry("files", &stateless))]);
    let sessions = [served.open(), served.open()];
    eventually("a shared connection", || {
        let pids = sessions.each_ref().map(|session| call(&served, session, &json!({}))["pid"].clone());
        (pids[0].is_u64() && pids[0] == pids[1]).then_some(())
    });
    let (code, stdout) = served.interrupt();
    assert_eq!((code, stdout.as_str()), (0, ""));
}
