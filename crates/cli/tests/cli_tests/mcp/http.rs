//! The same server over HTTP.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, Command};

use serde_json::{Value, json};

use crate::mcp::session::{DEADLINE, Workspace, handshake};

pub(crate) struct Served {
    child: Child,
    address: String,
    token: Option<String>,
}

/// The parts of a reply that tests use.
#[derive(Debug)]
pub(crate) struct Reply {
    status: u16,
    headers: String,
    body: String,
}

impl Reply {
    fn header(&self, name: &str) -> Option<&str> {
        let mut lines = self.headers.lines().filter_map(|line| line.split_once(": "));
        Some(lines.find(|(known, _)| known.eq_ignore_ascii_case(name))?.1)
    }

    /// Returns the last message of a body: a document or an event stream.
    pub(crate) fn message(&self) -> Value {
        let data = self.body.lines().filter_map(|line| line.strip_prefix("data:"));
        let found = data.rev().find_map(|data| serde_json::from_str(data.trim()).ok());
        found.or_else(|| serde_json::from_str(&self.body).ok()).unwrap_or_else(|| panic!("{self:?}"))
    }
}

impl Served {
    fn start(workspace: &Workspace, args: &[&str], token: Option<&str>) -> Self {
        let args: Vec<&str> = ["mcp", "--http", "127.0.0.1:0"].iter().chain(args).copied().collect();
        let mut command = workspace.command(&args);
        if let Some(token) = token {
            command.env("MINDS_MCP_TOKEN", token);
        }
        Self::start_command(command)
    }

    pub(crate) fn start_command(mut command: Command) -> Self {
        let mut child = command.spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stderr.take().unwrap()).read_line(&mut line).unwrap();
        let announcement: Value = serde_json::from_str(&line).unwrap_or_else(|_| panic!("{line:?}"));
        let url = announcement["url"].as_str().unwrap();
        let address =
            url.strip_prefix("http://").and_then(|url| url.strip_suffix("/mcp")).unwrap().to_owned();
        Self { child, address, token: announcement["token"].as_str().map(ToOwned::to_owned) }
    }

    /// Uses a token that was agreed on.
    pub(crate) fn with_token(mut self, token: &str) -> Self {
        self.token = Some(token.to_owned());
        self
    }

    /// Sends a raw request, and reads the complete reply.
    pub(crate) fn send(&self, head: &str, body: &str) -> Reply {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        stream.set_read_timeout(Some(DEADLINE)).unwrap();
        let length = body.len();
        write!(stream, "{head}Connection: close\r\nContent-Length: {length}\r\n\r\n{body}").unwrap();
        let mut text = Vec::new();
        // A server that refuses a body does not need to read it; the rest of the reply can be lost then.
        let _ = stream.read_to_end(&mut text);
        let text = String::from_utf8_lossy(&text).into_owned();
        let (headers, body) = text.split_once("\r\n\r\n").unwrap_or_else(|| panic!("{text:?}"));
        let status = headers.split(' ').nth(1).unwrap().parse().unwrap();
        Reply { status, headers: headers.to_owned(), body: body.to_owned() }
    }

    pub(crate) fn head(&self, more: &str) -> String {
        let token = self.token.as_ref().map(|token| format!("Authorization: Bearer {token}\r\n"));
        format!(
            "POST /mcp HTTP/1.1\r\nHost: {}\r\nAccept: application/json, text/event-stream\r\n\
             Content-Type: application/json\r\n{}{more}",
            self.address,
            token.unwrap_or_default()
        )
    }

    pub(crate) fn post(&self, more: &str, message: &Value) -> Reply {
        self.send(&self.head(more), &message.to_string())
    }

    /// Performs the handshake, and returns the session header.
    pub(crate) fn open(&self) -> String {
        let reply = self.post("", &request(1, "initialize", &handshake()));
        assert_eq!(reply.status, 200, "{reply:?}");
        assert_eq!(reply.message()["result"]["serverInfo"]["name"], "minds");
        let session = format!(
            "Mcp-Session-Id: {}\r\nMCP-Protocol-Version: 2025-11-25\r\n",
            reply.header("mcp-session-id").unwrap()
        );
        let accepted = self.post(&session, &json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        assert_eq!(accepted.status, 202, "{accepted:?}");
        session
    }

    pub(crate) fn interrupt(mut self) -> (i32, String) {
        let sent = Command::new("kill").args(["-INT", &self.child.id().to_string()]).status();
        assert!(sent.unwrap().success());
        let mut stdout = String::new();
        self.child.stdout.take().unwrap().read_to_string(&mut stdout).unwrap();
        (self.child.wait().unwrap().code().unwrap(), stdout)
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

pub(crate) fn request(id: i64, method: &str, params: &Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})
}

