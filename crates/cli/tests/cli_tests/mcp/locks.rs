//! Calls that wait for a lock of another process are answered, and the server still ends.

use std::fs::File;
use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, Command};

use serde_json::{Value, json};

use crate::mcp::session::{Workspace, handshake};

/// Returns a workspace with a task whose journal is locked.
fn lock_journal() -> (Workspace, File) {
    let workspace = Workspace::with_team();
    assert!(workspace.command(&["task", "new", "demo"]).output().unwrap().status.success());
    let held = File::create(workspace.path().join("tasks/demo.tsk/.journal.jsonl.minds-lock")).unwrap();
    held.lock().unwrap();
    (workspace, held)
}

fn call() -> Value {
    let arguments = json!({"selector": "goals", "content": "Ship it.\n"});
    let params = json!({"name": "change_mind", "arguments": arguments});
    json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": params})
}

/// Starts a server with a call that waits for a lock.
fn waiting(workspace: &Workspace) -> Child {
    let mut child = workspace.command(&["mcp"]).env("MINDS_LOCK_TIMEOUT", "86400").spawn().unwrap();
    let stdin = child.stdin.as_mut().unwrap();
    let hello = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": handshake()});
    let begun = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    for message in [hello, begun, call()] {
        writeln!(stdin, "{message}").unwrap();
    }
    stdin.flush().unwrap();
    let lines = BufReader::new(child.stderr.take().unwrap()).lines();
    let printed: Vec<String> = lines.map_while(Result::ok).take(1).collect();
    assert!(printed[0].contains("waiting for `tasks/demo.tsk/journal.jsonl`"), "{printed:?}");
    child
}

/// Returns the reply to the call, if it arrived before the end.
fn answer(child: &mut Child) -> Option<Value> {
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut messages = lines.map_while(Result::ok).map(|line| serde_json::from_str::<Value>(&line).unwrap());
    messages.find(|message| message["id"] == 2)
}

#[test]
fn a_call_that_waits_for_a_lock_is_answered_at_the_end_of_the_input_and_the_process_ends() {
    let (workspace, _held) = lock_journal();
    let mut child = waiting(&workspace);
    drop(child.stdin.take());
    let answer = answer(&mut child).expect("it is answered");
    assert_eq!(answer["result"]["structuredContent"]["code"], "LOCKED", "{answer}");
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

#[test]
fn the_process_ends_on_a_signal_while_a_call_waits_for_a_lock() {
    let (workspace, _held) = lock_journal();
    for signal in ["-INT", "-TERM"] {
        let mut child = waiting(&workspace);
        assert!(Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap().success());
        assert_eq!(child.wait().unwrap().code(), Some(0), "{signal}");
    }
}

#[test]
fn a_call_is_refused_after_the_timeout_and_the_session_continues() {
    let (workspace, held) = lock_journal();
    let mut command = workspace.command(&["mcp"]);
    command.env("MINDS_LOCK_TIMEOUT", "0");
    let mut session = workspace.session_of(command);
    let arguments = json!({"selector": "goals", "content": "Ship it.\n"});
    let refused = session.ask("tools/call", json!({"name": "change_mind", "arguments": arguments}));
    assert_eq!(refused["structuredContent"]["code"], "LOCKED", "{refused}");
    drop(held);
    let done = session.ask("tools/call", json!({"name": "change_mind", "arguments": arguments}));
    assert_eq!(done["structuredContent"]["status"], "ok", "{done}");
}
