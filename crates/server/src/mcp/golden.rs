//! What the server offers to each kind of caller.
#![allow(clippy::disallowed_methods, reason = "a test writes the workspace that it serves")]

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use minds_diagnostics::Severity;
use minds_fs::Root;
use minds_state::problems::{GatewayProblem, GatewayReporter, problem_id};
use minds_toolset::{Caller, Clock, OfferedTool, ToolContext};
use minds_vfs::MountId;

use super::instructions::instructions;
use super::prompts;
use super::resources::{ResourceView, TEMPLATES};
use super::server::Server;

/// The code of the problem in the snapshot.
const COLLISION: &str = "mcp/tool-name-collision";

const FILES: [(&str, &str); 5] = [
    (
        ".minds/team.yaml",
        "members:\n  coder: {toolsets: [ws_read, ws_mod]}\n  lead: {toolsets: [team-mgmt]}\n",
    ),
    (".minds/team/coder/persona.md", "You write code.\n"),
    ("tasks/ship-it.tsk/goals.md", "Ship it.\n"),
    ("tasks/ship-it.tsk/constraints.md", ""),
    ("tasks/ship-it.tsk/progress.md", ""),
];

/// Returns the server of a workspace for a caller.
fn serve(folder: &Path, caller: Caller) -> Server {
    let root = folder.join("workspace");
    for (path, text) in FILES {
        let path = root.join(path);
        fs::create_dir_all(path.parent().expect("a file has a directory"))
            .expect("a directory can be created");
        fs::write(path, text).expect("a file can be written");
    }
    let context = ToolContext::open(&root, &folder.join("state"), Clock::At(0));
    Server::new(context.expect("the workspace exists"), "demo", caller)
}

/// Returns the instructions, tools, resources, templates and prompts for a caller.
fn offer(caller: Caller) -> String {
    let folder = tempfile::tempdir().expect("a directory can be created");
    let server = serve(folder.path(), caller);
    let mut offer = format!("{}\n", instructions(&server));
    for tool in server.tools().iter().map(OfferedTool::descriptor) {
        let effect = if server.only_reads(&tool.name) { "reads" } else { "writes" };
        let _ = writeln!(offer, "tool {} of {}, {effect}", tool.name, tool.toolset);
    }
    let snapshot = server.snapshot();
    for resource in ResourceView::of(&server, &snapshot).list() {
        let _ = writeln!(
            offer,
            "resource {} ({}, {}): {}",
            resource.uri, resource.name, resource.mime, resource.description
        );
    }
    for template in TEMPLATES {
        let _ = writeln!(
            offer,
            "template {} ({}, {}): {}",
            template.uri, template.name, template.mime, template.description
        );
    }
    for prompt in prompts::list(&server) {
        let _ = writeln!(offer, "prompt {} ({}): {}", prompt.name, prompt.title, prompt.description);
        for argument in prompt.arguments {
            let need = if argument.is_required() { "required" } else { "optional" };
            let _ = writeln!(offer, "  {} ({need}): {}", argument.name, argument.description);
        }
    }
    offer
}

#[test]
fn offers() {
    let member = |id: &str| Caller::member(id);
    insta::assert_snapshot!("operator", offer(Caller::operator("alice")));
    insta::assert_snapshot!("member", offer(member("coder")));
    insta::assert_snapshot!("manager", offer(member("lead")));
    insta::assert_snapshot!("unknown", offer(member("missing")));
}

#[test]
fn problems() {
    let folder = tempfile::tempdir().expect("a directory can be created");
    let server = serve(folder.path(), Caller::member("lead"));
    let team = "member_defaults: {provider: codex, model: gpt-5.2}\n\
                members: {coder: {}, lead: {toolsets: [team-mgmt, nope]}}\n";
    fs::write(folder.path().join("workspace/.minds/team.yaml"), team).unwrap();
    let read = || {
        let text = ResourceView::of(&server, &server.snapshot()).read("minds://problems").unwrap().text;
        assert_eq!(text.matches('\n').count(), 1, "{text}");
        let content: serde_json::Value = serde_json::from_str(&text).unwrap();
        serde_json::to_string_pretty(&content).unwrap()
    };
    let state = Root::open_private(&folder.path().join("state"), MountId::WORKSPACE).unwrap();
    let gateway = GatewayReporter::start(state, "100-1700000000000").unwrap();
    let problem = GatewayProblem {
        id: problem_id(&["mcp", "server", "files", "tool_collision", "delete"]),
        code: COLLISION,
        severity: Severity::Warning,
        message: "server `files`: another tool is named `delete` too".to_owned(),
        help: Some("add a `prefix` to the server".to_owned()),
    };
    gateway.publish(1_700_000_000_000, &[problem]).unwrap();
    insta::assert_snapshot!("problems", read());
    gateway.end(1_700_000_001_000).unwrap();
    assert!(read().contains("\"gateway_problems\": []"), "resolved problems are not in the resource");
    fs::write(folder.path().join("state/problems.json"), "{").unwrap();
    assert!(read().contains("\"gateway_problems\": null"), "the list cannot be read");
}
