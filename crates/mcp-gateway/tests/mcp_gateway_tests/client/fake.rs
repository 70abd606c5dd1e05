//! A server on standard input and output, which this program becomes with a variable.

use std::collections::BTreeSet;
use std::io::{BufRead as _, Write as _};

use serde_json::{Value, json};

/// The variable with the ways in which the server behaves, separated by commas.
pub(super) const WAYS: &str = "MINDS_TEST_SERVER";

/// Is a server if the variable is set.
#[test]
fn serve() {
    let Ok(ways) = std::env::var(WAYS) else { return };
    let ways = ways.split(',').map(str::to_owned).collect();
    Fake { ways, requests: 0 }.run();
    std::process::exit(0);
}

struct Fake {
    ways: BTreeSet<String>,
    requests: u64,
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

fn refuse(id: &Value, code: i64, message: &str, data: &Value) {
    send(&json!({"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": message, "data": data}}));
}

fn read() -> Option<Value> {
    let mut line = String::new();
    std::io::stdin().lock().read_line(&mut line).unwrap();
    (!line.is_empty()).then(|| serde_json::from_str(&line).unwrap())
}

fn text(text: &str) -> Value {
    json!({"content": [{"type": "text", "text": text}]})
}

fn progress(id: &Value, params: &Value) {
    let token = &params["_meta"]["progressToken"];
    assert!(!token.is_null());
    for (token, progress) in [(token, json!(1)), (&json!("other"), json!(9)), (token, json!(2.5))] {
        let params =
            json!({"progressToken": token, "progress": progress, "total": 10, "message": "m", "x": 1});
        send(&json!({"jsonrpc": "2.0", "method": "notifications/progress", "params": params}));
    }
    if params["arguments"]["end"] != json!(false) {
        answer(id, &text("done"));
    }
}

impl Fake {
    fn has(&self, way: &str) -> bool {
        self.ways.contains(way)
    }

    fn value(&self, way: &str) -> Option<&str> {
        self.ways.iter().find_map(|one| one.strip_prefix(way)?.strip_prefix('='))
    }

    fn run(&mut self) {
        if self.has("silent") {
            while read().is_some() {}
            return;
        }
        if let Some(line) = self.value("exit") {
            eprintln!("{line}");
            std::process::exit(1);
        }
        while let Some(message) = read() {
            let method = message["method"].as_str().unwrap_or_default().to_owned();
            match message.get("id") {
                Some(id) if message.get("method").is_some() => {
                    self.request(&method, &id.clone(), &message["params"]);
                }
                _ => eprintln!("got {method} {}", message["params"]),
            }
        }
        if self.has("stay") {
            loop {
                std::thread::park();
            }
        }
        eprintln!("end of input");
    }

    fn request(&mut self, method: &str, id: &Value, params: &Value) {
        match method {
            "server/discover" => self.discover(id),
            "initialize" => self.initialize(id, params),
            "tools/list" => self.list(id, params),
            "tools/call" => self.call(id, params),
            "tasks/get" => answer(
                id,
                &json!({"resultType": "complete", "taskId": params["taskId"], "status": "completed", "result": params}),
            ),
            "subscriptions/listen" => {
                let meta = json!({"io.modelcontextprotocol/subscriptionId": id});
                let acknowledged = json!({"_meta": meta, "notifications": params["notifications"]});
                send(&json!({
                    "jsonrpc": "2.0", "method": "notifications/subscriptions/acknowledged", "params": acknowledged,
                }));
                send(&json!({
                    "jsonrpc": "2.0", "method": "notifications/tools/list_changed", "params": {"_meta": meta},
                }));
            }
            _ => refuse(id, -32601, "unknown", &Value::Null),
        }
    }

    fn discover(&self, id: &Value) {
        if self.has("exit-at-discovery") {
            std::process::exit(1);
        }
        if self.has("modern") {
            let mut capabilities = json!({"tools": {"listChanged": true}});
            if self.has("tasks") {
                capabilities["extensions"] = json!({"io.modelcontextprotocol/tasks": {}});
            }
            answer(
                id,
                &json!({
                    "resultType": "complete", "supportedVersions": ["2026-07-28"], "capabilities": capabilities,
                    "serverInfo": {"name": "fake", "version": "1"}, "ttlMs": 0, "cacheScope": "private",
                }),
            );
        } else if self.has("odd-discovery") {
            answer(id, &json!({"supportedVersions": ["2030-01-01"], "capabilities": {}}));
        } else if !self.has("slow-discovery") {
            refuse(id, -32601, "unknown", &Value::Null);
        }
    }

    fn initialize(&self, id: &Value, params: &Value) {
        let wanted = params["protocolVersion"].as_str().unwrap();
        if self.has("slow-discovery") {
            // The late answer to the first request.
            refuse(&json!(0), -32601, "unknown", &Value::Null);
        }
        if self.has("no-handshake") {
            return refuse(id, -32000, "not today\nor ever", &Value::Null);
        }
        if let Some(only) = self.value("only").filter(|only| *only != wanted) {
            return refuse(
                id,
                -32602,
                "unsupported",
                &json!({"supported": ["1", only], "requested": wanted}),
            );
        }
        let revision = self.value("revision").unwrap_or(wanted);
        let server = json!({"name": "fake", "version": "1"});
        let capabilities = if self.has("no-tools") { json!({}) } else { json!({"tools": {}}) };
        answer(id, &json!({"protocolVersion": revision, "capabilities": capabilities, "serverInfo": server}));
    }

