//! A program of the tests that speaks the Agent Client Protocol. What it does is the text of a prompt.

use std::io::{BufRead as _, Write as _};
use std::path::Path;

use serde_json::{Value, json};

/// The variable with the file in which the program notes what it receives.
pub(crate) const LOG: &str = "MINDS_TEST_ENGINE_LOG";
/// The variable with what it does before the first prompt.
pub(crate) const MODE: &str = "MINDS_TEST_ENGINE_MODE";

/// Runs the program until its stdin is closed.
pub(crate) fn run(log: &Path) -> ! {
    let mode = std::env::var(MODE).unwrap_or_default();
    let mut engine = Engine { log: log.to_owned(), mode, session: String::new(), servers: Value::Null };
    let mut lines = std::io::stdin().lock().lines().map_while(Result::ok);
    while let Some(line) = lines.next() {
        engine.take(&line, &mut lines);
    }
    std::process::exit(0)
}

struct Engine {
    log: std::path::PathBuf,
    mode: String,
    session: String,
    /// The MCP servers of the session.
    servers: Value,
}

impl Engine {
    fn note(&self, line: &str) {
        let file = std::fs::OpenOptions::new().append(true).create(true).open(&self.log);
        file.unwrap().write_all(format!("{line}\n").as_bytes()).unwrap();
    }

    fn read(&self, lines: &mut dyn Iterator<Item = String>) -> Value {
        let Some(line) = lines.next() else { std::process::exit(0) };
        self.note(&line);
        serde_json::from_str(&line).unwrap()
    }

    fn take(&mut self, line: &str, lines: &mut dyn Iterator<Item = String>) {
        self.note(line);
        let message: Value = serde_json::from_str(line).unwrap();
        let id = message["id"].clone();
        match message["method"].as_str().unwrap_or_default() {
            "initialize" if self.mode == "hang" => {}
            "initialize" if self.mode == "die" => std::process::exit(3),
            "initialize" => {
                let mut capabilities = json!({});
                if self.mode == "resume" {
                    capabilities["sessionCapabilities"] = json!({ "resume": {} });
                } else if self.mode == "load" {
                    capabilities["loadSession"] = true.into();
                }
                answer(&id, &json!({ "protocolVersion": 1, "agentCapabilities": capabilities }));
            }
            "session/new" => {
                self.session = format!("new-{}", std::process::id());
                self.servers = message["params"]["mcpServers"].clone();
                answer(&id, &json!({ "sessionId": self.session }));
            }
            "session/resume" => {
                message["params"]["sessionId"].as_str().unwrap().clone_into(&mut self.session);
                answer(&id, &json!({}));
            }
            "session/load" => {
                message["params"]["sessionId"].as_str().unwrap().clone_into(&mut self.session);
                self.say("an old answer");
                answer(&id, &json!(null));
            }
            "session/prompt" => {
                let blocks = message["params"]["prompt"].as_array().unwrap();
                let text = blocks.last().unwrap()["text"].as_str().unwrap().to_owned();
                self.prompt(&id, &text, lines);
            }
            _ => {}
        }
    }

