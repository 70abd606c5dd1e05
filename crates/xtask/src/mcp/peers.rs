//! The gateway with servers of other programs: the reference servers, servers of one revision, and one with TLS.

use std::io::{BufRead as _, BufReader, Read};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
use serde_json::{Value, json};

use super::clients::{expect, print_result};
use super::node::Node;
use super::session::Session;
use super::{Workspace, processes};

const SECURE: &str = include_str!("secure.mjs");
const REVISIONS: &str = include_str!("revisions.cjs");
/// The value of the variable that the header of the secure server names.
const TOKEN: &str = "0123456789abcdef";

const TEAM: &str = "\
member_defaults:
  provider: codex
  model: gpt-5.2
members:
  coder:
    toolsets: [files, every, web, secure, old, new]
  guest:
    toolsets: [old]
";

/// Tests the gateway with all these servers.
pub(super) fn run(node: &Node, minds: &Path) -> bool {
    let workspace = Workspace::new(&node.folder().join("gateway"));
    let result = Test::prepare(node, minds, &workspace).and_then(|test| test.run());
    print_result("servers of other programs through the gateway", &result)
}

/// A program that ends with the value.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

struct Test<'t> {
    node: &'t Node,
    minds: &'t Path,
    workspace: &'t Workspace,
    web: (Running, u16),
    secure: (Running, u16),
}

impl<'t> Test<'t> {
    fn prepare(node: &'t Node, minds: &'t Path, workspace: &'t Workspace) -> Result<Self, String> {
        write_certificates(workspace.path());
        let folder = node.folder();
        for (name, script) in [("secure.mjs", SECURE), ("revisions.cjs", REVISIONS)] {
            std::fs::write(folder.join(name), script).expect("the file can be written");
        }
        std::fs::write(workspace.path().join(".minds/team.yaml"), TEAM).expect("the file can be written");
        let mut secure = node.command("node");
        secure.arg("secure.mjs").args(["server.pem", "key.pem"].map(|name| workspace.path().join(name)));
        secure.arg(format!("Bearer {TOKEN}"));
        let secure = listen(secure, |child| child.stdout.take())?;
        let port = free_port();
        let mut web = node.command("mcp-server-everything");
        web.arg("streamableHttp").env("PORT", port.to_string());
        let (web, _) = listen(web, |child| child.stderr.take())?;
        Ok(Self { node, minds, workspace, web: (web, port), secure })
    }

    fn run(&self) -> Result<(), String> {
        self.write_servers(&["files", "every", "web", "secure", "old", "new"]);
        let mut session = Session::start(self.command(&["--member", "coder"]), accept)?;
        let all = [
            "read_text_file",
            "echo",
            "get-sum",
            "trigger-elicitation-request",
            "web_echo",
            "whoami",
            "say_2024",
            "say_2026",
        ];
        let tools = session.tools_with(&all)?;
        let echo = tools.iter().find(|tool| tool["name"] == "echo").expect("it is listed");
        expect(echo, "schema of the server", |echo| echo["inputSchema"]["required"] == json!(["message"]))?;
        self.calls(&mut session)?;
        progress(&mut session, "")?;
        progress(&mut session, "web_")?;
        self.cancellation(&mut session)?;
        self.reload(&mut session)?;
        session.end()?;
        self.guest()?;
        let left = processes::with_variable("MINDS_HOME", &self.workspace.home());
        if left.is_empty() { Ok(()) } else { Err(format!("processes are left: {left:?}")) }
    }

    /// Calls tools of each server, and compares the results.
    fn calls(&self, session: &mut Session) -> Result<(), String> {
        let notes = self.workspace.path().join("notes.txt");
        let text = [
            ("read_text_file", json!({ "path": notes }), "one\n"),
            ("echo", json!({ "message": "hello" }), "Echo: hello"),
            ("get-sum", json!({ "a": 2, "b": 3 }), "The sum of 2 and 3 is 5."),
            ("web_echo", json!({ "message": "hello" }), "Echo: hello"),
            ("web_get-sum", json!({ "a": 2, "b": 3 }), "The sum of 2 and 3 is 5."),
            ("whoami", json!({}), "TLSv1.3"),
            ("say_2024", json!({ "text": "a" }), "2024-11-05: a"),
            ("say_2026", json!({ "text": "b" }), "2026-07-28: b"),
        ];
        for (tool, arguments, expected) in text {
            let result = session.call(tool, &arguments)?;
            expect(&result, tool, |result| result["content"][0]["text"] == expected)?;
        }
        let image = session.call("get-tiny-image", &json!({}))?;
        let has_image = |block: &Value| block["type"] == "image" && block["mimeType"] == "image/png";
        expect(&image, "image", |image| image["content"].as_array().into_iter().flatten().any(has_image))?;
        let weather = session.call("get-structured-content", &json!({ "location": "Chicago" }))?;
        expect(&weather, "structured content", |weather| {
            weather["structuredContent"]["temperature"].is_number()
        })?;
        let refused = session.call("read_text_file", &json!({ "path": "/etc/passwd" }))?;
        expect(&refused, "error of the server", |refused| refused["isError"] == true)?;
        let asked = session.call("trigger-elicitation-request", &json!({}))?;
        expect(&asked, "answer of the user", |asked| {
            asked["content"][1]["text"].as_str().is_some_and(|text| text.contains("- Name: Ada"))
        })
    }

