//! The client cases of the conformance suite of the protocol, run against the gateway.
//!
//! The suite starts a server for each case and this program with its URL, which serves it through `minds mcp` and uses
//! its tools. Cases of what the gateway does not do are listed as expected failures.

use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};

use super::Workspace;
use super::node::Node;
use super::session::Session;
use crate::files::root;

/// The revisions of the protocol, each with a list in `crates/xtask/src/mcp/`.
const REVISIONS: [&str; 2] = ["2025-11-25", "2026-07-28"];
/// The variable with what a case expects of the client.
const CONTEXT: &str = "MCP_CONFORMANCE_CONTEXT";

const TEAM: &str = "\
member_defaults:
  provider: codex
  model: gpt-5.2
members:
  coder:
    toolsets: [peer]
";

pub(super) fn run(node: &Node, minds: &Path) -> bool {
    let program = std::env::current_exe().expect("the path of the program is known");
    let mut is_right = true;
    for revision in REVISIONS {
        let baseline = root().join(format!("crates/xtask/src/mcp/client-{revision}.yaml"));
        let results = node.folder().join(format!("client-results-{revision}"));
        let _ = std::fs::remove_dir_all(&results);
        let command = format!("{} client-case {}", program.display(), minds.display());
        let mut suite = node.command("conformance");
        suite.args(["client", "--requirements", revision, "--command", &command, "--expected-failures"]);
        let output =
            suite.arg(&baseline).arg("--output-dir").arg(&results).output().expect("the suite starts");
        let stdout = String::from_utf8_lossy(&output.stdout);
        let summary = stdout.split_once("SUMMARY").map_or(&*stdout, |(_, summary)| summary);
        let passed = summary.lines().filter(|line| line.starts_with('✓')).count();
        if output.status.success() && passed > 0 {
            println!(
                "mcp: client cases of {revision}: {passed} pass, the remaining ones are listed with reasons"
            );
        } else {
            println!("mcp: client cases of {revision}: differs from the baseline\n{summary}");
            is_right = false;
        }
    }
    is_right
}

/// Uses each tool of the server at a URL through `minds mcp`, as a case of the suite.
///
/// # Errors
///
/// Fails if the server cannot be used.
fn run_case(minds: &Path, url: &str) -> Result<(), String> {
    let folder = root().join(format!("target/mcp/client-cases/{}", std::process::id()));
    let workspace = Workspace::new(&folder);
    let result = use_tools(minds, url, &workspace);
    let _ = std::fs::remove_dir_all(&folder);
    result
}

fn use_tools(minds: &Path, url: &str, workspace: &Workspace) -> Result<(), String> {
    let write = |name: &str, content: &str| {
        std::fs::write(workspace.path().join(".minds").join(name), content).expect("the file can be written");
    };
    write("team.yaml", TEAM);
    let servers = json!({ "peer": { "transport": "streamable_http", "url": url } });
    write("mcp.yaml", &json!({ "version": 1, "servers": servers }).to_string());
    let command = workspace.server(minds, &["--member", "coder", "--toolset", "peer"]);
    let mut session = Session::start(command, accept_defaults)?;
    let tools = session.tools()?;
    if tools.is_empty() {
        return Err("the server lists no tools".to_owned());
    }
    let context: Value =
        std::env::var(CONTEXT).map_or(Value::Null, |text| serde_json::from_str(&text).unwrap_or_default());
    let calls: Vec<(String, Value)> = match context["toolCalls"].as_array() {
        Some(calls) => calls
            .iter()
            .map(|call| (call["name"].as_str().unwrap_or_default().to_owned(), call["arguments"].clone()))
            .collect(),
        None => tools
            .iter()
            .map(|tool| {
                let mut arguments = example(&tool["inputSchema"]);
                // A tool with this argument compares a schema as the client sees it with the one that the server sent.
                if let Some(schema) = arguments.get_mut("schema") {
                    *schema = tools[0]["inputSchema"].clone();
                }
                (tool["name"].as_str().unwrap_or_default().to_owned(), arguments)
            })
            .collect(),
    };
    for (tool, arguments) in calls {
        // The suite judges what it received; an error of one tool does not end a case.
        if let Err(error) = session.call(&tool, &arguments) {
            println!("{error}");
        }
    }
    session.end()
}

/// Answers a question with the defaults of its schema, as a user who changes nothing.
fn accept_defaults(question: &Value) -> Value {
    json!({ "action": "accept", "content": example(&question["requestedSchema"]) })
}

/// Returns a value for each property of a schema: its default, or any of its type.
fn example(schema: &Value) -> Value {
    let value = |property: &Value| match (property.get("default"), property["type"].as_str()) {
        (Some(default), _) => default.clone(),
        (None, Some("integer" | "number")) => json!(1),
        (None, Some("boolean")) => json!(true),
        (None, Some("array")) => json!([]),
        (None, Some("object")) => json!({}),
        (None, _) => property["enum"].get(0).cloned().unwrap_or_else(|| json!("text")),
    };
    let properties = schema["properties"].as_object().into_iter().flatten();
    Value::Object(properties.map(|(name, property)| (name.clone(), value(property))).collect::<Map<_, _>>())
}

/// The arguments of the program that the suite starts.
#[derive(Debug, clap::Args)]
pub struct Case {
    /// The `minds` program.
    minds: PathBuf,
    /// The URL of the server.
    url: String,
}

impl Case {
    /// Runs the case.
    ///
    /// # Errors
    ///
    /// Fails if the server cannot be used.
    pub fn run(&self) -> Result<(), String> {
        run_case(&self.minds, &self.url)
    }
}