    fn prompt(&self, id: &Value, text: &str, lines: &mut dyn Iterator<Item = String>) {
        let (verb, rest) = text.split_once(' ').unwrap_or((text, ""));
        let mut stop = "end_turn";
        match verb {
            "say" => self.say(rest),
            "stop" => stop = rest,
            "fail" => return send(&json!({ "id": id, "error": { "code": -32_000, "message": rest } })),
            "tool" => {
                self.call("c", rest, "pending");
                self.update(&json!({ "sessionUpdate": "tool_call_update", "toolCallId": "c", "status": "completed", "content": [{ "type": "content", "content": { "type": "text", "text": "the result" } }] }));
                self.say("done");
            }
            "ask" => {
                self.call("c", rest, "pending");
                let chosen = self.ask(&self.session, rest, lines);
                let status = if chosen == "allow" { "completed" } else { "failed" };
                self.update(
                    &json!({ "sessionUpdate": "tool_call_update", "toolCallId": "c", "status": status }),
                );
                self.say(&chosen);
            }
            "write" => {
                let is_written = std::fs::write(rest, "x").is_ok();
                self.say(if is_written { "written" } else { "denied" });
            }
            "read" => {
                self.say(&std::fs::read_to_string(rest).unwrap_or_else(|_| "denied".to_owned()));
            }
            "call" => self.say(&call_server(&self.servers[0], rest)),
            "env" => self.say(&std::env::var(rest).unwrap_or_else(|_| "not set".to_owned())),
            "flood" => {
                for _ in 0..rest.parse::<usize>().unwrap() {
                    self.say("x");
                }
            }
            "huge" => {
                let part = "x".repeat(1 << 20);
                let mut stdout = std::io::stdout().lock();
                for _ in 0..33 {
                    stdout.write_all(part.as_bytes()).unwrap();
                }
                stdout.write_all(b"\n").unwrap();
            }
            "die" => {
                self.call("c", "edit", "pending");
                self.say("half an answer");
                eprintln!("out of memory");
                std::process::exit(7);
            }
            "hang" => loop {
                // Ends when it is asked to.
                let message = self.read(lines);
                if message["method"] == "session/cancel" {
                    stop = "cancelled";
                    break;
                }
            },
            "deaf" => {
                self.say("deaf ");
                loop {
                    self.read(lines);
                }
            }
            "lie" => {
                send(&json!({ "id": 9_999, "result": {} }));
                send(&json!({ "id": "x", "result": {} }));
                send(
                    &json!({ "jsonrpc": "2.0", "method": "session/update", "params": { "sessionId": "other", "update": text_of("from another session") } }),
                );
                let error = self.ask("other", "edit", lines);
                let refused = self.request("fs/read_text_file", &json!({ "path": "/etc/passwd" }), lines);
                let terminal = self.request("terminal/create", &json!({ "command": "sh" }), lines);
                self.say(&format!("{error} {} {}", refused["error"]["code"], terminal["error"]["code"]));
                answer(id, &json!({ "stopReason": "end_turn" }));
            }
            _ => {}
        }
        answer(id, &json!({ "stopReason": stop }));
    }

    fn update(&self, update: &Value) {
        let params = json!({ "sessionId": self.session, "update": update });
        send(&json!({ "method": "session/update", "params": params }));
    }

    fn say(&self, text: &str) {
        self.update(&text_of(text));
    }

    fn call(&self, id: &str, kind: &str, status: &str) {
        self.update(&json!({ "sessionUpdate": "tool_call", "toolCallId": id, "title": "a call", "kind": kind, "status": status, "rawInput": { "path": "a" } }));
    }

    /// Asks whether the call may run, and returns the chosen option.
    fn ask(&self, session: &str, kind: &str, lines: &mut dyn Iterator<Item = String>) -> String {
        let option = |id: &str, kind: &str| json!({ "optionId": id, "name": id, "kind": kind });
        let options = [
            option("always", "allow_always"),
            option("allow", "allow_once"),
            option("never", "reject_always"),
            option("reject", "reject_once"),
        ];
        let call = json!({ "toolCallId": "c", "kind": kind, "title": "a call" });
        let params = json!({ "sessionId": session, "toolCall": call, "options": options });
        let answer = self.request("session/request_permission", &params, lines);
        let result = &answer["result"]["outcome"];
        let chosen = result["optionId"].as_str().or(result["outcome"].as_str());
        chosen.map_or_else(|| answer["error"]["code"].to_string(), str::to_owned)
    }

    fn request(&self, method: &str, params: &Value, lines: &mut dyn Iterator<Item = String>) -> Value {
        send(&json!({ "id": "q", "method": method, "params": params }));
        loop {
            let message = self.read(lines);
            if message["id"] == "q" && message["method"].is_null() {
                return message;
            }
        }
    }
}

/// Starts an MCP server, sends it a line, and returns its answer.
fn call_server(server: &Value, line: &str) -> String {
    let args = server["args"].as_array().unwrap().iter().map(|arg| arg.as_str().unwrap());
    let mut command = std::process::Command::new(server["command"].as_str().unwrap());
    command.args(args).stdin(std::process::Stdio::piped()).stdout(std::process::Stdio::piped());
    let mut process = command.spawn().unwrap();
    process.stdin.take().unwrap().write_all(format!("{line}\n").as_bytes()).unwrap();
    let output = process.wait_with_output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    text.lines().find(|line| line.contains("answer")).unwrap_or_default().to_owned()
}

fn text_of(text: &str) -> Value {
    json!({ "sessionUpdate": "agent_message_chunk", "content": { "type": "text", "text": text } })
}

fn answer(id: &Value, result: &Value) {
    send(&json!({ "id": id, "result": result }));
}

fn send(message: &Value) {
    let mut message = message.clone();
    message["jsonrpc"] = "2.0".into();
    let mut stdout = std::io::stdout().lock();
    // The agent may have ended.
    if stdout.write_all(format!("{message}\n").as_bytes()).and_then(|()| stdout.flush()).is_err() {
        std::process::exit(0);
    }
}
