//! The gateway of the real programs: `minds mcp`, its other processes, and servers, which this program becomes.

mod admin;
mod calls;
mod commands;
mod confinement;
mod direct;
mod edits;
mod endings;
mod grants;
mod kills;
mod reload;
mod web;

#[path = "../../../../xtask/src/gateway/harness/mod.rs"]
mod harness;

use std::io::Write as _;
use std::ops::Deref;
use std::path::Path;
use std::process::Child;

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::mcp::session::Session;
use crate::support::exit_and_output;
use harness::place::{Place, ServerProgram};
use harness::polling;

/// Is a server if the variable with its behavior is set.
#[test]
fn serve() {
    if let Some(behavior) = std::env::var_os(harness::fake_server::BEHAVIOR) {
        harness::fake_server::run(behavior.into());
    }
}

/// A workspace with servers. No process of it outlives this value.
struct World {
    place: Place,
    _folder: TempDir,
}

impl Deref for World {
    type Target = Place;

    fn deref(&self) -> &Place {
        &self.place
    }
}

impl World {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let args = ["--exact", "gateway::serve", "--nocapture", "--quiet"].map(str::to_owned).to_vec();
        let server = ServerProgram { program: std::env::current_exe().unwrap(), args };
        let place = Place::new(folder.path(), Path::new(env!("CARGO_BIN_EXE_minds")), server);
        Self { place, _folder: folder }
    }

    /// Returns a workspace with the servers `files` and `web`, which work, and a member with tools of its own who has `files`.
    fn with_servers() -> Self {
        let world = Self::new();
        world.team(&json!({"coder": {"toolsets": ["ws_read", "files"]}, "lead": {"toolsets": ["team-mgmt", "mcp_admin"]}}));
        world.offer("files", &["list_files", "open_file"]);
        world.offer("web", &["fetch"]);
        world
            .servers(&[("files", world.entry("files", &json!({}))), ("web", world.entry("web", &json!({})))]);
        world
    }

    /// Writes the behavior of a server that works, with these tools.
    fn offer(&self, behavior: &str, tools: &[&str]) {
        self.behave(behavior, &json!({"tools": tools}));
    }

    /// Starts `minds mcp`.
    fn session(&self, args: &[&str]) -> Session {
        self.session_with(args, &json!({}))
    }

    /// Starts `minds mcp` for a client with these capabilities.
    fn session_with(&self, args: &[&str], capabilities: &Value) -> Session {
        Session::open(self.command(&[&["mcp"], args].concat()), capabilities)
    }

    /// Runs a command, and returns its exit code, stdout and stderr.
    fn run(&self, args: &[&str]) -> (i32, String, String) {
        self.run_with(args, "")
    }

    /// Runs a command with a stdin.
    fn run_with(&self, args: &[&str], stdin: &str) -> (i32, String, String) {
        let mut child = self.command(args).spawn().unwrap();
        child.stdin.take().unwrap().write_all(stdin.as_bytes()).unwrap();
        finish(child)
    }

    /// Runs a command, and returns its exit code and the document that it prints, which has a schema.
    fn document(&self, args: &[&str]) -> (i32, Value) {
        let (code, stdout, stderr) = self.run(args);
        let document: Value =
            serde_json::from_str(&stdout).unwrap_or_else(|error| panic!("{error}: {stdout}{stderr}"));
        crate::contract::documents::assert_has_schema(&document);
        (code, document)
    }
}

impl Drop for World {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            self.place.wait_for_end().unwrap();
        }
    }
}

fn finish(child: Child) -> (i32, String, String) {
    exit_and_output(&child.wait_with_output().unwrap())
}

/// Waits until a condition holds, and returns its value.
#[track_caller]
fn eventually<T>(what: &str, find: impl FnMut() -> Option<T>) -> T {
    polling::eventually(what, find).unwrap_or_else(|error| panic!("{error}"))
}

/// Returns the names of tools that are not built in, from a list of tools.
fn foreign_names(session: &mut Session) -> Vec<String> {
    let list = session.ask("tools/list", json!({}));
    let tools = list["tools"].as_array().unwrap();
    let foreign = tools.iter().filter(|tool| tool["_meta"]["minds/server"].is_string());
    foreign.map(|tool| tool["name"].as_str().unwrap().to_owned()).collect()
}

/// Waits until the tools of servers are these, which are announced.
#[track_caller]
fn wait_for_names(session: &mut Session, names: &[&str]) {
    while foreign_names(session) != names {
        session.hear(&["notifications/tools/list_changed"]);
    }
}

/// Calls a tool of a server, and returns the process id of the server.
#[track_caller]
fn pid(session: &mut Session, tool: &str) -> u64 {
    let result = session.call(tool, json!({}));
    result["structuredContent"]["pid"].as_u64().unwrap_or_else(|| panic!("{result}"))
}
