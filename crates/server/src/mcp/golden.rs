//! What the server offers to each kind of caller.
#![allow(clippy::disallowed_methods, reason = "a test writes the workspace that it serves")]

use std::fmt::Write as _;
use std::fs;

use minds_toolset::{Caller, Clock, OfferedTool, ToolContext};

use super::instructions::instructions;
use super::prompts;
use super::resources::{ResourceView, TEMPLATES};
use super::server::Server;

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

/// Returns the instructions, tools, resources, templates and prompts for a caller.
fn offer(caller: Caller) -> String {
    let folder = tempfile::tempdir().expect("a directory can be created");
    let root = folder.path().join("workspace");
    for (path, text) in FILES {
        let path = root.join(path);
        fs::create_dir_all(path.parent().expect("a file has a directory"))
            .expect("a directory can be created");
        fs::write(path, text).expect("a file can be written");
    }
    let context = ToolContext::open(&root, &folder.path().join("state"), Clock::At(0));
    let server = Server::new(context.expect("the workspace exists"), "demo", caller);
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
