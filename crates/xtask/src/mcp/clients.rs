//! Third-party clients over pipes.

use std::path::Path;

use serde_json::{Value, json};

use super::Workspace;
use super::node::Node;

const SCRIPT: &str = include_str!("client.mjs");

/// Tests the server with the inspector of the protocol.
pub(super) fn inspector(node: &Node, minds: &Path, workspace: &Workspace) -> bool {
    let ask = |args: &[&str]| -> Result<Value, String> {
        let server = workspace.server(minds, &[]);
        let mut inspector = node.command("mcp-inspector");
        inspector.arg("--cli").arg(server.get_program()).args(server.get_args()).args(args);
        for (name, value) in server.get_envs() {
            if let Some(value) = value {
                inspector.env(name, value);
            }
        }
        let output = inspector.output().map_err(|error| error.to_string())?;
        let (stdout, stderr) =
            (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        serde_json::from_str(&stdout).map_err(|error| format!("{args:?}: {error}\n{stdout}{stderr}"))
    };
    let all = || -> Result<(), String> {
        let tools = ask(&["--method", "tools/list"])?;
        expect(&tools, "tools of the server", |tools| {
            let names = tools["tools"].as_array().into_iter().flatten();
            names.filter_map(|tool| tool["name"].as_str()).any(|name| name == "team_mgmt_read_file")
        })?;
        let call = ["--method", "tools/call", "--tool-name", "team_mgmt_read_file", "--tool-arg"];
        let read = ask(&[&call[..], &["path=.minds/team.yaml"]].concat())?;
        expect(&read, "the team", |read| read["structuredContent"]["content"] == super::TEAM)?;
        let refused = ask(&[&call[..], &["path=team.yaml"]].concat())?;
        expect(&refused, "a refusal", |refused| {
            refused["isError"] == true && refused["structuredContent"]["code"] == "INVALID_PATH"
        })?;
        let resource = ask(&["--method", "resources/read", "--uri", "minds://problems"])?;
        expect(&resource, "problems", |resource| resource["contents"][0]["text"].is_string())?;
        let prompts = ask(&["--method", "prompts/list"])?;
        expect(&prompts, "prompts", |prompts| {
            prompts["prompts"].as_array().is_some_and(|list| !list.is_empty())
        })
    };
    print_result("the inspector", &all())
}

/// Runs a session with the client of the TypeScript SDK.
pub(super) fn sdk(node: &Node, minds: &Path, workspace: &Workspace) -> bool {
    let script = node.folder().join("client.mjs");
    std::fs::write(&script, SCRIPT).expect("the file can be written");
    let server = workspace.server(minds, &["--member", "lead"]);
    let args: Vec<_> = server.get_args().map(|arg| arg.to_string_lossy().into_owned()).collect();
    let started = json!({
        "command": minds,
        "args": args,
        "env": { "MINDS_HOME": workspace.path().join(".git/home") },
    });
    let output = node.command("node").arg(&script).arg(started.to_string()).output().expect("node starts");
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    print_result(
        "the client of the TypeScript SDK",
        &if output.status.success() { Ok(()) } else { Err(stderr) },
    )
}

pub(super) fn expect(found: &Value, what: &str, matches: impl Fn(&Value) -> bool) -> Result<(), String> {
    if matches(found) { Ok(()) } else { Err(format!("no {what}: {found}")) }
}

pub(super) fn print_result(client: &str, result: &Result<(), String>) -> bool {
    match result {
        Ok(()) => println!("mcp: {client} passed"),
        Err(why) => println!("mcp: {client} failed: {why}"),
    }
    result.is_ok()
}
