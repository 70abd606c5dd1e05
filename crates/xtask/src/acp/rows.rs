//! The rows of the table of engines, compared with the programs of npm. Without an account they open no session, but they start
//! and report what they are.

use serde_json::{Value, json};

use super::Programs;
use super::place::{Place, Setup};
use crate::files::{read, root};
use crate::mcp::node::Node;

const TABLE: &str = "crates/acp/data/engines.json";
/// The short forms, each with the package that has its program.
const ROWS: [(&str, (&str, &str)); 3] = [
    ("claude-code", super::claude::PACKAGE),
    ("codex", ("@agentclientprotocol/codex-acp", "2.6.0")),
    ("gemini", ("@google/gemini-cli", "0.61.0")),
];

/// Each program starts by its row, speaks the version of the protocol, and writes only the files of its row.
pub(super) fn run(programs: &Programs) -> Result<String, String> {
    let table: Value = serde_json::from_str(&read(TABLE)).map_err(|error| error.to_string())?;
    let mut found = Vec::new();
    for (name, package) in ROWS {
        let node = Node::install(&root().join("target/acp").join(name), &[package])
            .map_err(|error| format!("{name}: {error}"))?;
        let row = &table[name];
        let setup = Setup { engine: name, keys: "", writes_home: false };
        let place = Place::new(programs, setup)?;
        let before = place.home_names();
        let mut command = node.command(row["command"].as_str().unwrap_or_default());
        let args = row["args"].as_array().into_iter().flatten();
        command.args(args.filter_map(Value::as_str));
        let session = place.session(&command, &json!({})).map_err(|error| format!("{name}: {error}"))?;
        let initialized = &session["initialized"];
        if initialized["protocolVersion"] != 1 || initialized["agentCapabilities"]["loadSession"] != true {
            return Err(format!("{name}: {initialized}"));
        }
        let home: Vec<&str> =
            row["home"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        let is_unexpected = |name: &String| !before.contains(name) && !home.contains(&name.as_str());
        let unexpected: Vec<String> = place.home_names().into_iter().filter(is_unexpected).collect();
        if !unexpected.is_empty() {
            return Err(format!("{name}: the row does not have what the program wrote: {unexpected:?}"));
        }
        found.push(format!("{name} ({} {})", package.0, package.1));
    }
    Ok(format!("{} start, can load sessions, and write only what their rows name", found.join(", ")))
}
