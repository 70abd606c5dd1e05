//! A client over pipes, which also answers questions of the server.

use std::collections::VecDeque;
use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use serde_json::{Value, json};

/// The time for a message of the server, and for its end.
const WAIT: Duration = Duration::from_mins(1);
/// The interval at which the end of the server is looked for.
const INTERVAL: Duration = Duration::from_millis(10);

/// A session with a server that runs until the value is dropped.
pub(super) struct Session {
    child: Child,
    input: Option<ChildStdin>,
    messages: Receiver<Value>,
    requests: u64,
    /// The responses that were received, but not taken.
    responses: VecDeque<Value>,
    /// The notifications that were received, but not taken.
    notifications: VecDeque<Value>,
    answer: fn(&Value) -> Value,
}

impl Session {
    /// Starts a server and makes the handshake. `answer` returns the answer to a question to the user.
    pub(super) fn start(mut command: Command, answer: fn(&Value) -> Value) -> Result<Self, String> {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().map_err(|error| format!("the server does not start: {error}"))?;
        let output = BufReader::new(child.stdout.take().expect("it is piped"));
        let (sender, messages) = channel();
        std::thread::spawn(move || {
            for line in output.lines().map_while(Result::ok) {
                let message = serde_json::from_str(&line).unwrap_or_else(|_| json!({ "invalid": line }));
                if sender.send(message).is_err() {
                    return;
                }
            }
        });
        let input = child.stdin.take();
        let (responses, notifications) = (VecDeque::new(), VecDeque::new());
        let mut session = Self { child, input, messages, requests: 0, responses, notifications, answer };
        let client = json!({ "name": "test", "version": "1" });
        let capabilities = json!({ "elicitation": { "form": {} } });
        let params =
            json!({ "protocolVersion": "2025-11-25", "capabilities": capabilities, "clientInfo": client });
        session.ask("initialize", &params)?;
        session.notify("notifications/initialized", &json!({}));
        Ok(session)
    }

    /// Sends a request, and returns its id.
    pub(super) fn send(&mut self, method: &str, params: &Value) -> u64 {
        self.requests += 1;
        let id = self.requests;
        self.write(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        id
    }

    pub(super) fn notify(&mut self, method: &str, params: &Value) {
        self.write(&json!({ "jsonrpc": "2.0", "method": method, "params": params }));
    }

    /// Sends a request, and returns its result.
    pub(super) fn ask(&mut self, method: &str, params: &Value) -> Result<Value, String> {
        let id = self.send(method, params);
        self.wait_for(id)
    }

    /// Calls a tool.
    pub(super) fn call(&mut self, tool: &str, arguments: &Value) -> Result<Value, String> {
        let result = self.ask("tools/call", &json!({ "name": tool, "arguments": arguments }));
        result.map_err(|error| format!("`{tool}`: {error}"))
    }

    /// Returns the result of a request.
    pub(super) fn wait_for(&mut self, id: u64) -> Result<Value, String> {
        loop {
            if let Some(at) = self.responses.iter().position(|response| response["id"] == id) {
                let mut response = self.responses.remove(at).expect("it was found");
                return match response.get("error") {
                    Some(error) => Err(error.to_string()),
                    None => Ok(response["result"].take()),
                };
            }
            self.receive()?;
        }
    }

    /// Returns whether a request was answered so far.
    pub(super) fn is_answered(&self, id: u64) -> bool {
        self.responses.iter().any(|response| response["id"] == id)
    }

    /// Returns the parameters of the next notification of a kind.
    pub(super) fn notification(&mut self, method: &str) -> Result<Value, String> {
        loop {
            let found = self.notifications.iter().position(|notification| notification["method"] == method);
            if let Some(at) = found {
                return Ok(self.notifications.remove(at).expect("it was found")["params"].take());
            }
            self.receive().map_err(|error| format!("no `{method}`: {error}"))?;
        }
    }

    /// Returns all tools.
    pub(super) fn tools(&mut self) -> Result<Vec<Value>, String> {
        let (mut tools, mut params) = (Vec::new(), json!({}));
        loop {
            let mut page = self.ask("tools/list", &params)?;
            tools.extend(page["tools"].as_array().into_iter().flatten().cloned());
            match page["nextCursor"].take() {
                Value::Null => return Ok(tools),
                cursor => params = json!({ "cursor": cursor }),
            }
        }
    }

    /// Returns the tools as soon as all these are among them.
    pub(super) fn tools_with(&mut self, names: &[&str]) -> Result<Vec<Value>, String> {
        loop {
            let tools = self.tools()?;
            let missing: Vec<&&str> =
                names.iter().filter(|name| !tools.iter().any(|tool| tool["name"] == **name)).collect();
            if missing.is_empty() {
                return Ok(tools);
            }
            let waited = self.notification("notifications/tools/list_changed");
            waited.map_err(|error| format!("{missing:?} are not listed: {error}"))?;
        }
    }

    /// Closes the input, and waits for the end of the server.
    pub(super) fn end(mut self) -> Result<(), String> {
        self.input = None;
        for _ in 0..WAIT.as_millis() / INTERVAL.as_millis() {
            match self.child.try_wait() {
                Ok(Some(status)) if status.success() => return Ok(()),
                Ok(Some(status)) => return Err(format!("the server ended with {status}")),
                Ok(None) => std::thread::sleep(INTERVAL),
                Err(error) => return Err(error.to_string()),
            }
        }
        Err("the server does not end".to_owned())
    }

    /// Receives one message.
    fn receive(&mut self) -> Result<(), String> {
        let message = self.messages.recv_timeout(WAIT).map_err(|error| format!("no message: {error}"))?;
        match (message.get("method"), message.get("id")) {
            (Some(method), Some(id)) => {
                let reply = if method == "elicitation/create" {
                    json!({ "jsonrpc": "2.0", "id": id, "result": (self.answer)(&message["params"]) })
                } else {
                    json!({ "jsonrpc": "2.0", "id": id, "error": { "code": -32601, "message": "unknown" } })
                };
                self.write(&reply);
            }
            (Some(_), None) => self.notifications.push_back(message),
            (None, Some(_)) => self.responses.push_back(message),
            (None, None) => return Err(format!("not a message: {message}")),
        }
        Ok(())
    }

    fn write(&mut self, message: &Value) {
        // The end of the server is found by the reader.
        let _ = self.input.as_ref().map(|mut input| input.write_all(format!("{message}\n").as_bytes()));
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
