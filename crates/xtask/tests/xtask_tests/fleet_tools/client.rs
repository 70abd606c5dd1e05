//! A client of an MCP server over pipes.
#![allow(clippy::needless_pass_by_value, reason = "calls read better")]

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value, json};

/// A client, whose server ends with it.
pub(super) struct Client {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    last_id: i64,
    /// The messages that were read while another one was expected.
    others: Vec<Value>,
}

/// Returns the capabilities of a client that accepts tasks.
pub(super) fn tasks() -> Value {
    json!({"extensions": {"io.modelcontextprotocol/tasks": {}}})
}

/// Returns the text of the result of a call.
pub(super) fn text_of(result: &Value) -> &str {
    result["content"][0]["text"].as_str().unwrap_or_else(|| panic!("{result}"))
}

impl Client {
    /// Starts a server without a handshake.
    pub(super) fn open(mut command: Command) -> Self {
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let (input, output) = (child.stdin.take(), BufReader::new(child.stdout.take().unwrap()));
        Self { child, input, output, last_id: 0, others: Vec::new() }
    }

    /// Makes the handshake of an earlier revision.
    pub(super) fn greet(&mut self) {
        let info = json!({"name": "test", "version": "1"});
        let hello = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": info});
        assert!(self.reply("initialize", hello)["result"].is_object());
        self.write(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
    }

    fn write(&mut self, message: &Value) {
        writeln!(self.input.as_mut().unwrap(), "{message}").unwrap();
    }

    fn send(&mut self, method: &str, params: Value) -> i64 {
        self.last_id += 1;
        self.write(&json!({"jsonrpc": "2.0", "id": self.last_id, "method": method, "params": params}));
        self.last_id
    }

    /// Begins a call that reports progress.
    pub(super) fn begin(&mut self, tool: &str, arguments: Value) -> i64 {
        let token = format!("p{}", self.last_id + 1);
        let meta = json!({"progressToken": token});
        self.send("tools/call", json!({"name": tool, "arguments": arguments, "_meta": meta}))
    }

    /// Cancels a request.
    pub(super) fn cancel(&mut self, id: i64) {
        let params = json!({"requestId": id});
        self.write(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params}));
    }

    fn read(&mut self) -> Value {
        let mut line = String::new();
        assert_ne!(self.output.read_line(&mut line).unwrap(), 0, "the server has ended");
        serde_json::from_str(&line).unwrap()
    }

    fn read_until(&mut self, is_expected: impl Fn(&Value) -> bool) -> Value {
        loop {
            let message = self.read();
            if is_expected(&message) {
                return message;
            }
            self.others.push(message);
        }
    }

    /// Returns the response to a request.
    pub(super) fn response(&mut self, id: i64) -> Value {
        self.read_until(|message| message["id"] == id)
    }

    /// Reads until the progress of a call has a message that begins with `start`.
    pub(super) fn until_progress(&mut self, id: i64, start: &str) {
        let token = format!("p{id}");
        self.read_until(|message| {
            let params = &message["params"];
            params["progressToken"] == token.as_str()
                && params["message"].as_str().is_some_and(|text| text.starts_with(start))
        });
    }

    /// Waits for a notification, which may have come.
    pub(super) fn until_notified(&mut self, method: &str) {
        let is_it = |message: &Value| message["method"] == method;
        if !self.others.iter().any(is_it) {
            let message = self.read_until(is_it);
            self.others.push(message);
        }
    }

    /// Makes a request, and returns its complete response.
    pub(super) fn reply(&mut self, method: &str, params: Value) -> Value {
        let id = self.send(method, params);
        self.response(id)
    }

    /// Makes a request of a client without a handshake, and returns its complete response.
    pub(super) fn reply_with(&mut self, method: &str, mut params: Value, capabilities: &Value) -> Value {
        params["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
            "io.modelcontextprotocol/clientCapabilities": capabilities,
        });
        self.reply(method, params)
    }

    /// Makes a request of a client without a handshake, and returns its result.
    pub(super) fn ask_with(&mut self, method: &str, params: Value, capabilities: &Value) -> Value {
        let reply = self.reply_with(method, params, capabilities);
        assert!(reply["result"].is_object(), "{method}: {reply}");
        reply["result"].clone()
    }

    /// Calls a tool, and returns its result.
    pub(super) fn call(&mut self, tool: &str, arguments: Value) -> Value {
        let reply = self.reply("tools/call", json!({"name": tool, "arguments": arguments}));
        assert!(reply["result"].is_object(), "{tool}: {reply}");
        reply["result"].clone()
    }

    /// Returns the names of the tools of the toolset `fleet`.
    pub(super) fn fleet_tools(&mut self) -> Vec<String> {
        let list = self.reply("tools/list", json!({}));
        names(&list["result"]).into_iter().filter(|name| name.starts_with("fleet")).collect()
    }

    /// Returns the names of all tools, for a client without a handshake.
    pub(super) fn tools_of(&mut self, capabilities: &Value) -> Vec<String> {
        names(&self.ask_with("tools/list", json!({}), capabilities))
    }

    /// Asks for the state of a task until it has a status.
    pub(super) fn until_status(&mut self, task: &str, status: &str) -> Value {
        loop {
            let state = self.ask_with("tasks/get", json!({"taskId": task}), &tasks());
            if state["status"] == status {
                return state;
            }
            assert_eq!(state["status"], "working", "{state}");
        }
    }

    /// Ends the session, and returns all messages that were not expected.
    pub(super) fn end(mut self) -> Vec<Value> {
        drop(self.input.take());
        let mut line = String::new();
        while self.output.read_line(&mut line).unwrap() > 0 {
            self.others.push(serde_json::from_str(&line).unwrap());
            line.clear();
        }
        assert_eq!(self.child.wait().unwrap().code(), Some(0));
        std::mem::take(&mut self.others)
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        // A failing test must not leave a process.
        drop(self.input.take());
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn names(list: &Value) -> Vec<String> {
    let tools = list["tools"].as_array().unwrap_or_else(|| panic!("{list}"));
    tools.iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect()
}
