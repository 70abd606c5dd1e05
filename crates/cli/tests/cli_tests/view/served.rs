//! A workspace with tasks, and the command that shows one.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::Duration;

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::contract::documents::assert_has_schema;

/// The time that a test waits for expected output.
pub(crate) const DEADLINE: Duration = Duration::from_mins(1);

pub(crate) struct Workspace {
    folder: TempDir,
    home: TempDir,
}

impl Workspace {
    /// Returns a workspace with a task `demo` that has goals.
    pub(crate) fn with_task() -> Self {
        let workspace = Self { folder: tempfile::tempdir().unwrap(), home: tempfile::tempdir().unwrap() };
        // Stops the search for a workspace in parent directories.
        std::fs::create_dir(workspace.path().join(".git")).unwrap();
        workspace.minds(&["task", "new", "demo"]);
        workspace.set("goals", "Ship it.\n");
        workspace
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_minds"));
        command.args(args).current_dir(self.path()).env("MINDS_HOME", self.home.path()).env("USER", "alice");
        command.env_remove("XDG_RUNTIME_DIR");
        for screen in ["DISPLAY", "WAYLAND_DISPLAY", "BROWSER"] {
            command.env_remove(screen);
        }
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    pub(crate) fn minds(&self, args: &[&str]) -> String {
        let output = self.command(args).output().unwrap();
        assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }

    pub(crate) fn set(&self, section: &str, text: &str) {
        let file = self.home.path().join("content");
        std::fs::write(&file, text).unwrap();
        let mut args = vec!["task", "--task", "demo", "set"];
        match section.split_once('/') {
            Some((category, selector)) => args.extend([selector, "--category", category]),
            None => args.push(section),
        }
        args.extend(["--from", file.to_str().unwrap()]);
        self.minds(&args);
    }

    pub(crate) fn file(&self, name: &str) -> String {
        std::fs::read_to_string(self.path().join("tasks/demo.tsk").join(name)).unwrap()
    }

    /// Returns all lines of the journal.
    pub(crate) fn journal(&self) -> Vec<Value> {
        self.file("journal.jsonl").lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    pub(crate) fn view(&self, args: &[&str]) -> Served {
        let args: Vec<&str> = ["task", "view", "--no-open"].iter().chain(args).copied().collect();
        Served::start(self.command(&args))
    }
}

#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) headers: String,
    pub(crate) body: String,
}

impl Reply {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let mut lines = self.headers.lines().filter_map(|line| line.split_once(": "));
        Some(lines.find(|(known, _)| known.eq_ignore_ascii_case(name))?.1)
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|_| panic!("{self:?}"))
    }
}

/// The running server, which is stopped when the value is dropped.
pub(crate) struct Served {
    pub(crate) child: Child,
    stdout: BufReader<ChildStdout>,
    /// The URL that can be used once.
    pub(crate) url: String,
    /// The file that redirects to the page.
    pub(crate) file: PathBuf,
    pub(crate) address: String,
    /// The path of the page, with the token.
    pub(crate) home: String,
}

impl Served {
    pub(crate) fn start(mut command: Command) -> Self {
        let mut child = command.spawn().unwrap();
        let mut stdout = BufReader::new(child.stdout.take().unwrap());
        let mut line = String::new();
        stdout.read_line(&mut line).unwrap();
        let told: Value = serde_json::from_str(&line).unwrap_or_else(|_| {
            let mut printed = String::new();
            let _ = child.stderr.take().unwrap().read_to_string(&mut printed);
            panic!("{line:?} {printed}")
        });
        assert_has_schema(&told);
        let url = told["url"].as_str().unwrap().to_owned();
        let file = told["file"].as_str().unwrap().into();
        let address = url.strip_prefix("http://").unwrap().split('/').next().unwrap().to_owned();
        let mut served = Self { child, stdout, url, file, address, home: String::new() };
        // From here on, a failure also stops the command.
        assert_eq!((told.as_object().unwrap().len(), &told["version"]), (3, &Value::from(1)));
        let page = served.page_of_file();
        let prefix = format!("http://{}", served.address);
        page.strip_prefix(&prefix).unwrap().clone_into(&mut served.home);
        served
    }

    /// Returns the URL to which the file redirects.
    pub(crate) fn page_of_file(&self) -> String {
        let text = std::fs::read_to_string(&self.file).unwrap();
        let (_, rest) = text.split_once("content=\"0;url=").unwrap();
        rest.split('"').next().unwrap().to_owned()
    }