    /// Cancels a call, after which the server is not waited for, and answers as before.
    fn cancellation(&self, session: &mut Session) -> Result<(), String> {
        let arguments = json!({ "duration": 60, "steps": 600 });
        let params = json!({
            "name": "trigger-long-running-operation", "arguments": arguments, "_meta": { "progressToken": "t" },
        });
        let id = session.send("tools/call", &params);
        session.notification("notifications/progress")?;
        let in_flight = |server: &Value| server["in_flight"].as_u64();
        self.await_status("every", |server| in_flight(server) == Some(1))?;
        session.notify("notifications/cancelled", &json!({ "requestId": id, "reason": "enough" }));
        self.await_status("every", |server| in_flight(server) == Some(0))?;
        let after = session.call("echo", &json!({ "message": "again" }))?;
        expect(&after, "next call", |after| after["content"][0]["text"] == "Echo: again")?;
        if session.is_answered(id) { Err("the cancelled call was answered".to_owned()) } else { Ok(()) }
    }

    /// Removes and adds servers while the session runs.
    fn reload(&self, session: &mut Session) -> Result<(), String> {
        let restarts = |server: &Value| server["restarts"] == 0 && server["state"] == "ready";
        self.write_servers(&["every", "old"]);
        loop {
            session.notification("notifications/tools/list_changed")?;
            if !session.tools()?.iter().any(|tool| tool["name"] == "read_text_file") {
                break;
            }
        }
        let gone = session.call("say_2026", &json!({}));
        if gone.is_ok() {
            return Err(format!("a removed server answers: {gone:?}"));
        }
        self.write_servers(&["every", "old", "files", "new"]);
        session.tools_with(&["read_text_file", "say_2026"])?;
        let result = session.call("say_2026", &json!({ "text": "c" }))?;
        expect(&result, "added server", |result| result["content"][0]["text"] == "2026-07-28: c")?;
        for server in ["every", "old"] {
            self.await_status(server, restarts)?;
        }
        Ok(())
    }

    /// A member has only the tools of the servers that are granted.
    fn guest(&self) -> Result<(), String> {
        let mut session = Session::start(self.command(&["--member", "guest"]), accept)?;
        let tools = session.tools_with(&["say_2024"])?;
        if tools.iter().any(|tool| tool["name"] == "say_2026") {
            return Err("a tool of another server is listed".to_owned());
        }
        let refused = session.call("say_2026", &json!({ "text": "d" }))?;
        expect(&refused, "refusal", |refused| refused["structuredContent"]["code"] == "TOOL_NOT_GRANTED")?;
        session.end()
    }

    fn command(&self, arguments: &[&str]) -> Command {
        self.with_environment(self.workspace.server(self.minds, arguments))
    }

    /// Adds the variables that the servers need.
    fn with_environment(&self, mut command: Command) -> Command {
        let path = self
            .node
            .command("node")
            .get_envs()
            .find(|(name, _)| *name == "PATH")
            .and_then(|it| it.1.map(ToOwned::to_owned));
        command.env("PATH", path.expect("it is set")).env("PEER_TOKEN", TOKEN);
        // An authority of the user's own is given as to other programs.
        command.env("SSL_CERT_FILE", self.workspace.path().join("authority.pem"));
        command
    }

    /// Waits until a server has a status.
    fn await_status(&self, server: &str, is_reached: impl Fn(&Value) -> bool) -> Result<(), String> {
        let mut found = Value::Null;
        for _ in 0..300 {
            let mut command = Command::new(self.minds);
            command
                .args(["gateway", "status", server, "--format", "json"])
                .current_dir(self.workspace.path());
            command.env("MINDS_HOME", self.workspace.home());
            let output = self.with_environment(command).output().map_err(|error| error.to_string())?;
            let document: Value = serde_json::from_slice(&output.stdout).map_err(|error| {
                format!("no status: {error}: {}", String::from_utf8_lossy(&output.stderr))
            })?;
            found = document["servers"][0].clone();
            if is_reached(&found) {
                return Ok(());
            }
        }
        Err(format!("the status of `{server}` is not reached: {found}"))
    }

