//! The same over HTTP.

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::TcpStream;
use std::sync::Arc;
use std::sync::mpsc::channel;
use std::thread;

use serde_json::{Value, json};

use super::Place;
use super::source::{FakeSource, object, strange_result};
use crate::mcp::protocol::{HttpOptions, serve_http};

/// Serves until the test program ends, and returns the address.
fn serve(place: &Place, source: &Arc<FakeSource>) -> String {
    let server = place.server(source, "coder");
    let (announce, announced) = channel();
    thread::spawn(move || {
        let options = HttpOptions { address: "127.0.0.1:0".parse().unwrap(), token: None };
        serve_http(server, options, |listening| announce.send(listening.url.clone()).unwrap())
    });
    let url = announced.recv().unwrap();
    url.trim_start_matches("http://").trim_end_matches("/mcp").to_owned()
}

/// A reply that is read while it arrives.
struct Stream {
    lines: BufReader<TcpStream>,
    session: Option<String>,
}

impl Stream {
    /// Returns the next message.
    #[track_caller]
    fn next(&mut self) -> Value {
        loop {
            let mut line = String::new();
            assert!(self.lines.read_line(&mut line).unwrap() > 0, "the reply ended");
            let text = line.strip_prefix("data:").unwrap_or(&line).trim();
            if text.starts_with('{') {
                return serde_json::from_str(text).unwrap();
            }
        }
    }
}

fn send(address: &str, method: &str, headers: &[(&str, &str)], body: &str) -> Stream {
    let mut stream = TcpStream::connect(address).unwrap();
    let mut request = format!(
        "{method} /mcp HTTP/1.1\r\nHost: {address}\r\nAccept: application/json, text/event-stream\r\n\
         Content-Type: application/json\r\nContent-Length: {}\r\n",
        body.len()
    );
    for (name, value) in headers {
        request += &format!("{name}: {value}\r\n");
    }
    write!(stream, "{request}\r\n{body}").unwrap();
    let mut lines = BufReader::new(stream);
    let mut session = None;
    loop {
        let mut line = String::new();
        lines.read_line(&mut line).unwrap();
        if line == "\r\n" {
            return Stream { lines, session };
        }
        let header = line.trim_end().split_once(": ");
        if let Some((name, value)) = header
            && name.eq_ignore_ascii_case("mcp-session-id")
        {
            session = Some(value.to_owned());
        }
    }
}

fn post(address: &str, session: Option<&str>, message: &Value) -> Stream {
    let headers: Vec<(&str, &str)> = session.map(|id| ("Mcp-Session-Id", id)).into_iter().collect();
    send(address, "POST", &headers, &message.to_string())
}

/// Begins a session with a handshake, and returns its id.
fn begin(address: &str) -> String {
    let hello = json!({"protocolVersion": "2025-11-25", "capabilities": {"elicitation": {}},
        "clientInfo": {"name": "test", "version": "1"}});
    let hello = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": hello});
    let mut stream = post(address, None, &hello);
    assert!(stream.next()["result"].is_object());
    let session = stream.session.unwrap();
    post(address, Some(&session), &json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
    session
}

fn call(id: i64, tool: &str) -> Value {
    let params = json!({"name": tool, "arguments": {}, "_meta": {"progressToken": id}});
    json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params})
}

/// Calls a tool without a session, in the revision that needs none.
fn call_alone(address: &str, tool: &str) -> Value {
    let params = json!({"name": tool, "arguments": {}, "_meta": {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    }});
    let message = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params});
    let headers = [("MCP-Protocol-Version", "2026-07-28"), ("Mcp-Method", "tools/call"), ("Mcp-Name", tool)];
    send(address, "POST", &headers, &message.to_string()).next()
}

#[test]
fn each_session_is_a_conversation() {
    let (place, source) = (Place::new(), FakeSource::new(&["echo"]));
    let address = serve(&place, &source);
    let sessions = [begin(&address), begin(&address)];
    for session in [&sessions[0], &sessions[1], &sessions[0]] {
        let reply = post(&address, Some(session), &call(1, "web_echo")).next();
        assert_eq!(reply["result"], strange_result(&object(json!({}))));
    }
    let found = source.conversations();
    assert_eq!(found[0], found[2]);
    assert_ne!(found[0], found[1]);
    send(&address, "DELETE", &[("Mcp-Session-Id", &sessions[1])], "");
    source.wait_for(&format!("end {}", found[1]));
    assert!(!source.log.lock().unwrap().contains(&format!("end {}", found[0])));
}

#[test]
fn requests_without_a_session_share_a_conversation() {
    let (place, source) = (Place::new(), FakeSource::new(&["echo"]));
    let address = serve(&place, &source);
    for _ in 0..2 {
        let mut expected = strange_result(&object(json!({})));
        expected["resultType"] = "complete".into();
        assert_eq!(call_alone(&address, "web_echo")["result"], expected);
    }
    let found = source.conversations();
    assert_eq!(found[0], found[1]);
    assert!(!source.log.lock().unwrap().iter().any(|entry| entry.starts_with("end ")));
    assert_eq!(call_alone(&address, "web_find")["result"]["structuredContent"]["code"], "TOOL_NOT_GRANTED");
    assert_eq!(call_alone(&address, "web_none")["error"]["code"], -32602);
}

#[test]
fn progress_and_questions_are_part_of_the_reply() {
    let (place, source) = (Place::new(), FakeSource::new(&["count", "ask"]));
    let address = serve(&place, &source);
    let session = begin(&address);
    let mut reply = post(&address, Some(&session), &call(1, "web_count"));
    for number in [1.0, 2.0, 3.0] {
        let progress = reply.next();
        assert_eq!(
            (&progress["params"]["progressToken"], &progress["params"]["progress"]),
            (&json!(1), &json!(number))
        );
    }
    assert_eq!(reply.next()["result"]["content"][0]["text"], "counted");
    let mut reply = post(&address, Some(&session), &call(2, "web_ask"));
    let question = reply.next();
    assert_eq!(question["method"], "elicitation/create");
    let answer =
        json!({"jsonrpc": "2.0", "id": question["id"], "result": {"action": "accept", "content": {}}});
    post(&address, Some(&session), &answer);
    let answers = &reply.next()["result"]["structuredContent"]["answers"];
    assert_eq!(answers, &json!([{"action": "accept", "content": {}}]));
}
