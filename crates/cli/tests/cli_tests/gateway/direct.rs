//! Calls that `minds mcp` makes itself, so that they are answered also while the worker is stopped.

use serde_json::{Value, json};

use super::harness::processes::{Family, signal};
use super::{World, eventually, pid};
use crate::mcp::session::Session;

/// A session that has called a server, so that it can make the next calls itself.
struct Place {
    session: Session,
    family: Family,
    /// The process id of the server `files`.
    server: u64,
    /// The messages that were received while the test waited for another one.
    received: Vec<Value>,
}

fn start(world: &World, capabilities: &Value) -> Place {
    world.team(&json!({"coder": {"toolsets": ["files", "web", "mcp_admin"]}}));
    let mut session = world.session_with(&["--member", "coder"], capabilities);
    let server = pid(&mut session, "open_file");
    pid(&mut session, "fetch");
    let family = Family::of(session.pid().parse().unwrap(), &world.marker()).unwrap();
    Place { session, family, server, received: Vec::new() }
}

impl Place {
    /// Stops the worker as long as the result exists.
    fn stop_worker(&self) -> Stopped {
        Stopped::new(self.family.worker.into())
    }

    fn send(&mut self, id: &str, arguments: &Value) {
        let params = json!({"name": "open_file", "arguments": arguments, "_meta": {"progressToken": id}});
        self.session.send(&json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params}));
    }

    fn cancel(&mut self, id: &str) {
        let params = json!({"requestId": id});
        self.session.send(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params}));
    }

    /// Returns the next message that `is_it`, which may have been received before.
    #[track_caller]
    fn wait_for(&mut self, is_it: impl Fn(&Value) -> bool) -> Value {
        if let Some(known) = self.session.notifications().iter().find(|message| is_it(message)) {
            return known.clone();
        }
        if let Some(at) = self.received.iter().position(&is_it) {
            return self.received.remove(at);
        }
        loop {
            let message = self.session.next().expect("the server is running");
            if is_it(&message) {
                return message;
            }
            self.received.push(message);
        }
    }

    #[track_caller]
    fn answer(&mut self, id: &str) -> Value {
        let mut answer = self.wait_for(|message| message["id"] == id && message.get("method").is_none());
        assert!(answer["result"].is_object(), "{answer}");
        answer["result"].take()
    }

    /// Starts a call that is not answered, and waits until the server has it.
    fn hang(&mut self, world: &World, id: &str) {
        self.send(id, &json!({"do": "hang", "token": id}));
        eventually("the call at the server", || {
            world.lines("files", "calls").contains(&id.to_owned()).then_some(())
        });
    }
}

/// A process that does not run.
struct Stopped(i64);

impl Stopped {
    fn new(process: i64) -> Self {
        signal("STOP", process);
        Self(process)
    }
}

impl Drop for Stopped {
    fn drop(&mut self) {
        signal("CONT", self.0);
    }
}

fn wait_for_cancellation(world: &World) {
    eventually("the cancellation at the server", || {
        let notes = world.lines("files", "notes");
        notes.iter().any(|line| line.starts_with("notifications/cancelled")).then_some(())
    });
}

fn code(result: &Value) -> &str {
    result["structuredContent"]["code"].as_str().unwrap_or_default()
}

#[track_caller]
fn assert_declined(result: &Value) {
    assert_eq!(result["structuredContent"]["reply"], json!({"action": "decline"}), "{result}");
}

