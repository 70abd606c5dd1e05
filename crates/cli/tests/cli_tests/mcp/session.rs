//! A client that reads every line as a message, with a timeout.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

use serde_json::{Value, json};
use tempfile::TempDir;

/// The time that a test waits for expected output.
pub(crate) const DEADLINE: Duration = Duration::from_mins(1);

/// A team with a manager, a writer and a reader.
pub(crate) const TEAM: &str = "\
member_defaults:
  provider: codex
  model: gpt-5.2
members:
  lead:
    toolsets: [team-mgmt]
  coder:
    toolsets: [ws_mod]
    no_read_dirs: [secret]
    no_write_dirs: [secret]
  reviewer:
    toolsets: [ws_read]
";

/// A workspace, and its own state directory.
pub(crate) struct Workspace {
    folder: TempDir,
    home: TempDir,
}

impl Workspace {
    pub(crate) fn new(files: &[(&str, &str)]) -> Self {
        let workspace = Self { folder: tempfile::tempdir().unwrap(), home: tempfile::tempdir().unwrap() };
        // Stops the search for a workspace in parent directories.
        std::fs::create_dir(workspace.path().join(".git")).unwrap();
        for (path, text) in files {
            workspace.write(path, text);
        }
        workspace
    }

    pub(crate) fn with_team() -> Self {
        Self::new(&[(".minds/team.yaml", TEAM), ("src/a.txt", "one\n"), ("secret/key", "x\n")])
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Returns the directory with the state folder of the workspace.
    pub(crate) fn home(&self) -> &Path {
        self.home.path()
    }

    pub(crate) fn write(&self, path: &str, text: &str) {
        let path = self.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        // As editors do, so that no reader sees half of it.
        let new = path.with_extension("new");
        std::fs::write(&new, text).unwrap();
        std::fs::rename(new, path).unwrap();
    }

    pub(crate) fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_minds"));
        command.args(args).current_dir(self.path()).env("MINDS_HOME", self.home.path());
        command.env("USER", "alice").env_remove("MINDS_MCP_TOKEN").env("RUST_LOG", "trace");
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    /// Starts a server, and performs the handshake.
    pub(crate) fn session(&self, args: &[&str]) -> Session {
        let args: Vec<&str> = ["mcp"].iter().chain(args).copied().collect();
        self.session_of(self.command(&args))
    }

    /// Starts a server with a command, and performs the handshake.
    #[expect(clippy::unused_self, reason = "the command is one of this workspace")]
    pub(crate) fn session_of(&self, command: Command) -> Session {
        Session::open(command, &json!({}))
    }

    /// Starts a server without a handshake.
    pub(crate) fn open(&self, args: &[&str]) -> Session {
        let args: Vec<&str> = ["mcp"].iter().chain(args).copied().collect();
        Session::start(self.command(&args))
    }
}

pub(crate) fn handshake() -> Value {
    json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}})
}

/// A server over pipes.
pub(crate) struct Session {
    child: Child,
    stdin: Option<ChildStdin>,
    lines: Receiver<String>,
    asked: i64,
    notifications: Vec<Value>,
    pub(crate) instructions: String,
}

/// The exit status and the remaining output of a server.
pub(crate) struct Ended {
    pub(crate) code: i32,
    pub(crate) rest: Vec<Value>,
    pub(crate) stderr: String,
}

impl Session {
    /// Starts a server, and performs the handshake of a client with these capabilities.
    pub(crate) fn open(command: Command, capabilities: &Value) -> Self {
        let mut session = Self::start(command);
        let mut hello = handshake();
        hello["capabilities"] = capabilities.clone();
        let hello = session.ask("initialize", hello);
        assert!(hello.is_object(), "{hello}");
        hello["instructions"].as_str().unwrap().clone_into(&mut session.instructions);
        session.notify("notifications/initialized");
        session
    }

    fn start(mut command: Command) -> Self {
        let mut child = command.spawn().unwrap();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        let (line, lines) = channel();
        std::thread::spawn(move || stdout.lines().map_while(Result::ok).all(|text| line.send(text).is_ok()));
        let stdin = child.stdin.take();
        Self { child, stdin, lines, asked: 0, notifications: Vec::new(), instructions: String::new() }
    }

    pub(crate) fn write(&mut self, bytes: &[u8]) {
        let stdin = self.stdin.as_mut().unwrap();
        stdin.write_all(bytes).and_then(|()| stdin.flush()).unwrap();
    }

    pub(crate) fn send(&mut self, message: &Value) {
        self.write(format!("{message}\n").as_bytes());
    }

