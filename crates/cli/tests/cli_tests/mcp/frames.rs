//! No input of a client ends the session.

use std::io::Write as _;
use std::sync::mpsc::channel;

use serde_json::{Value, json};

use crate::mcp::session::{DEADLINE, Workspace, handshake};

/// A line, and the code and the id of its reply, if any.
#[track_caller]
fn check(line: &[u8], expected: Option<(i64, Value)>) {
    let workspace = Workspace::with_team();
    // Before the handshake, and after it.
    for is_open in [false, true] {
        let mut session = if is_open { workspace.session(&[]) } else { workspace.open(&[]) };
        session.write(line);
        session.write(b"\n");
        if let Some((code, id)) = &expected {
            let reply = session.next().expect("the session goes on");
            assert_eq!(reply["error"]["code"], *code, "{reply}");
            assert_eq!(reply["id"], *id, "{reply}");
        }
        if !is_open {
            session.ask("initialize", handshake());
        }
        assert!(session.tools().contains(&"read_file".to_owned()));
        assert!(session.notifications().is_empty(), "{:?}", session.notifications());
        let ended = session.end();
        assert_eq!((ended.code, ended.rest), (0, vec![]));
    }
}

#[test]
fn garbage_is_a_parse_error() {
    check(b"garbage", Some((-32700, Value::Null)));
    check(b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"pi", Some((-32700, Value::Null)));
    check(b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"p\xff\"}", Some((-32700, Value::Null)));
    check(b"\x00\x01\x02", Some((-32700, Value::Null)));
    check(&b"[".repeat(200_000), Some((-32700, Value::Null)));
    check(b"Content-Length: 20\r", Some((-32700, Value::Null)));
}

#[test]
fn an_invalid_message_is_an_invalid_request() {
    check(b"[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}]", Some((-32600, Value::Null)));
    check(b"{\"jsonrpc\":\"1.0\",\"id\":\"x\",\"method\":\"ping\"}", Some((-32600, json!("x"))));
    check(b"{\"jsonrpc\":\"2.0\",\"id\":{},\"method\":\"ping\"}", Some((-32600, Value::Null)));
    check(b"{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"ping\",\"params\":3}", Some((-32600, json!(7))));
    check(b"{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"ping\",\"result\":{}}", Some((-32600, json!(7))));
}

#[test]
fn valid_json_that_is_not_supported_is_refused_with_the_id_that_was_sent() {
    let deep = format!("{}{}", "[".repeat(200), "]".repeat(200));
    for value in [r#""\ud800""#, "1e999", deep.as_str()] {
        let line = format!(r#"{{"jsonrpc":"2.0","id":"x","method":"ping","params":{{"x":{value}}}}}"#);
        check(line.as_bytes(), Some((-32600, json!("x"))));
    }
    let workspace = Workspace::with_team();
    let mut session = workspace.session(&[]);
    for id in ["123456789012345678901234567890", "-0", "1.50", "1e999", r#""\ud800""#] {
        session.write(format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"ping\"}}\n").as_bytes());
        let line = session.next_line().expect("the session goes on");
        assert!(line.starts_with(&format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"error\"")), "{line}");
    }
}

#[test]
fn invalid_parameters_of_a_known_method_are_reported() {
    check(b"{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"tools/call\"}", Some((-32602, json!(7))));
    check(
        b"{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"resources/read\",\"params\":{\"uri\":1}}",
        Some((-32602, json!(7))),
    );
    check(
        b"{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"initialize\",\"params\":{}}",
        Some((-32602, json!(7))),
    );
}

#[test]
fn messages_without_an_id_get_no_reply() {
    check(b"", None);
    check(b" \t\r", None);
    check(b"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/unheard\"}", None);
    check(
        b"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":99}}",
        None,
    );
    check(b"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":7}", None);
    check(b"{\"jsonrpc\":\"2.0\",\"id\":99,\"result\":{}}", None);
    check(b"{\"jsonrpc\":\"2.0\",\"id\":99,\"error\":{\"code\":1,\"message\":\"\"}}", None);
    check(b"{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":1,\"message\":\"\"}}", None);
    check(b"{\"jsonrpc\":\"2.0\",\"error\":7}", None);
}

#[test]
fn an_endless_line_is_skipped_without_buffering() {
    let mut long = b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"".to_vec();
    long.resize(33 * 1024 * 1024, b'x');
    check(&long, Some((-32600, Value::Null)));
}

#[test]
fn an_unknown_method_is_not_found() {
    let workspace = Workspace::with_team();
    let mut session = workspace.session(&[]);
    assert_eq!(session.error_code("tools/steal", json!({})), -32601);
    assert_eq!(session.error_code("tools/call", json!({"name": "no_such_tool"})), -32602);
    assert_eq!(session.end().code, 0);
}

#[test]
fn requests_before_the_end_are_answered() {
    let workspace = Workspace::with_team();
    let mut session = workspace.session(&[]);
    for id in 100..140 {
        let params = json!({"name": "read_file", "arguments": {"path": "src/a.txt"}});
        session.send(&json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params}));
    }
    let ended = session.end();
    let mut ids: Vec<i64> = ended.rest.iter().map(|reply| reply["id"].as_i64().unwrap()).collect();
    ids.sort_unstable();
    assert_eq!(ids, (100..140).collect::<Vec<i64>>());
    assert_eq!(ended.code, 0);
}

#[test]
fn a_cancelled_call_leaves_a_complete_file_or_none() {
    let workspace = Workspace::with_team();
    let mut session = workspace.session(&[]);
    let content = "x".repeat((1 << 20) - 1) + "\n";
    for id in 100..110 {
        let path = format!("src/{id}.txt");
        let params = json!({"name": "create_new_file", "arguments": {"path": path, "content": content}});
        session.send(&json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params}));
        let params = json!({"requestId": id});
        session.send(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params}));
    }
    assert!(session.tools().contains(&"read_file".to_owned()), "the session goes on");
    assert_eq!(session.end().code, 0);
    for entry in std::fs::read_dir(workspace.path().join("src")).unwrap() {
        let path = entry.unwrap().path();
        let length = std::fs::metadata(&path).unwrap().len();
        assert!([4, 1 << 20].contains(&length), "{}: {length}", path.display());
    }
}

#[test]
fn the_process_ends_with_its_input_or_on_a_signal() {
    let workspace = Workspace::with_team();
    assert_eq!(workspace.open(&[]).end().code, 0);
    for signal in ["-INT", "-TERM"] {
        for is_open in [false, true] {
            let mut session = if is_open { workspace.session(&[]) } else { workspace.open(&[]) };
            // It answers, so it is running.
            session.ask("ping", json!({}));
            let sent = std::process::Command::new("kill").args([signal, &session.pid()]).status().unwrap();
            assert!(sent.success());
            assert_eq!(session.next(), None, "there are no further messages");
            assert_eq!(session.end().code, 0, "{signal}");
        }
    }
}

#[test]
fn the_process_ends_when_stdout_is_closed() {
    let workspace = Workspace::with_team();
    let mut child = workspace.command(&["mcp"]).spawn().unwrap();
    drop(child.stdout.take());
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(b"garbage\n").unwrap();
    let (ended, end) = channel();
    std::thread::spawn(move || ended.send(child.wait().unwrap().code()));
    assert_eq!(end.recv_timeout(DEADLINE), Ok(Some(0)));
    drop(stdin);
}
