//! A server whose behavior is a file, which this program becomes with a variable.

use std::fs::OpenOptions;
use std::io::{BufRead as _, Write as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::{Value, json};

/// The variable with the path of the behavior, without its extension.
pub(crate) const BEHAVIOR: &str = "MINDS_TEST_GATEWAY_SERVER";

/// Is a server if the variable is set.
///
/// `NAME.json` is the behavior: `tools`, `content` (of results), and `fails` (`start`, `handshake`, `list`) or `hangs` (the same). It is read again
/// for each message. `NAME.starts` gets the process id of each start, `NAME.calls` the name of each tool that is called.
#[test]
fn serve() {
    let Some(path) = std::env::var_os(BEHAVIOR) else { return };
    let server = Server { path: path.into(), calls: 0 };
    server.append("starts", &std::process::id().to_string());
    server.run();
    std::process::exit(0);
}

struct Server {
    path: PathBuf,
    calls: usize,
}

/// Waits until a file exists.
fn wait_for(path: &Path) {
    while !path.exists() {
        minds_process::pause(Duration::from_millis(2));
    }
}

fn read() -> Option<Value> {
    let mut line = String::new();
    std::io::stdin().lock().read_line(&mut line).unwrap();
    (!line.is_empty()).then(|| serde_json::from_str(&line).unwrap())
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

impl Server {
    fn file(&self, extension: &str) -> PathBuf {
        self.path.with_extension(extension)
    }

    fn append(&self, extension: &str, line: &str) {
        let mut file = OpenOptions::new().append(true).create(true).open(self.file(extension)).unwrap();
        file.write_all(format!("{line}\n").as_bytes()).unwrap();
    }

    fn behavior(&self) -> Value {
        serde_json::from_str(&std::fs::read_to_string(self.file("json")).unwrap()).unwrap()
    }

    /// Fails or hangs at a step, if it is to.
    fn reach(&self, step: &str) {
        let behavior = self.behavior();
        if behavior["fails"] == step {
            match behavior["prints"].as_str() {
                Some(variable) => eprintln!("token is {}", std::env::var(variable).unwrap()),
                None => eprintln!("failing at {step}"),
            }
            std::process::exit(3);
        }
        if behavior["hangs"] == step {
            wait_for(&self.file("continue"));
        }
    }

    fn run(mut self) {
        self.reach("start");
        while let Some(message) = read() {
            let method = message["method"].as_str().unwrap_or_default();
            match message.get("id") {
                Some(id) if !method.is_empty() => self.request(method, id, &message["params"]),
                _ => self.append("notes", &format!("{method} {}", message["params"])),
            }
        }
        if self.behavior()["stays"] == true {
            loop {
                std::thread::park();
            }
        }
    }

    fn request(&mut self, method: &str, id: &Value, params: &Value) {
        match method {
            "initialize" => {
                self.reach("handshake");
                let server = json!({"name": "test", "version": "1"});
                let capabilities = json!({"tools": {"listChanged": true}});
                let revision = &params["protocolVersion"];
                answer(
                    id,
                    &json!({"protocolVersion": revision, "capabilities": capabilities, "serverInfo": server}),
                );
            }
            "tools/list" => {
                self.reach("list");
                answer(id, &json!({"tools": self.behavior()["tools"]}));
            }
            "tools/call" => self.call(id, params),
            _ => {
                let error = json!({"code": -32601, "message": "unknown"});
                send(&json!({"jsonrpc": "2.0", "id": id, "error": error}));
            }
        }
    }

    fn call(&mut self, id: &Value, params: &Value) {
        self.calls += 1;
        self.append("calls", params["name"].as_str().unwrap_or_default());
        let arguments = &params["arguments"];
        match arguments["do"].as_str().unwrap_or_default() {
            "die" => std::process::exit(3),
            "hang" => return,
            "change" => send(&json!({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"})),
            "ask" => {
                let schema = json!({"type": "object", "properties": {}});
                let question = json!({"message": "Who?", "requestedSchema": schema});
                send(
                    &json!({"jsonrpc": "2.0", "id": "q", "method": "elicitation/create", "params": question}),
                );
                let reply = read().unwrap();
                return answer(id, &json!({"content": [], "structuredContent": reply["result"]}));
            }
            "wait" => {
                self.append("waiting", "call");
                wait_for(&self.file("continue"));
            }
            _ => {}
        }
        let result = json!({"tool": params["name"], "pid": std::process::id(), "calls": self.calls});
        let content = match &self.behavior()["content"] {
            Value::Null => json!([]),
            content => content.clone(),
        };
        answer(id, &json!({"content": content, "structuredContent": result}));
    }
}