    /// Writes `mcp.yaml` with these servers.
    fn write_servers(&self, names: &[&str]) {
        let (root, script) = (self.workspace.path(), self.node.folder().join("revisions.cjs"));
        let (web, secure) = (self.web.1, self.secure.1);
        let entry = |name: &&str| match *name {
            "files" => json!({ "transport": "stdio", "command": "mcp-server-filesystem", "args": [root] }),
            "every" => json!({ "transport": "stdio", "command": "mcp-server-everything", "args": ["stdio"] }),
            "web" => json!({
                "transport": "streamable_http", "url": format!("http://127.0.0.1:{web}/mcp"),
                "tools": { "whitelist": ["echo", "get-sum", "trigger-long*"] }, "transform": [{ "prefix": "web_" }],
            }),
            "secure" => json!({
                "transport": "streamable_http", "url": format!("https://localhost:{secure}/mcp"),
                "headers": { "Authorization": { "env": "PEER_TOKEN", "prefix": "Bearer " } },
            }),
            "old" => json!({ "transport": "stdio", "command": "node", "args": [script, "2024-11-05"] }),
            _ => json!({ "transport": "stdio", "command": "node", "args": [script, "2026-07-28"] }),
        };
        let servers: serde_json::Map<String, Value> =
            names.iter().map(|name| ((*name).to_owned(), entry(name))).collect();
        // JSON is YAML.
        let content = json!({ "version": 1, "servers": servers }).to_string();
        std::fs::write(root.join(".minds/mcp.yaml"), content).expect("the file can be written");
    }
}

/// Answers a question as a user who fills in the name.
fn accept(_: &Value) -> Value {
    json!({ "action": "accept", "content": { "name": "Ada" } })
}

/// Runs an operation that reports progress.
fn progress(session: &mut Session, prefix: &str) -> Result<(), String> {
    let params = json!({
        "name": format!("{prefix}trigger-long-running-operation"),
        "arguments": { "duration": 0.3, "steps": 3 },
        "_meta": { "progressToken": 7 },
    });
    let id = session.send("tools/call", &params);
    for step in 1..=3 {
        let progress = session.notification("notifications/progress")?;
        expect(&progress, "progress", |progress| {
            progress["progressToken"] == 7
                && progress["progress"].as_f64() == Some(f64::from(step))
                && progress["total"].as_f64() == Some(3.0)
        })?;
    }
    let result = session.wait_for(id)?;
    let text = "Long running operation completed. Duration: 0.3 seconds, Steps: 3.";
    expect(&result, "end of the operation", |result| result["content"][0]["text"] == text)
}

/// Writes the certificate of a new authority, and one signed by it for `localhost`, with its key.
fn write_certificates(folder: &Path) {
    let mut params = CertificateParams::new(Vec::new()).expect("there are no names");
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let key = || KeyPair::generate().expect("a key can be generated");
    let authority = CertifiedIssuer::self_signed(params, key()).expect("it can be signed");
    let (server, server_key) =
        (CertificateParams::new(vec!["localhost".to_owned()]).expect("the name is valid"), key());
    let server = server.signed_by(&server_key, &authority).expect("it can be signed");
    let files = [
        ("authority.pem", authority.pem()),
        ("server.pem", server.pem()),
        ("key.pem", server_key.serialize_pem()),
    ];
    for (name, content) in files {
        std::fs::write(folder.join(name), content).expect("the file can be written");
    }
}

/// Starts a server that writes a line with its port as soon as it listens.
fn listen<O: Read>(
    mut command: Command,
    output: impl Fn(&mut Child) -> Option<O>,
) -> Result<(Running, u16), String> {
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let mut child = Running(child.map_err(|error| error.to_string())?);
    let mut line = String::new();
    let output = output(&mut child.0).expect("it is piped");
    BufReader::new(output).read_line(&mut line).map_err(|error| error.to_string())?;
    let port = line.split_whitespace().last().and_then(|port| port.parse().ok());
    port.map(|port| (child, port)).ok_or_else(|| format!("no port: {line}"))
}

/// Returns a port that was free just now, for a server that has to be given one.
fn free_port() -> u16 {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("there is a free port");
    listener.local_addr().expect("it is bound").port()
}