    pub(crate) fn notify(&mut self, method: &str) {
        self.send(&json!({"jsonrpc": "2.0", "method": method}));
    }

    /// Returns the next raw line; `None` at the end.
    pub(crate) fn next_line(&mut self) -> Option<String> {
        match self.lines.recv_timeout(DEADLINE) {
            Ok(line) => Some(line),
            Err(RecvTimeoutError::Disconnected) => None,
            Err(RecvTimeoutError::Timeout) => panic!("nothing came"),
        }
    }

    /// Returns the next line, which must be a message; `None` at the end.
    pub(crate) fn next(&mut self) -> Option<Value> {
        let line = self.next_line()?;
        let message: Value = serde_json::from_str(&line).unwrap_or_else(|_| panic!("no message: {line}"));
        assert_eq!(message["jsonrpc"], "2.0", "{message}");
        Some(message)
    }

    /// Returns the complete reply to a request.
    pub(crate) fn reply(&mut self, method: &str, params: Value) -> Value {
        self.asked += 1;
        let id = self.asked;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        loop {
            let message = self.next().expect("the server is running");
            if message["id"] == id && message.get("method").is_none() {
                return message;
            }
            self.notifications.push(message);
        }
    }

    /// Returns the result of a request.
    pub(crate) fn ask(&mut self, method: &str, params: Value) -> Value {
        let mut reply = self.reply(method, params);
        assert!(reply.get("error").is_none(), "{method}: {reply}");
        reply["result"].take()
    }

    /// Returns the error code of a request that must fail.
    pub(crate) fn error_code(&mut self, method: &str, params: Value) -> i64 {
        let reply = self.reply(method, params);
        reply["error"]["code"].as_i64().unwrap_or_else(|| panic!("{method}: {reply}"))
    }

    /// Calls a tool.
    pub(crate) fn call(&mut self, tool: &str, args: Value) -> Value {
        self.ask("tools/call", json!({"name": tool, "arguments": args}))
    }

    /// Calls a tool that must succeed, and returns its document.
    pub(crate) fn done(&mut self, tool: &str, args: Value) -> Value {
        let mut result = self.call(tool, args);
        assert_eq!(result["isError"], false, "{result}");
        assert_eq!(result["structuredContent"]["status"], "ok", "{result}");
        result["structuredContent"].take()
    }

    /// Calls a tool that must refuse, and returns the code.
    pub(crate) fn refusal_code(&mut self, tool: &str, args: Value) -> String {
        let result = self.call(tool, args);
        assert_eq!(result["isError"], true, "{result}");
        let code = result["structuredContent"]["code"].as_str().unwrap().to_owned();
        let text = result["content"][0]["text"].as_str().unwrap();
        assert!(text.starts_with(&code), "{text}");
        code
    }

    /// Returns the names of the tools.
    pub(crate) fn tools(&mut self) -> Vec<String> {
        let list = self.ask("tools/list", json!({}));
        list["tools"]
            .as_array()
            .unwrap()
            .iter()
            .map(|tool| tool["name"].as_str().unwrap().to_owned())
            .collect()
    }

    /// Returns the text of a resource.
    pub(crate) fn resource(&mut self, uri: &str) -> String {
        let read = self.ask("resources/read", json!({"uri": uri}));
        assert_eq!(read["contents"][0]["uri"], uri);
        read["contents"][0]["text"].as_str().unwrap().to_owned()
    }

    /// Waits for all notifications in `expected`, in any order: methods, or URIs of resources.
    pub(crate) fn hear(&mut self, expected: &[&str]) {
        for one in expected {
            let is_it = |message: &Value| message["method"] == *one || message["params"]["uri"] == *one;
            loop {
                if let Some(at) = self.notifications.iter().position(is_it) {
                    self.notifications.remove(at);
                    break;
                }
                let message = self.next().expect("the server is running");
                self.notifications.push(message);
            }
        }
    }

    /// Returns the notifications that were received, but not waited for.
    pub(crate) fn notifications(&self) -> &[Value] {
        &self.notifications
    }

    pub(crate) fn pid(&self) -> String {
        self.child.id().to_string()
    }

    /// Closes stdin, and waits for the end.
    pub(crate) fn end(mut self) -> Ended {
        drop(self.stdin.take());
        let mut rest = Vec::new();
        while let Some(message) = self.next() {
            rest.push(message);
        }
        let mut stderr = String::new();
        self.child.stderr.take().unwrap().read_to_string(&mut stderr).unwrap();
        Ended { code: self.child.wait().unwrap().code().expect("it ends by itself"), rest, stderr }
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        // A failing test must not leave a process.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
