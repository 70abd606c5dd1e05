//! Changes of `mcp.yaml` while `minds mcp` serves, and problems.

use serde_json::{Value, json};

use super::{World, eventually, pid, wait_for_names};
use crate::mcp::session::Session;

#[test]
fn changes_of_the_file_are_announced() {
    let world = World::with_servers();
    let mut session = world.session(&[]);
    let (files, web) = (pid(&mut session, "open_file"), pid(&mut session, "fetch"));
    let entry = |more: Value| world.entry("files", &more);
    // A server is added.
    world.offer("more", &["more_a"]);
    let more = world.entry("more", &json!({}));
    world.servers(&[
        ("files", entry(json!({}))),
        ("web", world.entry("web", &json!({}))),
        ("more", more.clone()),
    ]);
    wait_for_names(&mut session, &["list_files", "open_file", "fetch", "more_a"]);
    // One gets filters and other names, and one is removed.
    let filtered = entry(json!({"tools": {"whitelist": ["open_*"]}, "transform": [{"prefix": "x_"}]}));
    world.servers(&[("files", filtered.clone()), ("web", world.entry("web", &json!({})))]);
    wait_for_names(&mut session, &["x_open_file", "fetch"]);
    assert_eq!((pid(&mut session, "x_open_file"), pid(&mut session, "fetch")), (files, web));
    // One gets another configuration.
    world.offer("newer", &["newer_a"]);
    world.servers(&[("files", filtered), ("web", world.entry("newer", &json!({})))]);
    wait_for_names(&mut session, &["x_open_file", "newer_a"]);
    assert_eq!(pid(&mut session, "x_open_file"), files);
    assert_eq!((world.starts("files").len(), world.starts("web").len()), (1, 1));
    std::fs::remove_file(world.path("ws/.minds/mcp.yaml")).unwrap();
    wait_for_names(&mut session, &[]);
}

#[test]
fn changes_by_a_server_itself_are_announced() {
    let world = World::with_servers();
    let mut session = world.session(&["--member", "coder"]);
    wait_for_names(&mut session, &["list_files", "open_file"]);
    world.offer("files", &["open_file", "close_file"]);
    session.call("open_file", json!({"do": "change"}));
    wait_for_names(&mut session, &["open_file", "close_file"]);
}

/// Returns the open problems of gateways in the resource.
fn problems(session: &mut Session) -> Vec<(String, String)> {
    let text = session.resource("minds://problems");
    let document: Value = serde_json::from_str(&text).unwrap();
    let text = |problem: &Value, key: &str| problem[key].as_str().unwrap().to_owned();
    let problems = document["gateway_problems"].as_array().unwrap();
    problems.iter().map(|problem| (text(problem, "id"), text(problem, "severity"))).collect()
}

#[test]
fn problems_are_recorded_until_they_are_fixed() {
    let world = World::with_servers();
    let mut session = world.session(&["--member", "lead"]);
    session.ask("resources/subscribe", json!({"uri": "minds://problems"}));
    assert!(problems(&mut session).is_empty());
    world.behave("bad", &json!({"tools": [], "fails": "list"}));
    let filters = json!({"tools": {"whitelist": ["fetch", "unknown"], "blacklist": ["*"]}});
    world.servers(&[
        ("bad", world.entry("bad", &json!({}))),
        ("ws_read", world.entry("web", &json!({}))),
        ("web", world.entry("web", &filters)),
    ]);
    session.hear(&["minds://problems"]);
    let expected = [
        ("mcp/server/bad/server_error", "error"),
        ("mcp/server/ws_read/toolset_collision", "error"),
        ("mcp/server/web/unmatched_filter_entry/whitelist/unknown", "info"),
    ];
    let mut expected: Vec<_> = expected.map(|(id, severity)| (id.to_owned(), severity.to_owned())).to_vec();
    expected.sort();
    eventually("all problems", || {
        let mut found = problems(&mut session);
        found.sort();
        eprintln!("{found:?}");
        (found == expected).then_some(())
    });
    let (code, document) = world.document(&["problems", "--json"]);
    assert_eq!(code, 0);
    let found = document["problems"].as_array().unwrap();
    let bad = found.iter().find(|problem| problem["id"] == "mcp/server/bad/server_error").unwrap();
    assert_eq!((&bad["source"], &bad["resolved"]), (&json!("gateway"), &json!(false)));
    assert!(bad["message"].as_str().unwrap().contains("bad fails at list"), "{bad}");
    let (_, text, _) = world.run(&["problems"]);
    assert!(text.contains("mcp gateway: error[mcp/server-error]: "), "{text}");
    world.write("ws/.minds/mcp.yaml", "version: 1\nservers: [\n");
    eventually("the problem of the file", || {
        problems(&mut session).iter().any(|(id, _)| id == "mcp/workspace_config_error").then_some(())
    });
    assert_eq!(problems(&mut session).len(), 4, "the other ones stay");
    std::fs::remove_file(world.path("ws/.minds/mcp.yaml")).unwrap();
    eventually("no problems", || problems(&mut session).is_empty().then_some(()));
    let (_, document) = world.document(&["problems", "--json"]);
    let found = document["problems"].as_array().unwrap();
    assert_eq!(found.len(), 4, "{document}");
    assert!(found.iter().all(|problem| problem["resolved"] == true), "{document}");
}

#[test]
fn problems_of_a_gateway_that_was_killed_are_resolved() {
    let world = World::with_servers();
    world.behave("bad", &json!({"tools": [], "fails": "start"}));
    world.servers(&[("bad", world.entry("bad", &json!({})))]);
    let mut session = world.session(&["--member", "lead"]);
    eventually("a problem", || (!problems(&mut session).is_empty()).then_some(()));
    drop(session);
    world.wait_for_end().unwrap();
    let (_, document) = world.document(&["problems", "--json"]);
    assert_eq!(document["problems"][0]["resolved"], true, "{document}");
}