#[test]
fn results_and_progress_do_not_need_the_worker() {
    let world = World::with_servers();
    let mut place = start(&world, &json!({}));
    let stopped = place.stop_worker();
    assert_eq!(pid(&mut place.session, "open_file"), place.server);
    place.send("a", &json!({"do": "report", "token": "é"}));
    for done in [1.0, 2.0] {
        let progress = place.wait_for(|message| message["method"] == "notifications/progress");
        let expected = json!({"progressToken": "a", "progress": done, "total": 2.0, "message": "at work"});
        assert_eq!(progress["params"], expected);
    }
    let answer = place.answer("a");
    assert_eq!(answer["structuredContent"]["token"], "é");
    assert_eq!(answer["structuredContent"]["calls"], 3);
    let refused = place.session.call("open_file", json!({"do": "refuse"}));
    assert_eq!(refused, json!({"content": [{"type": "text", "text": "no"}], "isError": true}));
    // An answer of more than one line of the output.
    let large = place.session.call("open_file", json!({"do": "repeat", "count": 100_000}));
    assert_eq!(large["structuredContent"]["text"].as_str().unwrap().len(), 100_000);
    drop(stopped);
    let rest = place.session.end().rest;
    assert!(rest.iter().all(|message| message.get("id").is_none()), "each call has one answer: {rest:?}");
}

#[test]
fn a_call_with_long_arguments_passes_through_the_worker() {
    let world = World::with_servers();
    let mut place = start(&world, &json!({}));
    let token = "x".repeat(5_000);
    let result = place.session.call("open_file", json!({"token": token}));
    assert_eq!(result["structuredContent"]["token"], token);
    assert_eq!(result["structuredContent"]["pid"], place.server);
}

#[test]
fn questions_reach_the_client_of_the_only_call() {
    let world = World::with_servers();
    let mut place = start(&world, &json!({"elicitation": {}}));
    {
        let _stopped = place.stop_worker();
        place.send("a", &json!({"do": "ask"}));
        let question = place.wait_for(|message| message["method"] == "elicitation/create");
        assert_eq!(question["params"]["message"], "Who?");
        let reply = json!({"action": "accept", "content": {"name": "Ann"}});
        place.session.send(&json!({"jsonrpc": "2.0", "id": question["id"], "result": reply}));
        assert_eq!(place.answer("a")["structuredContent"]["reply"], reply);
        // It is not known which of several calls has asked.
        place.hang(&world, "b");
        place.send("c", &json!({"do": "ask"}));
        assert_declined(&place.answer("c"));
    }
    // A call of the worker counts too.
    place.cancel("b");
    place.send("d", &json!({"do": "hang", "token": "d".repeat(5_000)}));
    eventually("the call at the server", || {
        world.lines("files", "calls").iter().any(|line| line.len() == 5_000).then_some(())
    });
    place.send("e", &json!({"do": "ask"}));
    assert_declined(&place.answer("e"));
    // A client that has not declared it is not asked.
    let mut other = start(&world, &json!({}));
    let _stopped = other.stop_worker();
    other.send("a", &json!({"do": "ask"}));
    assert_declined(&other.answer("a"));
}

#[test]
fn a_question_is_withdrawn_with_its_call() {
    let world = World::with_servers();
    let mut place = start(&world, &json!({"elicitation": {}}));
    place.send("a", &json!({"do": "ask"}));
    place.wait_for(|message| message["method"] == "elicitation/create");
    place.cancel("a");
    wait_for_cancellation(&world);
    // The server has an answer to its question, so it reads the next call.
    assert_eq!(pid(&mut place.session, "open_file"), place.server);
    let rest = place.session.end().rest;
    assert!(rest.iter().all(|message| message["id"] != "a"), "a cancelled call has no answer: {rest:?}");
}

#[test]
fn a_cancellation_reaches_the_server_without_the_worker() {
    let world = World::with_servers();
    let mut place = start(&world, &json!({}));
    let stopped = place.stop_worker();
    place.hang(&world, "a");
    place.cancel("a");
    wait_for_cancellation(&world);
    assert_eq!(pid(&mut place.session, "open_file"), place.server);
    drop(stopped);
    let rest = place.session.end().rest;
    assert!(rest.iter().all(|message| message["id"] != "a"), "a cancelled call has no answer: {rest:?}");
}

