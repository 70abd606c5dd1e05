//! Which revision a connection speaks, and why there is none.

use std::time::Duration;

use minds_mcp_gateway::client::{ConnectError, Options};

use super::{Times, call, open, open_with, options, program, program_after};
use serde_json::json;

#[tokio::test]
async fn a_server_without_handshake_is_discovered() {
    let (connection, events) = open(program("modern")).await.unwrap();
    assert_eq!(connection.protocol(), "2026-07-28");
    assert!(!connection.is_shareable(), "the process belongs to one conversation");
    let params = call(&connection, "params", json!({"a": 1})).await.unwrap();
    let params = &params["structuredContent"];
    let meta = &params["_meta"];
    assert_eq!(meta["io.modelcontextprotocol/protocolVersion"], "2026-07-28");
    assert_eq!(meta["io.modelcontextprotocol/clientInfo"]["name"], "minds");
    assert_eq!(params["arguments"], json!({"a": 1}));
    // It tells changes only to subscribers.
    events.changes.subscribe().wait_for(|count| *count > 0).await.unwrap();
    connection.close(false).await;
}

#[tokio::test]
async fn other_servers_make_a_handshake_on_the_same_process() {
    for (ways, revision) in [
        ("", "2025-11-25"),
        ("revision=2025-06-18", "2025-06-18"),
        ("revision=2024-11-05", "2024-11-05"),
        ("slow-discovery", "2025-11-25"),
        ("odd-discovery", "2025-11-25"),
    ] {
        let (connection, events) = open_with(program(ways), &options()).await.unwrap();
        assert_eq!(connection.protocol(), revision, "{ways}");
        assert!(!connection.is_shareable());
        events.line("got notifications/initialized").await;
        assert_eq!(call(&connection, "echo", json!({"b": 2})).await.unwrap()["structuredContent"]["b"], 2);
        connection.close(false).await;
    }
}

#[tokio::test]
async fn a_server_that_ends_at_the_discovery_is_started_again() {
    let (connection, _) = open(program("exit-at-discovery")).await.unwrap();
    assert_eq!(connection.protocol(), "2025-11-25");
    let (connection, _) = open(program("only=2025-03-26")).await.unwrap();
    assert_eq!(connection.protocol(), "2025-03-26");
}

#[tokio::test]
async fn a_remembered_revision_saves_the_discovery() {
    let remembered = |revision: &str| Options { revision: Some(revision.to_owned()), ..Options::default() };
    // The first process ends at the discovery; it is not started twice.
    let folder = tempfile::tempdir().unwrap();
    let starts = folder.path().join("starts");
    let script = format!("echo start >> '{}'", starts.display());
    let count = || std::fs::read_to_string(&starts).unwrap().lines().count();
    let server = || program_after(&script, "exit-at-discovery");
    let (connection, _) = open_with(server(), &remembered("2025-06-18")).await.unwrap();
    assert_eq!((connection.protocol(), count()), ("2025-06-18", 1));
    // What is remembered may be wrong.
    let (connection, _) = open_with(server(), &remembered("2026-07-28")).await.unwrap();
    assert_eq!((connection.protocol(), count()), ("2025-11-25", 3));
    let (connection, _) = open_with(server(), &remembered("1999-01-01")).await.unwrap();
    assert_eq!((connection.protocol(), count()), ("2025-11-25", 5));
    let modern = program_after(&script, "modern,no-handshake");
    let (connection, _) = open_with(modern, &remembered("2025-06-18")).await.unwrap();
    assert_eq!((connection.protocol(), count()), ("2026-07-28", 7));
}

async fn error(server: minds_mcp_gateway::StdioServer, options: &Options) -> ConnectError {
    match open_with(server, options).await {
        Ok(_) => panic!("there is a connection"),
        Err(error) => error,
    }
}

#[tokio::test]
async fn an_error_says_what_failed() {
    let program_name = program("").command;
    for (server, expected) in [
        (
            super::StdioServer { command: "no-such-program-is-here".to_owned(), ..program("") },
            "the program `no-such-program-is-here` was not found".to_owned(),
        ),
        (
            program("exit=token needed"),
            format!("the program `{program_name}` exited with status 1: token needed"),
        ),
        (program_after("exit 7", ""), "the program `sh` exited with status 7".to_owned()),
        (program_after("kill -9 $$", ""), "the program `sh` was killed by signal 9".to_owned()),
        (
            program("no-handshake"),
            "the server refused the connection with error -32000: not today".to_owned(),
        ),
        (
            program("revision=1999-01-01"),
            "the server speaks the revision `1999-01-01` of the protocol, which is unknown here".to_owned(),
        ),
        (
            program_after("head -c 17000000 /dev/zero; cat >&2", ""),
            "the server sent a line of more than 16777216 bytes".to_owned(),
        ),
        (
            program_after("exec >&-; cat >&2", ""),
            "the program `sh` closed its output before the handshake".to_owned(),
        ),
    ] {
        assert_eq!(error(server, &options()).await.to_string(), expected);
    }
}

#[tokio::test]
async fn a_server_that_never_answers_is_given_up() {
    let times = Times { start: Duration::from_millis(300), ..options().times };
    let options = Options { times, ..Options::default() };
    let folder = tempfile::tempdir().unwrap();
    let (script, alive) = super::end::held_pipe(folder.path());
    let error = error(program_after(&script, "silent"), &options).await;
    assert!(matches!(error, ConnectError::TimedOut { time } if time == times.start), "{error}");
    alive.wait_for_end().await;
}

#[tokio::test]
async fn values_are_in_no_error() {
    let mut server = program("exit=bye");
    server.env.push(("SECRET".to_owned(), "s3cr3t".to_owned()));
    let error = error(server, &options()).await;
    assert!(!format!("{error} {error:?}").contains("s3cr3t"), "{error:?}");
}
