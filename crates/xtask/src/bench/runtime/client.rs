//! A client over pipes that decodes no messages, so that it adds little to what is measured.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// A server with one request at a time.
pub(super) struct Client {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    line: String,
    requests: u64,
}

impl Client {
    /// Starts a server, and makes the handshake; returns how long that took.
    pub(super) fn start(mut command: Command) -> (Self, Duration) {
        let start = Instant::now();
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().expect("the server starts");
        let input = child.stdin.take();
        let output = BufReader::with_capacity(1 << 20, child.stdout.take().expect("it is piped"));
        let mut client = Self { child, input, output, line: String::new(), requests: 0 };
        client.ask("initialize", &handshake().to_string());
        let taken = start.elapsed();
        client.write("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n");
        (client, taken)
    }

    pub(super) fn id(&self) -> u32 {
        self.child.id()
    }

    /// Calls a tool of the benchmark's server; returns how long that took.
    pub(super) fn call(&mut self, tool: &str) -> Duration {
        let params = super::call_params(tool);
        let start = Instant::now();
        self.ask("tools/call", &params);
        let taken = start.elapsed();
        assert!(self.line.contains("\"text\":\"done\""), "the call was made: {}", self.line);
        taken
    }

    /// Returns the names of all tools, and how long listing them took.
    pub(super) fn list(&mut self) -> (Vec<String>, Duration) {
        let start = Instant::now();
        let (mut pages, mut params) = (Vec::new(), "{}".to_owned());
        loop {
            self.ask("tools/list", &params);
            pages.push(self.line.clone());
            // The client has to find the cursor, but not to decode the tools.
            let Some((_, rest)) = self.line.split_once("\"nextCursor\":\"") else { break };
            let cursor = rest.split('"').next().expect("the cursor ends");
            params = format!("{{\"cursor\":\"{cursor}\"}}");
        }
        let taken = start.elapsed();
        let mut names = Vec::new();
        for page in pages {
            let page: Value = serde_json::from_str(&page).expect("the server writes JSON");
            let tools = page["result"]["tools"].as_array().expect("there is a list");
            names.extend(tools.iter().filter_map(|tool| tool["name"].as_str().map(str::to_owned)));
        }
        (names, taken)
    }

    /// Waits for a notification.
    pub(super) fn await_notification(&mut self, method: &str) {
        loop {
            self.read();
            if self.line.contains(method) {
                return;
            }
        }
    }

    /// Waits for the end of the server, and so of everything that it has started.
    pub(super) fn end(mut self) {
        self.input = None;
        let _ = self.child.wait();
    }

    fn ask(&mut self, method: &str, params: &str) {
        self.requests += 1;
        let id = self.requests;
        self.write(&format!(
            "{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"{method}\",\"params\":{params}}}\n"
        ));
        let wanted = format!("\"id\":{id},");
        loop {
            self.read();
            if self.line.contains(&wanted) {
                return;
            }
        }
    }

    fn write(&mut self, line: &str) {
        let input = self.input.as_mut().expect("it is open");
        input.write_all(line.as_bytes()).expect("the server reads");
    }

    fn read(&mut self) {
        self.line.clear();
        let read = self.output.read_line(&mut self.line).expect("the server writes text");
        assert!(read > 0, "the server has stopped");
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Returns the parameters of the handshake.
pub(super) fn handshake() -> Value {
    json!({
        "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "bench", "version": "1" },
    })
}
