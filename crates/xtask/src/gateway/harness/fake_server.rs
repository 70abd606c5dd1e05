//! A server whose behavior is in a file.
#![expect(
    clippy::disallowed_types,
    clippy::exit,
    reason = "a server appends to files, and ends when it is to fail"
)]

use std::collections::VecDeque;
use std::fs::{self, OpenOptions};
use std::io::{BufRead as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use serde_json::{Map, Value, json};

/// The variable with the path of the behavior, without its extension.
pub(crate) const BEHAVIOR: &str = "MINDS_TEST_BEHAVIOR";

/// Serves on stdin and stdout, and exits.
///
/// `NAME.json` is the behavior, which is read again for each message:
///
/// - `tools`: the names of the tools, or what is listed for them;
/// - `fails` and `hangs`: the step at which the server exits, or does nothing anymore: `start`, `handshake` or `list`;
/// - `pauses`: the milliseconds that steps take;
/// - `stays`: whether it runs on after the end of stdin.
///
/// It appends lines to files: its process id to `NAME.starts`, the tokens of calls to `NAME.calls`, and notifications to
/// `NAME.notes`.
pub(crate) fn run(path: PathBuf) -> ! {
    let mut server = Server { path, calls: 0, revision: String::new(), waiting: VecDeque::new() };
    server.append("starts", &std::process::id().to_string());
    server.reach("start");
    while let Some(message) = server.next() {
        server.take(&message);
    }
    if server.behavior()["stays"] == true {
        stay();
    }
    std::process::exit(0)
}

struct Server {
    path: PathBuf,
    calls: usize,
    /// The revision of the handshake.
    revision: String,
    /// The requests that arrived while it waited for a reply.
    waiting: VecDeque<Value>,
}

fn stay() -> ! {
    loop {
        std::thread::park();
    }
}

/// Works for some milliseconds.
fn pause(milliseconds: &Value) {
    std::thread::sleep(Duration::from_millis(milliseconds.as_u64().unwrap_or_default()));
}

/// Waits until a file exists.
fn wait_for(path: &Path) {
    while !path.exists() {
        std::thread::sleep(Duration::from_millis(2));
    }
}

fn read() -> Option<Value> {
    let mut line = String::new();
    std::io::stdin().lock().read_line(&mut line).expect("stdin is UTF-8");
    (!line.is_empty()).then(|| serde_json::from_str(&line).expect("each line is a message"))
}

fn send(message: &Value) {
    let mut out = std::io::stdout().lock();
    // The client may have closed the pipe.
    if writeln!(out, "{message}").and_then(|()| out.flush()).is_err() {
        std::process::exit(4);
    }
}

fn answer(id: &Value, result: &Value) {
    send(&json!({"jsonrpc": "2.0", "id": id, "result": result}));
}

fn notify(method: &str, params: &Value) {
    send(&json!({"jsonrpc": "2.0", "method": method, "params": params}));
}

/// Returns what is listed for a tool.
fn describe(tool: &Value) -> Value {
    let Some(name) = tool.as_str() else { return tool.clone() };
    json!({"name": name, "description": format!("Does {name}."), "inputSchema": {"type": "object"}})
}

impl Server {
    fn next(&mut self) -> Option<Value> {
        self.waiting.pop_front().or_else(read)
    }

    fn take(&mut self, message: &Value) {
        let method = message["method"].as_str().unwrap_or_default();
        match message.get("id") {
            Some(id) if !method.is_empty() => self.request(method, id, &message["params"]),
            _ => self.append("notes", &format!("{method} {}", message["params"])),
        }
    }

    /// Sends a question, and returns the result of the reply, before which other messages can arrive.
    fn ask(&mut self, question: &str, method: &str, params: &Value) -> Value {
        send(&json!({"jsonrpc": "2.0", "id": question, "method": method, "params": params}));
        while let Some(mut message) = read() {
            let is_request = message["method"].is_string() && message.get("id").is_some();
            if is_request {
                self.waiting.push_back(message);
            } else if message["id"] == question {
                return message["result"].take();
            } else {
                self.take(&message);
            }
        }
        Value::Null
    }

    fn file(&self, extension: &str) -> PathBuf {
        self.path.with_extension(extension)
    }

    fn append(&self, extension: &str, line: &str) {
        let file = OpenOptions::new().append(true).create(true).open(self.file(extension));
        let written = file.and_then(|mut file| file.write_all(format!("{line}\n").as_bytes()));
        written.expect("the file can be written");
    }

    fn behavior(&self) -> Value {
        let text = fs::read_to_string(self.file("json")).expect("there is a behavior");
        serde_json::from_str(&text).expect("it is JSON")
    }

    /// Fails or hangs at a step, if it is to.
    fn reach(&self, step: &str) {
        let behavior = self.behavior();
        if behavior["fails"] == step {
            let name = self.path.file_name().unwrap_or_default().to_string_lossy();
            // The tests of the command allow no macro for this.
            let _ = writeln!(std::io::stderr(), "{name} fails at {step}");
            std::process::exit(3);
        }
        if behavior["hangs"] == step {
            stay();
        }
        pause(&behavior["pauses"][step]);
    }

    fn request(&mut self, method: &str, id: &Value, params: &Value) {
        match method {
            "initialize" => {
                self.reach("handshake");
                params["protocolVersion"].as_str().unwrap_or_default().clone_into(&mut self.revision);
                let capabilities = json!({"tools": {"listChanged": true}});
                let server = json!({"name": "fake", "version": "1"});
                answer(
                    id,
                    &json!({"protocolVersion": self.revision, "capabilities": capabilities, "serverInfo": server}),
                );
            }
            "tools/list" => {
                self.reach("list");
                let behavior = self.behavior();
                let tools: Vec<Value> =
                    behavior["tools"].as_array().into_iter().flatten().map(describe).collect();
                answer(id, &json!({"tools": tools}));
            }
            "tools/call" => self.call(id, params),
            _ => send(&json!({"jsonrpc": "2.0", "id": id, "error": {"code": -32601, "message": "unknown"}})),
        }
    }

    fn call(&mut self, id: &Value, params: &Value) {
        self.calls += 1;
        let arguments = &params["arguments"];
        if let Some(token) = arguments["token"].as_str() {
            self.append("calls", token);
        }
        let mut result = Map::new();
        match arguments["do"].as_str().unwrap_or_default() {
            "die" => std::process::exit(3),
            "hang" => return,
            "pause" => pause(&arguments["milliseconds"]),
            "change" => notify("notifications/tools/list_changed", &json!({})),
            "report" => {
                let token = &params["_meta"]["progressToken"];
                for done in 1..=2 {
                    let params =
                        json!({"progressToken": token, "progress": done, "total": 2, "message": "at work"});
                    notify("notifications/progress", &params);
                }
            }
            "ask" => {
                let schema = json!({"type": "object", "properties": {"name": {"type": "string"}}});
                let question = json!({"message": "Who?", "requestedSchema": schema});
                let reply = self.ask("q", "elicitation/create", &question);
                result.insert("reply".to_owned(), reply);
            }
            "read" => {
                let content = fs::read_to_string(arguments["path"].as_str().unwrap_or_default());
                let content = content.unwrap_or_else(|error| error.to_string());
                result.insert("content".to_owned(), content.into());
            }
            "leave" => leave_orphan(),
            "wait" => wait_for(&self.file("continue")),
            "repeat" => {
                let count = arguments["count"].as_u64().unwrap_or_default();
                let text = "x".repeat(usize::try_from(count).unwrap_or_default());
                result.insert("text".to_owned(), text.into());
            }
            "break" => {
                let error = json!({"code": -7, "message": "broken"});
                return send(&json!({"jsonrpc": "2.0", "id": id, "error": error}));
            }
            "list variables" => {
                let names: Vec<String> = std::env::vars().map(|(name, _)| name).collect();
                result.insert("names".to_owned(), names.into());
            }
            "refuse" => {
                return answer(id, &json!({"content": [{"type": "text", "text": "no"}], "isError": true}));
            }
            _ => {}
        }
        result.insert("token".to_owned(), arguments["token"].clone());
        result.insert("pid".to_owned(), std::process::id().into());
        result.insert("calls".to_owned(), self.calls.into());
        let text = format!("{} was called", params["name"].as_str().unwrap_or_default());
        answer(id, &json!({"content": [{"type": "text", "text": text}], "structuredContent": result}));
    }
}

/// Starts a process that ends at once, whose parent does not wait for it.
fn leave_orphan() {
    let mut shell = Command::new("sh");
    let status = shell.args(["-c", "true & true"]).stdin(Stdio::null()).stdout(Stdio::null()).status();
    status.expect("the shell starts");
}
