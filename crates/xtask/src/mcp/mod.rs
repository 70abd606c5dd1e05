//! Tests of the MCP server and of the gateway with other programs: the conformance suite of the protocol, its inspector,
//! a third-party client, and third-party servers.

mod client_cases;
mod clients;
mod conformance;
pub(crate) mod node;
mod peers;
pub(crate) mod processes;
mod session;

use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use serde_json::{Value, json};

use crate::files::root;
pub use client_cases::Case;
use node::Node;

/// The npm packages with their versions. The suite needs a newer Node than many machines have.
const PACKAGES: [(&str, &str); 6] = [
    ("node", "22.23.3"),
    ("@modelcontextprotocol/conformance", "0.2.0-alpha.12"),
    ("@modelcontextprotocol/inspector", "2.12.0"),
    ("@modelcontextprotocol/sdk", "1.32.2"),
    ("@modelcontextprotocol/server-everything", "2026.8.31"),
    ("@modelcontextprotocol/server-filesystem", "2026.8.31"),
];

/// The team of the test workspace.
const TEAM: &str = "\
member_defaults:
  provider: codex
  model: gpt-5.2
members:
  lead:
    toolsets: [team-mgmt]
";

/// Tests the server in all these ways; returns whether all passed. Without npm nothing is tested, and a line
/// is printed. `minds` is the command; it is built if not given.
pub fn run(minds: Option<PathBuf>) -> bool {
    let node = match Node::install(&root().join("target/mcp"), &PACKAGES) {
        Ok(node) => node,
        Err(reason) => {
            println!("mcp: skipped: {reason}");
            return true;
        }
    };
    let minds = minds.unwrap_or_else(super::bench::build_debug);
    let workspace = Workspace::new(&root().join("target/mcp/workspace"));
    let found = [
        conformance::run(&node, &minds, &workspace),
        clients::inspector(&node, &minds, &workspace),
        clients::sdk(&node, &minds, &workspace),
        peers::run(&node, &minds),
        client_cases::run(&node, &minds),
    ];
    found.iter().all(|is_right| *is_right)
}

/// A newly created workspace with a team.
pub(crate) struct Workspace {
    path: PathBuf,
}

impl Workspace {
    pub(crate) fn new(path: &Path) -> Self {
        let _ = std::fs::remove_dir_all(path);
        std::fs::create_dir_all(path.join(".minds")).expect("the folder can be made");
        std::fs::create_dir_all(path.join(".git")).expect("the folder can be made");
        std::fs::write(path.join(".minds/team.yaml"), TEAM).expect("the file can be written");
        std::fs::write(path.join("notes.txt"), "one\n").expect("the file can be written");
        Self { path: path.to_owned() }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the command for a server of this workspace, which stores its data in `.git/home`.
    pub(crate) fn server(&self, minds: &Path, args: &[&str]) -> Command {
        let mut command = Command::new(minds);
        command.args(["mcp", "--root"]).arg(&self.path).args(args);
        command.env("MINDS_HOME", self.home()).env_remove("MINDS_MCP_TOKEN");
        command
    }

    /// Returns the folder for data of the programs.
    fn home(&self) -> PathBuf {
        self.path.join(".git/home")
    }
}

/// A server over HTTP, which ends when the value is dropped.
struct HttpServer {
    child: Child,
    url: String,
}

impl HttpServer {
    fn start(minds: &Path, workspace: &Workspace) -> Self {
        let mut command = workspace.server(minds, &["--http", "127.0.0.1:0", "--no-token"]);
        let mut child = command.stderr(Stdio::piped()).spawn().expect("the server starts");
        let mut line = String::new();
        let read = BufReader::new(child.stderr.take().expect("it is piped")).read_line(&mut line);
        read.expect("the server writes text");
        let notice: Value = serde_json::from_str(&line).unwrap_or_else(|_| panic!("no address: {line}"));
        Self { child, url: notice["url"].as_str().expect("there is an address").to_owned() }
    }
}

impl Drop for HttpServer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Returns the manifest of a folder with npm packages.
fn manifest(packages: &[(&str, &str)]) -> Value {
    let dependencies: serde_json::Map<String, Value> =
        packages.iter().map(|(name, version)| ((*name).to_owned(), json!(version))).collect();
    json!({ "private": true, "dependencies": dependencies })
}
