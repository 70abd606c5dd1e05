//! What passes through: results, progress, cancellation, questions; and what a server may break.

use serde_json::{Value, json};

use super::{World, eventually, pid};
use crate::mcp::session::Session;

fn call(id: &str, arguments: &Value) -> Value {
    let meta = json!({"progressToken": id});
    let params = json!({"name": "open_file", "arguments": arguments, "_meta": meta});
    json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params})
}

/// Returns the next message that `is_it`.
fn wait_for(session: &mut Session, is_it: impl Fn(&Value) -> bool) -> Value {
    loop {
        let message = session.next().expect("the server is running");
        if is_it(&message) {
            return message;
        }
    }
}

#[test]
fn progress_reaches_the_client() {
    let world = World::with_servers();
    let mut session = world.session(&["--member", "coder"]);
    session.send(&call("a", &json!({"do": "report"})));
    for done in [1.0, 2.0] {
        let progress = wait_for(&mut session, |message| message["method"] == "notifications/progress");
        let expected = json!({"progressToken": "a", "progress": done, "total": 2.0, "message": "at work"});
        assert_eq!(progress["params"], expected);
    }
    let answer = wait_for(&mut session, |message| message["id"] == "a");
    assert!(answer["result"]["structuredContent"]["pid"].is_u64(), "{answer}");
}

#[test]
fn cancellation_reaches_the_server() {
    let world = World::with_servers();
    let mut session = world.session(&["--member", "coder"]);
    let process = pid(&mut session, "open_file");
    session.send(&call("a", &json!({"do": "hang", "token": "a"})));
    eventually("the call at the server", || (world.lines("files", "calls") == ["a"]).then_some(()));
    let params = json!({"requestId": "a", "reason": "not needed"});
    session.send(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params}));
    eventually("the cancellation at the server", || {
        world
            .lines("files", "notes")
            .iter()
            .any(|line| line.starts_with("notifications/cancelled"))
            .then_some(())
    });
    assert_eq!(pid(&mut session, "open_file"), process);
    assert!(
        session.notifications().iter().all(|message| message["id"] != "a"),
        "a cancelled call has no answer"
    );
    assert!(session.end().rest.is_empty());
}

#[test]
fn questions_reach_a_client_that_answers_them() {
    let world = World::with_servers();
    let mut session = world.session_with(&["--member", "coder"], &json!({"elicitation": {}}));
    session.send(&call("a", &json!({"do": "ask"})));
    let question = wait_for(&mut session, |message| message["method"] == "elicitation/create");
    assert_eq!(question["params"]["message"], "Who?");
    let reply = json!({"action": "accept", "content": {"name": "Ann"}});
    session.send(&json!({"jsonrpc": "2.0", "id": question["id"], "result": reply}));
    let answer = wait_for(&mut session, |message| message["id"] == "a");
    assert_eq!(answer["result"]["structuredContent"]["reply"], reply);
    // A client that has not declared it is not asked.
    let mut session = world.session(&["--member", "coder"]);
    let result = session.call("open_file", json!({"do": "ask"}));
    assert_eq!(result["structuredContent"]["reply"], json!({"action": "decline"}));
}

#[test]
fn errors_of_a_tool_and_of_a_server_differ() {
    let world = World::with_servers();
    let mut session = world.session(&["--member", "coder"]);
    let result = session.call("open_file", json!({"do": "refuse"}));
    assert_eq!(result, json!({"content": [{"type": "text", "text": "no"}], "isError": true}));
    let first = pid(&mut session, "open_file");
    let result = session.call("open_file", json!({"do": "die"}));
    let refusal = &result["structuredContent"];
    assert_eq!(result["isError"], true);
    assert_eq!((&refusal["code"], &refusal["tool"]), (&json!("SERVER_UNAVAILABLE"), &json!("open_file")));
    assert_eq!(refusal["details"]["server"], "files");
    assert!(refusal["message"].as_str().unwrap().contains("exited with status 3"), "{refusal}");
    assert_ne!(pid(&mut session, "open_file"), first);
}

#[test]
fn calls_that_run_keep_no_other_one_waiting() {
    let world = World::with_servers();
    let mut session = world.session(&["--member", "coder"]);
    for number in 0..200 {
        session.send(&call(&number.to_string(), &json!({"do": "hang", "token": number.to_string()})));
    }
    eventually("all calls at the server", || (world.lines("files", "calls").len() == 200).then_some(()));
    pid(&mut session, "open_file");
    session.done("list_dir", json!({}));
    assert_eq!(session.end().rest, Vec::<Value>::new());
}

/// Processes whose parents end get another parent, which must wait for them.
#[test]
fn processes_that_servers_leave_do_not_stay_as_zombies() {
    let world = World::with_servers();
    let mut session = world.session(&["--member", "coder"]);
    let mcp = session.pid().parse().unwrap();
    for _ in 0..20 {
        session.call("open_file", json!({"do": "leave"}));
    }
    let family = super::harness::processes::Family::of(mcp, &world.marker()).unwrap();
    let parents = [family.supervisor, family.worker].map(|id| id.to_string());
    let zombies = || {
        let entries = std::fs::read_dir("/proc").unwrap();
        let states =
            entries.filter_map(|entry| std::fs::read_to_string(entry.ok()?.path().join("stat")).ok());
        let is_zombie = |stat: &String| {
            let mut fields = stat.rsplit_once(") ").unwrap().1.split(' ');
            fields.next() == Some("Z")
                && fields.next().is_some_and(|parent| parents.contains(&parent.to_owned()))
        };
        states.filter(is_zombie).count()
    };
    eventually("no zombies", || (zombies() == 0).then_some(()));
}
