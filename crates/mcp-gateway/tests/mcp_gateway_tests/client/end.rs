//! How connections end, and that nothing of a program is left.

use std::fs::File;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use minds_mcp_gateway::client::{CallError, Options};
use serde_json::json;

use super::{Client, call, call_as, open, open_with, options, program, program_after};

/// A pipe that processes hold open as long as they live.
pub(super) struct Held {
    reader: File,
    /// Keeps the pipe usable until processes hold it.
    both: File,
}

impl Held {
    /// Waits until no process holds the pipe.
    pub(super) async fn wait_for_end(self) {
        let Self { reader: mut file, both } = self;
        drop(both);
        let read = tokio::task::spawn_blocking(move || std::io::copy(&mut file, &mut std::io::sink()));
        read.await.unwrap().unwrap();
    }
}

/// Returns a script whose process and a child of it hold a pipe and ignore `SIGTERM`, and the other end of the pipe.
pub(super) fn held_pipe(folder: &Path) -> (String, Held) {
    let path = folder.join("held");
    assert!(Command::new("mkfifo").arg(&path).status().unwrap().success());
    // Opening both ends does not wait for the other one.
    let both = File::options().read(true).write(true).open(&path).unwrap();
    let reader = File::open(&path).unwrap();
    let script = format!("trap '' TERM; exec 9>'{}'; sleep 1000 & echo holding >&2", path.display());
    (script, Held { reader, both })
}

#[tokio::test]
async fn a_program_ends_when_its_input_is_closed() {
    let (connection, events) = open(program("")).await.unwrap();
    let pid = connection.pid().unwrap().to_string();
    let exists = || Command::new("kill").args(["-0", &pid]).output().unwrap().status.success();
    assert!(exists());
    connection.close(false).await;
    assert!(!exists(), "it was reaped");
    connection.wait_for_end().await;
    assert!(events.log.borrow().iter().any(|line| line == "end of input"));
    let error = call(&connection, "echo", json!({})).await.unwrap_err();
    assert!(error.to_string().ends_with("exited with status 0: end of input"), "{error}");
}

#[tokio::test]
async fn a_program_that_stays_is_killed_with_its_children() {
    for now in [false, true] {
        let folder = tempfile::tempdir().unwrap();
        let (script, held) = held_pipe(folder.path());
        let (connection, events) = open_with(program_after(&script, "stay"), &options()).await.unwrap();
        events.line("holding").await;
        connection.close(now).await;
        held.wait_for_end().await;
    }
}

#[tokio::test]
async fn a_connection_that_is_dropped_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let (script, held) = held_pipe(folder.path());
    let (connection, events) = open(program_after(&script, "stay")).await.unwrap();
    events.line("holding").await;
    drop(connection);
    held.wait_for_end().await;
}

#[tokio::test]
async fn a_program_that_dies_fails_its_calls() {
    let folder = tempfile::tempdir().unwrap();
    let (script, held) = held_pipe(folder.path());
    let (connection, events) = open(program_after(&script, "")).await.unwrap();
    events.line("holding").await;
    let expected = "the program `sh` exited with status 3: no more";
    let (first, second) =
        tokio::join!(call(&connection, "hang", json!({})), call(&connection, "die", json!({})));
    for result in [first, second] {
        assert_eq!(result.unwrap_err(), CallError::Unavailable { reason: expected.to_owned() });
    }
    connection.wait_for_end().await;
    held.wait_for_end().await;
    let error = call(&connection, "echo", json!({})).await.unwrap_err();
    assert_eq!(error.to_string(), expected);
    connection.close(false).await;
}

/// A process in another session cannot be ended, but the connection does not wait for it.
#[tokio::test]
async fn a_pipe_that_stays_open_does_not_keep_a_connection() {
    let folder = tempfile::tempdir().unwrap();
    let pid = folder.path().join("pid");
    let script = format!("setsid sh -c 'echo $$ > {}; exec sleep 1000' &", pid.display());
    let server = program_after(&format!("{script} while ! test -s {}; do :; done", pid.display()), "");
    let (connection, _) = open_with(server, &options()).await.unwrap();
    call(&connection, "close", json!({})).await.unwrap_err();
    connection.wait_for_end().await;
    connection.close(false).await;
    let pid = std::fs::read_to_string(pid).unwrap();
    assert!(Command::new("kill").arg(pid.trim()).status().unwrap().success());
}

#[tokio::test]
async fn a_question_does_not_delay_the_end() {
    let (connection, events) = open_with(program("stay"), &Options::default()).await.unwrap();
    let connection = Arc::new(connection);
    let client = Client::answering(|_| None);
    let asking = {
        let (connection, client) = (Arc::clone(&connection), Arc::clone(&client));
        tokio::spawn(async move { call_as(&connection, "ask", json!({}), &client).await })
    };
    while client.open.lock().unwrap().is_empty() {
        tokio::task::yield_now().await;
    }
    connection.close(true).await;
    assert!(matches!(asking.await.unwrap(), Err(CallError::Unavailable { .. })));
    drop(events);
}