#[test]
fn calls_that_fail_are_refused_like_those_of_the_worker() {
    let world = World::with_servers();
    world.write("ws/.minds/minds.toml", "[gateway]\ncall_timeout_seconds = 1\n");
    let mut place = start(&world, &json!({}));
    let result = place.session.call("open_file", json!({"do": "hang", "token": "late"}));
    assert_eq!(code(&result), "TIMED_OUT", "{result}");
    wait_for_cancellation(&world);
    // It answers, so it is not restarted.
    assert_eq!(pid(&mut place.session, "open_file"), place.server);
    world.write("ws/.minds/minds.toml", "");
    place.session.done("mcp_restart", json!({"serverId": "web"}));
    let result = place.session.call("open_file", json!({"do": "repeat", "count": 9_000_000}));
    assert_eq!(code(&result), "TOO_LARGE", "{result}");
    let result = place.session.call("open_file", json!({"do": "break"}));
    assert_eq!(result["isError"], true);
    assert_eq!(result["content"][0]["text"], "server `files`: the server answered with error -7: broken");
    assert_eq!(pid(&mut place.session, "open_file"), place.server);
    let result = place.session.call("open_file", json!({"do": "die"}));
    assert_eq!(code(&result), "SERVER_UNAVAILABLE", "{result}");
    let message = result["structuredContent"]["message"].as_str().unwrap();
    assert!(message.contains("exited with status 3"), "{message}");
    assert_ne!(pid(&mut place.session, "open_file"), place.server);
    let result = place.session.call("open_file", json!({"do": "repeat", "count": 17_000_000}));
    assert_eq!(code(&result), "SERVER_UNAVAILABLE", "{result}");
    let message = result["structuredContent"]["message"].as_str().unwrap();
    assert!(message.contains("sent a line of more than 16777216 bytes"), "{message}");
    pid(&mut place.session, "open_file");
}

#[test]
fn the_limits_of_direct_calls_follow_the_file() {
    let world = World::with_servers();
    let mut place = start(&world, &json!({}));
    world.write("ws/.minds/minds.toml", "[gateway]\nidle_timeout_seconds = 1\n");
    // Reads the files again.
    place.session.done("mcp_restart", json!({"serverId": "web"}));
    let result = place.session.call("open_file", json!({"do": "hang", "token": "late"}));
    assert_eq!(code(&result), "TIMED_OUT", "{result}");
    assert!(
        result["structuredContent"]["message"].as_str().unwrap().contains("no sign of progress"),
        "{result}"
    );
}

#[test]
fn direct_calls_are_refused_once_when_a_process_is_killed() {
    for victim in ["server", "worker"] {
        let world = World::with_servers();
        let mut place = start(&world, &json!({}));
        place.hang(&world, "a");
        place.hang(&world, "b");
        let process = if victim == "server" { place.server } else { place.family.worker.into() };
        signal("KILL", i64::try_from(process).unwrap());
        for id in ["a", "b"] {
            assert_eq!(code(&place.answer(id)), "SERVER_UNAVAILABLE", "{victim}");
        }
        assert_ne!(pid(&mut place.session, "open_file"), place.server, "{victim}");
        pid(&mut place.session, "open_file");
        let rest = place.session.end().rest;
        assert!(
            rest.iter().all(|message| message["id"] != "a" && message["id"] != "b"),
            "{victim}: {rest:?}"
        );
    }
}

#[test]
fn a_server_that_does_not_read_keeps_nothing_waiting() {
    let world = World::with_servers();
    let mut place = start(&world, &json!({}));
    let server = Stopped::new(i64::try_from(place.server).unwrap());
    // More than its pipe takes, and then what the socket to the worker takes.
    let ids: Vec<String> = (0..400).map(|number| number.to_string()).collect();
    {
        let _worker = place.stop_worker();
        for id in &ids {
            place.send(id, &json!({"text": "x".repeat(3_000)}));
        }
        pid(&mut place.session, "fetch");
        pid(&mut place.session, "fetch");
    }
    pid(&mut place.session, "fetch");
    drop(server);
    for id in &ids {
        assert_eq!(place.answer(id)["structuredContent"]["pid"], place.server);
    }
}