#[test]
fn a_session_over_http_behaves_like_one_over_pipes() {
    let workspace = Workspace::with_team();
    let served = Served::start(&workspace, &["--member", "coder"], None);
    assert_eq!(served.token.as_ref().unwrap().len(), 64);
    let session = served.open();
    let read = request(2, "tools/call", &json!({"name": "read_file", "arguments": {"path": "src/a.txt"}}));
    let answered = served.post(&session, &read).message()["result"].clone();
    assert_eq!(answered["structuredContent"]["content"], "one\n");
    // The thread that reads pipes answers such a call itself, with the same error.
    let mut pipes = workspace.session(&["--member", "coder"]);
    assert_eq!(pipes.call("read_file", json!({"path": "src/a.txt"})), answered);
    let denied = request(3, "tools/call", &json!({"name": "read_file", "arguments": {"path": "secret/key"}}));
    assert_eq!(
        served.post(&session, &denied).message()["result"]["structuredContent"]["code"],
        "ACCESS_DENIED"
    );
    // Another session has its own identity.
    assert_ne!(served.open(), session);
    let unknown = "Mcp-Session-Id: 00000000-0000-0000-0000-000000000000\r\n";
    assert_eq!(served.post(unknown, &read).status, 404);
    let (code, stdout) = served.interrupt();
    assert_eq!((code, stdout.as_str()), (0, ""));
}

#[test]
fn without_the_token_nothing_is_disclosed() {
    let workspace = Workspace::with_team();
    let mut served = Served::start(&workspace, &[], None);
    let right = served.token.clone().unwrap();
    let hello = request(1, "initialize", &handshake());
    for token in [None, Some("wrong".to_owned()), Some(right[1..].to_owned()), Some(format!("{right}0"))] {
        served.token = token;
        let reply = served.post("", &hello);
        assert_eq!(reply.status, 401, "{reply:?}");
        assert_eq!(reply.header("www-authenticate"), Some("Bearer"));
        assert!(!reply.body.contains("minds"), "{reply:?}");
    }
    served.token = Some(right);
    assert_eq!(served.post("", &hello).status, 200);
}

#[test]
fn a_token_can_be_set_or_disabled() {
    let workspace = Workspace::with_team();
    let mut served = Served::start(&workspace, &[], Some("an-agreed-upon-word"));
    assert_eq!(served.token, None, "a token that was agreed upon is not printed");
    let hello = request(1, "initialize", &handshake());
    assert_eq!(served.post("", &hello).status, 401);
    served.token = Some("an-agreed-upon-word".to_owned());
    assert_eq!(served.post("", &hello).status, 200);
    let served = Served::start(&workspace, &["--no-token"], None);
    assert_eq!(served.token, None);
    assert_eq!(served.post("", &hello).status, 200);
}