    fn list(&self, id: &Value, params: &Value) {
        if self.has("no-tools") {
            return refuse(id, -32601, "unknown", &Value::Null);
        }
        let page: u64 = params["cursor"].as_str().map_or(0, |cursor| cursor.parse().unwrap());
        let next = (page + 1).to_string();
        if self.has("endless") {
            let tools: Vec<Value> = (0..300).map(|n| json!({"name": format!("t{page}-{n}")})).collect();
            return answer(id, &json!({"tools": tools, "nextCursor": next}));
        }
        if self.has("no-page") {
            return answer(id, &json!({"tools": [], "nextCursor": next}));
        }
        match page {
            0 => {
                let schema = json!({"type": "object", "x-odd": [1, null]});
                let tool = json!({
                    "name": "echo", "title": "Echo", "description": "Says it again", "inputSchema": schema,
                    "outputSchema": {"type": "object"}, "annotations": {"readOnlyHint": true, "x": 1}, "icons": "no",
                });
                answer(id, &json!({"tools": [tool, {"description": "has no name"}], "nextCursor": next}));
            }
            1 => answer(id, &json!({"tools": [{"name": "second", "inputSchema": 7}]})),
            _ => refuse(id, -32602, "no such page", &Value::Null),
        }
    }

    fn call(&mut self, id: &Value, params: &Value) {
        let arguments = &params["arguments"];
        match params["name"].as_str().unwrap() {
            "echo" => answer(id, &json!({"content": [], "structuredContent": arguments})),
            "params" => answer(id, &json!({"content": [], "structuredContent": params})),
            "fixed" => answer(id, &arguments["result"]),
            "raw" => println!("{}", arguments["line"].as_str().unwrap().replace("ID", &id.to_string())),
            "progress" => progress(id, params),
            "ask" => self.ask(id, params),
            "requests" => {
                let replies: Vec<Value> = arguments["methods"]
                    .as_array()
                    .unwrap()
                    .iter()
                    .map(|method| {
                        self.query(&json!({"method": method, "params": {"messages": [], "maxTokens": 1}}))
                    })
                    .collect();
                answer(id, &json!({"content": [], "structuredContent": {"replies": replies}}));
            }
            "later" => {
                let capabilities = &params["_meta"]["io.modelcontextprotocol/clientCapabilities"];
                let can = capabilities["extensions"]["io.modelcontextprotocol/tasks"].is_object();
                let result = if can {
                    json!({"resultType": "task", "taskId": "t1", "status": "working", "x": 1})
                } else {
                    text("at once")
                };
                answer(id, &result);
            }
            "hang" => eprintln!("hanging {id}"),
            "die" => {
                eprintln!("first line\nno more");
                std::process::exit(3);
            }
            "close" => {
                // Another process keeps standard output open, in a group of its own.
                std::process::exit(0);
            }
            "large" => {
                let size = arguments["size"].as_u64().unwrap().try_into().unwrap();
                answer(id, &text(&"x".repeat(size)));
            }
            "endless" => {
                let (mut out, part) = (std::io::stdout().lock(), vec![b'x'; 1 << 16]);
                while out.write_all(&part).is_ok() {}
            }
            "flood" => {
                eprint!("{}", "line\n".repeat(100_000));
                eprintln!("{}<", "y".repeat(20_000));
                answer(id, &text("done"));
            }
            "tell" => {
                send(&json!({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"}));
                let params = json!({"level": "warning", "logger": "a", "data": {"b": 1}});
                send(&json!({"jsonrpc": "2.0", "method": "notifications/message", "params": params}));
                send(&json!({"jsonrpc": "2.0", "method": "notifications/unknown", "params": [1]}));
                println!("not a message");
                answer(id, &text("told"));
            }
            "environment" => {
                let names: Vec<String> = std::env::vars().map(|(name, _)| name).collect();
                answer(id, &json!({"content": [], "structuredContent": {"names": names}}));
            }
            _ => refuse(id, -32602, "unknown tool", &Value::Null),
        }
    }

    fn ask(&mut self, id: &Value, params: &Value) {
        let schema = json!({"type": "object", "properties": {"n": {"type": "string", "x-odd": 1}}});
        let question = json!({"message": "Who?", "requestedSchema": schema});
        if !self.has("modern") {
            let reply = self.query(&json!({"method": "elicitation/create", "params": question}));
            return answer(id, &json!({"content": [], "structuredContent": {"reply": reply}}));
        }
        if params["requestState"] == json!("state") {
            let reply = &params["inputResponses"];
            return answer(id, &json!({"content": [], "structuredContent": reply, "resultType": "complete"}));
        }
        let requests = json!({"who": {"method": "elicitation/create", "params": question}});
        answer(
            id,
            &json!({"resultType": "input_required", "inputRequests": requests, "requestState": "state"}),
        );
    }

    /// Sends a request, and returns the response without the fields of the envelope.
    fn query(&mut self, request: &Value) -> Value {
        self.requests += 1;
        let mut message = request.clone();
        message["jsonrpc"] = json!("2.0");
        message["id"] = json!(format!("q{}", self.requests));
        send(&message);
        loop {
            let reply = read().unwrap();
            if reply["id"] == message["id"] {
                return reply.get("result").or(reply.get("error")).unwrap().clone();
            }
            eprintln!("got {}", reply["method"]);
        }
    }
}
