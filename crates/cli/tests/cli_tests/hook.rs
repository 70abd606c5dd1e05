//! `minds hook`: members, links, and input that cannot be read.

use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::Stdio;

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::{command, exit_and_output, minds};

const TEAM: &str = "\
member_defaults:
  no_read_dirs: [secret]
members:
  coder:
    write_dirs: [src]
    no_write_dirs: [src/gen]
    toolsets: [ws_read, ws_mod, os, stocks]
  writer:
    write_dirs: [docs]
";

const CLIENTS: [&str; 6] = ["claude-code", "codex", "gemini", "cursor", "opencode", "copilot"];

fn folder(team: &str) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for directory in [".git", ".minds", "src/deep", "secret", "tasks/a.tsk"] {
        fs::create_dir_all(folder.path().join(directory)).unwrap();
    }
    fs::write(folder.path().join(".minds/team.yaml"), team).unwrap();
    fs::write(folder.path().join(".minds/mcp.yaml"), "servers:\n  stocks:\n    command: stocks\n").unwrap();
    folder
}

fn hook(directory: &Path, args: &[&str], input: &[u8]) -> (i32, String, String) {
    let mut child = command(directory, &[&["hook"], args].concat())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // The command may end before it has read everything.
    let _ = child.stdin.take().unwrap().write_all(input);
    exit_and_output(&child.wait_with_output().unwrap())
}

fn event(directory: &Path, agent: Option<&str>, tool: &str, input: &Value) -> Vec<u8> {
    let mut event = json!({
        "hook_event_name": "PreToolUse", "cwd": directory, "tool_name": tool, "tool_input": input,
    });
    if let Some(agent) = agent {
        event["agent_type"] = agent.into();
    }
    event.to_string().into_bytes()
}

/// Returns whether a write in Claude Code is denied; otherwise there is no decision.
#[track_caller]
fn is_denied(folder: &TempDir, args: &[&str], agent: Option<&str>, path: &str) -> bool {
    let input = event(folder.path(), agent, "Write", &json!({ "file_path": path }));
    let args = [&["claude-code"], args].concat();
    match hook(folder.path(), &args, &input) {
        (0, out, err) if out == "{}\n" && err.is_empty() => false,
        (2, out, err) if out.is_empty() && err.starts_with("minds: ") => true,
        other => panic!("{path}: {other:?}"),
    }
}

#[test]
fn the_member_is_that_of_the_event_otherwise_the_given_one_otherwise_every_one() {
    let folder = folder(TEAM);
    let member = ["--member", "coder"];
    assert!(!is_denied(&folder, &member, None, "src/a"));
    assert!(is_denied(&folder, &member, None, "docs/a"));
    assert!(!is_denied(&folder, &member, Some("writer"), "docs/a"));
    assert!(is_denied(&folder, &member, Some("writer"), "src/a"));
    // An agent that is not a member.
    assert!(!is_denied(&folder, &member, Some("general-purpose"), "src/a"));
    assert!(is_denied(&folder, &[], Some("general-purpose"), "src/a"));
    assert!(is_denied(&folder, &[], None, "src/a") && is_denied(&folder, &[], None, "docs/a"));
    assert!(is_denied(&folder, &["--member", "unknown"], None, "src/a"));
}

#[test]
fn a_denial_names_the_list_and_the_entry() {
    let folder = folder(TEAM);
    let input = event(folder.path(), None, "Write", &json!({ "file_path": "src/gen/a" }));
    let (code, _, err) = hook(folder.path(), &["claude-code", "--member", "coder"], &input);
    assert_eq!(code, 2);
    assert_eq!(
        err,
        "minds: `coder` may not write `src/gen/a`: denied by `src/gen` of no_write_dirs (.minds/team.yaml:6:21)\n"
    );
}

#[test]
fn links_and_the_working_directory_are_followed() {
    let folder = folder(TEAM);
    std::os::unix::fs::symlink("../secret", folder.path().join("src/link")).unwrap();
    std::os::unix::fs::symlink("../docs/new", folder.path().join("src/dangling")).unwrap();
    std::os::unix::fs::symlink("/", folder.path().join("src/top")).unwrap();
    let member = ["--member", "coder"];
    for path in [
        "src/link/a",
        "src/dangling",
        "src/top/tmp/x",
        "src/link/../a",
        "../src/../x",
        "src/../.minds/team.yaml",
    ] {
        assert!(is_denied(&folder, &member, None, path), "{path}");
    }
    let absolute = folder.path().join("src/deep/../a");
    assert!(!is_denied(&folder, &member, None, absolute.to_str().unwrap()));
    let below = folder.path().join("src/deep");
    let run = |path: &str| {
        let input = event(&below, None, "Write", &json!({ "file_path": path }));
        hook(&below, &["claude-code", "--member", "coder"], &input).0
    };
    assert_eq!((run("a"), run("../a"), run("../../a"), run("../gen/a")), (0, 0, 2, 2));
}

/// A member has no more tools in a client than in the team; without any word about tools, only the lists count.
#[test]
fn tools_that_a_member_does_not_have_are_denied() {
    let members = "  reader:\n    toolsets: [ws_read]\n  arranger:\n    tools: [mk_dir, rm_file]\n";
    let folder = folder(&format!("{TEAM}{members}"));
    let run = |tool: &str, member: &str, input: &Value| {
        let input = event(folder.path(), Some(member), tool, input);
        let (code, _, err) = hook(folder.path(), &["claude-code"], &input);
        (code, err)
    };
    let write = json!({ "file_path": "docs/a", "content": "" });
    let (code, err) = run("Write", "reader", &write);
    assert!(code == 2 && err.contains("`reader` has no tool that changes or creates files"), "{err}");
    assert_eq!(run("Read", "reader", &json!({ "file_path": "docs/a" })).0, 0);
    let (code, err) = run("Bash", "reader", &json!({ "command": "make" }));
    assert!(code == 2 && err.contains("`reader` has no toolset with a shell"), "{err}");
    assert_eq!(run("Bash", "reader", &json!({ "command": "cat docs/a" })).0, 0);
    assert_eq!(run("Write", "writer", &write).0, 0);
    for tool in ["Write", "Read"] {
        let (code, err) = run(tool, "arranger", &write);
        assert!(code == 2 && err.contains("`arranger` has no tool that"), "{tool}: {err}");
    }
}