    /// Requests a URL like a browser.
    pub(crate) fn follow(&self, url: &str, more: &str) -> Reply {
        let path = url.strip_prefix(&format!("http://{}", self.address)).unwrap();
        let head =
            format!("GET {path} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n{more}\r\n", self.address);
        self.send(head.as_bytes())
    }

    pub(crate) fn open(&self) -> TcpStream {
        let stream = TcpStream::connect(&self.address).unwrap();
        stream.set_read_timeout(Some(DEADLINE)).unwrap();
        stream
    }

    /// Sends a raw request, and reads the complete reply.
    pub(crate) fn send(&self, request: &[u8]) -> Reply {
        let mut stream = self.open();
        // A server that refuses a body does not need to read it.
        let _ = stream.write_all(request);
        let mut text = Vec::new();
        let _ = stream.read_to_end(&mut text);
        let text = String::from_utf8_lossy(&text).into_owned();
        let (headers, body) = text.split_once("\r\n\r\n").unwrap_or_else(|| panic!("{text:?}"));
        let status = headers.split(' ').nth(1).unwrap().parse().unwrap();
        Reply { status, headers: headers.to_owned(), body: body.to_owned() }
    }

    /// Requests a path after the token, with a method and headers.
    pub(crate) fn ask(&self, method: &str, path: &str, more: &str, body: &str) -> Reply {
        let (home, address, length) = (&self.home, &self.address, body.len());
        let head =
            format!("{method} {home}{path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n{more}");
        let length = if body.is_empty() { String::new() } else { format!("Content-Length: {length}\r\n") };
        self.send(format!("{head}{length}\r\n{body}").as_bytes())
    }

    pub(crate) fn get(&self, path: &str) -> Reply {
        self.ask("GET", path, "", "")
    }

    pub(crate) fn put(&self, section: &str, change: &Value) -> Reply {
        let path = format!("api/sections/{section}");
        self.ask("PUT", &path, "Content-Type: application/json\r\n", &change.to_string())
    }

    /// Returns a section of the document of the page.
    pub(crate) fn section(&self, name: &str) -> Value {
        let package = self.get("api/package").json();
        let found = package["sections"].as_array().unwrap().iter().find(|part| part["section"] == name);
        found.cloned().unwrap_or(json!(null))
    }

    /// Listens to the events.
    pub(crate) fn events(&self) -> Events {
        let mut stream = self.open();
        let (home, address) = (&self.home, &self.address);
        write!(stream, "GET {home}api/events HTTP/1.1\r\nHost: {address}\r\n\r\n").unwrap();
        Events { lines: BufReader::new(stream) }
    }

    /// Sends a signal, and returns the exit status and the output.
    pub(crate) fn signal(mut self, name: &str) -> (Option<i32>, String, String) {
        let sent = Command::new("kill").args([name, &self.child.id().to_string()]).status();
        assert!(sent.unwrap().success());
        let (mut stdout, mut stderr) = (String::new(), String::new());
        self.stdout.read_to_string(&mut stdout).unwrap();
        self.child.stderr.take().unwrap().read_to_string(&mut stderr).unwrap();
        (self.child.wait().unwrap().code(), stdout, stderr)
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The events of a page.
pub(crate) struct Events {
    lines: BufReader<TcpStream>,
}

impl Events {
    /// Returns the next line with a prefix; `None` at the end.
    fn next(&mut self, prefix: &str) -> Option<String> {
        let mut line = String::new();
        let mut beats = 0;
        while self.lines.read_line(&mut line).unwrap() > 0 {
            // Heartbeats are ignored.
            beats += usize::from(line == ":\n");
            assert!(beats < 3, "nothing comes that begins with {prefix:?}");
            if let Some(rest) = line.trim_end().strip_prefix(prefix) {
                return Some(rest.to_owned());
            }
            line.clear();
        }
        None
    }

    /// Waits for the next revision.
    pub(crate) fn revision(&mut self) -> String {
        let data = self.next("data: ").expect("there is an event");
        let told: Value = serde_json::from_str(&data).unwrap();
        told["revision"].as_str().unwrap().to_owned()
    }

    pub(crate) fn header(&mut self, name: &str) -> String {
        self.next(name).expect("there is such a header")
    }

    /// Returns whether the stream ends without further events.
    pub(crate) fn ends(mut self) -> bool {
        self.next("data: ").is_none()
    }
}