#[test]
fn foreign_origins_are_refused() {
    let workspace = Workspace::with_team();
    let served = Served::start(&workspace, &["--no-token"], None);
    let hello = request(1, "initialize", &handshake()).to_string();
    let head = served.head("");
    let with_host = |host: &str| head.replace(&format!("Host: {}", served.address), &format!("Host: {host}"));
    let port = served.address.split(':').nth(1).unwrap();
    for host in
        ["evil.example", "evil.example:80", "127.0.0.1.evil.example", "localhost.evil.example", "10.0.0.1"]
    {
        assert_eq!(served.send(&with_host(host), &hello).status, 403, "{host}");
    }
    for host in [format!("localhost:{port}"), format!("127.0.0.1:{port}"), format!("[::1]:{port}")] {
        assert_eq!(served.send(&with_host(&host), &hello).status, 200, "{host}");
    }
    for origin in
        ["http://evil.example", "https://evil.example", "null", "http://localhost.evil.example", "file://"]
    {
        let reply = served.post(&format!("Origin: {origin}\r\n"), &request(1, "initialize", &handshake()));
        assert_eq!(reply.status, 403, "{origin}: {reply:?}");
    }
    let own = format!("Origin: http://localhost:{port}\r\n");
    assert_eq!(served.post(&own, &request(1, "initialize", &handshake())).status, 200);
    // Programs could interpret a repeated header differently.
    let host = format!("Host: {}\r\n", served.address);
    for twice in [
        own.repeat(2),
        format!("{own}Origin: http://evil.example\r\n"),
        host.clone(),
        "Host: evil.example\r\n".to_owned(),
    ] {
        let reply = served.post(&twice, &request(1, "initialize", &handshake()));
        assert_eq!(reply.status, 403, "{twice}: {reply:?}");
    }
    for authority in ["evil.example", "localhost", "127.0.0.1"] {
        let head = head.replace("POST /mcp", &format!("POST http://{authority}/mcp"));
        assert_eq!(served.send(&head, &hello).status, 403, "{authority}");
    }
    let head = head.replace("POST /mcp", &format!("POST http://{}/mcp", served.address));
    assert_eq!(served.send(&head, &hello).status, 200);
}

#[test]
fn an_invalid_request_is_refused_and_the_server_continues() {
    let workspace = Workspace::with_team();
    let served = Served::start(&workspace, &["--no-token"], None);
    let head = served.head("");
    for (head, body, status) in [
        (head.replace("/mcp", "/"), String::new(), 404),
        (head.replace("/mcp", "/mcp/x"), String::new(), 404),
        (head.replace("POST", "PUT"), String::new(), 405),
        (head.clone(), "garbage".to_owned(), 400),
        (head.clone(), "[]".to_owned(), 400),
        (head.replace("Accept: application/json, text/event-stream\r\n", ""), "{}".to_owned(), 406),
        (head.clone(), "x".repeat(33 * 1024 * 1024), 413),
    ] {
        let shown = body.get(..20).unwrap_or(&body).to_owned();
        let reply = served.send(&head, &body);
        let refused = reply.status == status || (status == 400 && [415, 422].contains(&reply.status));
        assert!(refused, "{shown}: {reply:?}");
    }
    served.open();
}

#[test]
fn a_refusal_has_the_id_that_was_sent() {
    let workspace = Workspace::with_team();
    let served = Served::start(&workspace, &["--no-token"], None);
    let session = served.open();
    let deep = format!("{}{}", "[".repeat(200), "]".repeat(200));
    for id in ["7", "\"a\"", "1.50", "123456789012345678901234567890", r#""\ud800""#] {
        for value in [r#""\ud800""#, "1e999", deep.as_str()] {
            let body = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"ping","params":{{"x":{value}}}}}"#);
            let reply = served.send(&served.head(&session), &body);
            assert_eq!(reply.status, 400, "{body:.80}: {reply:?}");
            let start = format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":-32600,"#);
            assert!(reply.body.starts_with(&start), "{body:.80}: {reply:?}");
        }
    }
    let garbage = served.send(&served.head(&session), "garbage");
    assert_eq!((garbage.status, &garbage.message()["id"]), (400, &Value::Null), "{garbage:?}");
}

#[test]
fn connections_without_the_token_do_not_displace_trusted_ones() {
    let workspace = Workspace::with_team();
    let served = Served::start(&workspace, &[], None);
    let session = served.open();
    let strangers: Vec<_> = (0..200).map(|_| TcpStream::connect(&served.address).unwrap()).collect();
    for mut stranger in &strangers {
        let _ = stranger.write_all(b"POST /mcp HTTP/1.1\r\n");
    }
    let reply = served.post(&session, &request(2, "ping", &json!({})));
    assert_eq!(reply.status, 200, "{reply:?}");
}

#[test]
fn clients_without_a_handshake_are_served_over_http() {
    let workspace = Workspace::with_team();
    let served = Served::start(&workspace, &["--no-token", "--member", "reviewer"], None);
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let message = request(1, "tools/list", &json!({"_meta": meta}));
    let reply = served.post("MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/list\r\n", &message);
    assert_eq!(reply.status, 200, "{reply:?}");
    assert_eq!(reply.message()["result"]["tools"][0]["name"], "list_dir", "{reply:?}");
}
