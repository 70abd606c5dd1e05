//! A workspace with MCP servers whose behavior is in files.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::{Map, Value, json};

use super::fake_server::BEHAVIOR;
use super::polling::eventually;
use super::processes::{self, MARKER, Process};

/// How this program is started as a fake server.
#[derive(Clone, Debug)]
pub(crate) struct ServerProgram {
    pub(crate) program: PathBuf,
    pub(crate) args: Vec<String>,
}

/// A folder with a workspace, the data of the user, and the behavior of servers.
#[derive(Debug)]
pub(crate) struct Place {
    folder: PathBuf,
    minds: PathBuf,
    server: ServerProgram,
}

impl Place {
    /// Creates a place in an empty folder. `minds` is the command.
    pub(crate) fn new(folder: &Path, minds: &Path, server: ServerProgram) -> Self {
        // `.git` stops the search for a workspace in parent directories.
        for name in ["ws/.minds", "ws/.git", "home", "run", "servers"] {
            fs::create_dir_all(folder.join(name)).expect("the folder can be created");
        }
        Self { folder: folder.to_owned(), minds: minds.to_owned(), server }
    }

    pub(crate) fn path(&self, path: &str) -> PathBuf {
        self.folder.join(path)
    }

    /// Writes a file at once, so that no reader sees a part of it.
    pub(crate) fn write(&self, path: &str, text: &str) {
        let path = self.path(path);
        let new = path.with_extension("new");
        fs::write(&new, text).expect("the file can be written");
        fs::rename(new, path).expect("the file can be replaced");
    }

    /// Writes `team.yaml` with members and their toolsets, as JSON.
    pub(crate) fn team(&self, members: &Value) {
        let defaults = json!({"provider": "codex", "model": "gpt-5.2"});
        let team = json!({"member_defaults": defaults, "members": members});
        self.write("ws/.minds/team.yaml", &team.to_string());
    }

    /// Writes `mcp.yaml` with these entries in this order, as JSON on one line.
    pub(crate) fn servers(&self, servers: &[(&str, Value)]) {
        self.write("ws/.minds/mcp.yaml", &configuration(servers));
    }

    /// Returns an entry of a server with a behavior, and with further keys.
    pub(crate) fn entry(&self, behavior: &str, more: &Value) -> Value {
        let entry = json!({
            "transport": "stdio",
            "command": self.server.program,
            "args": self.server.args,
            "env": {BEHAVIOR: self.path("servers").join(behavior)},
        });
        with_fields(entry, more)
    }

    /// Returns an entry of a server that a shell starts after a script.
    pub(crate) fn entry_after(&self, script: &str, behavior: &str) -> Value {
        let mut args = vec![
            "-c".to_owned(),
            format!("{script}\nexec \"$0\" \"$@\""),
            self.server.program.display().to_string(),
        ];
        args.extend(self.server.args.iter().cloned());
        self.entry(behavior, &json!({"command": "sh", "args": args}))
    }

    /// Writes a behavior.
    pub(crate) fn behave(&self, behavior: &str, content: &Value) {
        self.write(&format!("servers/{behavior}.json"), &content.to_string());
    }

    /// Returns the lines that a server wrote: `starts`, `calls` or `notes`.
    pub(crate) fn lines(&self, behavior: &str, kind: &str) -> Vec<String> {
        let file = self.path("servers").join(format!("{behavior}.{kind}"));
        fs::read_to_string(file).unwrap_or_default().lines().map(str::to_owned).collect()
    }

    /// Removes the lines that a server wrote.
    pub(crate) fn forget(&self, behavior: &str, kind: &str) {
        // The server may have written none.
        let _ = fs::remove_file(self.path("servers").join(format!("{behavior}.{kind}")));
    }

    /// Returns the process ids of the starts of a server.
    pub(crate) fn starts(&self, behavior: &str) -> Vec<u32> {
        let lines = self.lines(behavior, "starts");
        lines.iter().map(|line| line.parse().expect("a process id")).collect()
    }

    /// Returns the command in the workspace.
    pub(crate) fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(&self.minds);
        command.args(args).current_dir(self.path("ws"));
        command.env("HOME", self.path("home")).env("MINDS_HOME", self.path("home/minds"));
        command.env("XDG_RUNTIME_DIR", self.path("run")).env("USER", "alice").env("RUST_LOG", "trace");
        command.env(MARKER, &self.folder).env_remove("MINDS_MCP_TOKEN").env_remove("CLICOLOR_FORCE");
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    /// Returns the value of the marker of the processes of this place.
    pub(crate) fn marker(&self) -> String {
        self.folder.display().to_string()
    }

    /// Returns the processes of this place.
    pub(crate) fn processes(&self) -> Vec<Process> {
        processes::find(&self.marker())
    }

    /// Waits until no process of this place runs.
    ///
    /// # Errors
    ///
    /// Fails with those that stay.
    pub(crate) fn wait_for_end(&self) -> Result<(), String> {
        let end = eventually("the end of all processes", || self.processes().is_empty().then_some(()));
        end.map_err(|error| format!("{error}: {:?}", self.processes()))
    }
}

/// Returns an object with further keys.
pub(crate) fn with_fields(mut object: Value, more: &Value) -> Value {
    let more = more.as_object().cloned().unwrap_or_default();
    object.as_object_mut().map_or(&mut Map::new(), |object| object).extend(more);
    object
}

/// Returns the text of `mcp.yaml`, on one line: whatever is cut from its end, the rest is not YAML.
pub(crate) fn configuration(servers: &[(&str, Value)]) -> String {
    // A map of the library would not keep the order.
    let entries: Vec<String> =
        servers.iter().map(|(id, entry)| format!("{}: {entry}", Value::from(*id))).collect();
    format!("{{\"version\": 1, \"servers\": {{{}}}}}\n", entries.join(", "))
}