#[test]
fn a_connection_is_closed_after_its_direct_calls() {
    for tool in ["mcp_release", "mcp_restart"] {
        let world = World::with_servers();
        let mut place = start(&world, &json!({}));
        place.send("a", &json!({"do": "wait", "token": "a"}));
        eventually("the call at the server", || (world.lines("files", "calls") == ["a"]).then_some(()));
        place.session.done(tool, json!({"serverId": "files"}));
        // Later calls use another connection.
        let second = pid(&mut place.session, "open_file");
        assert_ne!(second, place.server, "{tool}");
        let stopped = place.stop_worker();
        assert_eq!(pid(&mut place.session, "open_file"), second, "{tool}");
        drop(stopped);
        world.write("servers/files.continue", "");
        assert_eq!(place.answer("a")["structuredContent"]["pid"], place.server, "{tool}");
        eventually("the end of the first connection", || {
            let runs = world.processes().iter().any(|one| u64::from(one.id) == place.server);
            (!runs).then_some(())
        });
    }
}

#[test]
fn direct_calls_are_counted_and_recorded() {
    let world = World::with_servers();
    let mut place = start(&world, &json!({}));
    let in_flight = || {
        let (_, document) = world.document(&["gateway", "status", "--json"]);
        let servers = document["servers"].as_array().unwrap();
        let files = servers.iter().find(|server| server["id"] == "files").unwrap();
        files["in_flight"].as_u64().unwrap()
    };
    assert_eq!(in_flight(), 0);
    place.hang(&world, "a");
    place.hang(&world, "b");
    assert_eq!(in_flight(), 2);
    place.cancel("a");
    eventually("the cancellation", || (in_flight() == 1).then_some(()));
    pid(&mut place.session, "open_file");
    place.session.call("open_file", json!({"do": "refuse"}));
    place.session.call("open_file", json!({"do": "die"}));
    assert_eq!(code(&place.answer("b")), "SERVER_UNAVAILABLE");
    assert_eq!(place.session.end().code, 0);
    let folder = std::fs::read_dir(world.path("home/minds/state")).unwrap().next().unwrap().unwrap().path();
    let text = std::fs::read_to_string(folder.join("gateway/calls.jsonl")).unwrap();
    let calls: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let mut outcomes: Vec<(bool, &str)> = calls
        .iter()
        .filter(|call| call["server"] == "files")
        .map(|call| (call["ok"].as_bool().unwrap(), call["code"].as_str().unwrap_or_default()))
        .collect();
    outcomes.sort_unstable();
    let expected = [
        (false, ""),
        (false, "CANCELLED"),
        (false, "SERVER_UNAVAILABLE"),
        (false, "SERVER_UNAVAILABLE"),
        (true, ""),
        (true, ""),
    ];
    assert_eq!(outcomes, expected, "{text}");
    let direct =
        &calls.iter().filter(|call| call["ok"] == true && call["server"] == "files").collect::<Vec<_>>()[1];
    for (key, value) in [("caller", "coder"), ("tool", "open_file"), ("original", "open_file")] {
        assert_eq!(direct[key], value);
    }
    assert_eq!(direct["bytes_in"], 2);
    assert!(direct["bytes_out"].as_u64().unwrap() > 10 && direct["duration_ms"].is_u64());
    assert_eq!(direct["conversation"].as_str().unwrap().len(), 32);
}

#[test]
fn all_conversations_share_direct_calls_of_a_server_without_state() {
    let world = World::with_servers();
    world.servers(&[
        ("files", world.entry("files", &json!({"truely-stateless": true}))),
        ("web", world.entry("web", &json!({}))),
    ]);
    let mut place = start(&world, &json!({}));
    let stopped = place.stop_worker();
    assert_eq!(pid(&mut place.session, "open_file"), place.server);
    drop(stopped);
}