#[test]
fn servers_and_packages_are_those_of_the_workspace() {
    let folder = folder(TEAM);
    let run = |tool: &str, member: &str, input: &Value| {
        let input = event(folder.path(), None, tool, input);
        hook(folder.path(), &["claude-code", "--member", member], &input)
    };
    assert_eq!(run("mcp__stocks__get", "coder", &json!({})).0, 0);
    assert_eq!(run("mcp__stocks__get", "writer", &json!({})).0, 2);
    let (code, out, _) = run("Grep", "coder", &json!({ "pattern": "x", "path": "tasks" }));
    assert!(code == 0 && out.contains("\"ask\"") && out.contains("tasks/a.tsk"), "{out}");
    let (code, _, err) = run("Grep", "coder", &json!({ "pattern": "x" }));
    assert!(code == 2 && err.contains("`secret` of no_read_dirs"), "{err}");
}

#[test]
fn every_client_denies_what_cannot_be_read() {
    let valid = folder(TEAM);
    let broken = folder("members: [");
    let empty = tempfile::tempdir().unwrap();
    fs::create_dir(empty.path().join(".git")).unwrap();
    let write = |client: &str, directory: &Path| match client {
        "cursor" => json!({ "hook_event_name": "preToolUse", "cwd": directory, "tool_name": "Write",
            "tool_input": { "file_path": "src/a" } }),
        "opencode" => {
            json!({ "hook_event_name": "tool.execute.before", "directory": directory, "tool": "write",
            "args": { "filePath": "src/a" } })
        }
        "copilot" => json!({ "cwd": directory, "toolName": "create", "toolArgs": "{\"path\":\"src/a\"}" }),
        "codex" => json!({ "hook_event_name": "PreToolUse", "cwd": directory, "tool_name": "apply_patch",
            "tool_input": { "command": "*** Add File: src/a\n+x" } }),
        "gemini" => json!({ "hook_event_name": "BeforeTool", "cwd": directory, "tool_name": "write_file",
            "tool_input": { "file_path": "src/a" } }),
        _ => json!({ "hook_event_name": "PreToolUse", "cwd": directory, "tool_name": "Write",
            "tool_input": { "file_path": "src/a" } }),
    };
    let is_denial = |(code, out, _): &(i32, String, String)| *code == 2 || out.contains("\"deny\"");
    for client in CLIENTS {
        let run = |directory: &Path, input: &[u8]| hook(directory, &[client, "--member", "coder"], input);
        let event = |directory: &Path| write(client, directory).to_string().into_bytes();
        let allowed = run(valid.path(), &event(valid.path()));
        assert!(!is_denial(&allowed), "{client}: {allowed:?}");
        for input in [&b""[..], b"{", b"[]", b"\xff", b"null", b"{\"hook_event_name\":\"New\"}"] {
            assert!(is_denial(&run(valid.path(), input)), "{client}: {input:?}");
        }
        assert!(is_denial(&run(broken.path(), &event(broken.path()))), "{client}");
        assert!(is_denial(&run(empty.path(), &event(empty.path()))), "{client}");
    }
    assert_eq!(hook(valid.path(), &["claude-code"], &vec![b' '; (16 << 20) + 1]).0, 2);
    assert_eq!(hook(valid.path(), &["unknown"], b"").0, 2);
}

#[test]
fn access_queries_take_absolute_paths_in_the_workspace() {
    let folder = folder(TEAM);
    let path = |below: &str| folder.path().join(below).to_str().unwrap().to_owned();
    let check =
        |path: &str| minds(folder.path(), &["access", "check", "--member", "coder", "--op", "write", path]).0;
    assert_eq!(check(&path("src/a")), 0);
    assert_eq!(check(&path("src/deep/../a")), 0);
    assert_eq!(check(&path("src/gen/a")), 1);
    assert_eq!(check(&path("../x")), 1);
    assert_eq!(check(&format!("{}x/src/a", path("").trim_end_matches('/'))), 1);
    assert_eq!(check("/src/a"), 1);
    let (code, out, _) = minds(folder.path(), &["access", "explain", "coder", "write", &path("src/gen/a")]);
    assert!(code == 1 && out.contains("by `src/gen` in no_write_dirs"), "{out}");
}

#[test]
fn decisions_for_programs_know_members() {
    let folder = folder(TEAM);
    let input = "{\"op\":\"write\",\"path\":\"src/a\"}\n{\"op\":\"write\",\"path\":\"docs/a\"}\n";
    let run = |args: &[&str]| {
        let mut child = command(folder.path(), &[&["access", "decide"], args].concat())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
        exit_and_output(&child.wait_with_output().unwrap())
    };
    let (code, out, err) = run(&["--member", "coder"]);
    let expected = "{\"allowed\":true,\"reason\":\"allowed\",\"pattern\":\"src\"}\n\
                    {\"allowed\":false,\"reason\":\"not-in-allow-list\",\"pattern\":null}\n";
    assert_eq!((code, out.as_str(), err.as_str()), (0, expected, ""));
    assert_eq!(run(&["--member", "unknown"]).0, 2);
    assert!(run(&[]).1.contains("invalid-line"));
}
