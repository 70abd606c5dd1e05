//! `minds tool`, `minds files` and `minds problems`: the tools of agents on the command line.

use std::fs;
use std::io::Write as _;
use std::path::PathBuf;
use std::process::Stdio;

use serde_json::{Value, json};
use tempfile::TempDir;

use support::{command, exit_and_output};

mod editing;
use crate::support;
mod task_prompt;

/// A workspace, and its own state directory.
struct Place(TempDir);

const TEAM: &str = "\
member_defaults: {provider: codex, model: gpt-5.2, no_write_dirs: [.minds/**]}
members:
  coder: {toolsets: [ws_mod], write_dirs: [src]}
";

impl Place {
    fn new(team: &str) -> Self {
        let place = Self(tempfile::tempdir().expect("a folder can be made"));
        // Stops the search for a workspace in parent directories.
        fs::create_dir_all(place.root().join(".git")).expect("a folder can be made");
        place.write(".minds/team.yaml", team);
        place
    }

    fn root(&self) -> PathBuf {
        self.0.path().join("workspace")
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.root().join(path);
        fs::create_dir_all(path.parent().unwrap()).expect("a folder can be made");
        fs::write(path, text).expect("a file can be written");
    }

    fn read(&self, path: &str) -> String {
        fs::read_to_string(self.root().join(path)).expect("the file exists")
    }

    fn minds(&self, args: &[&str]) -> (i32, String, String) {
        self.run_with_input(args, b"")
    }

    /// Runs the command with input on stdin.
    fn run_with_input(&self, args: &[&str], input: &[u8]) -> (i32, String, String) {
        let mut child = command(&self.root(), args)
            .env("MINDS_HOME", self.0.path().join("home"))
            .env("USER", "alice")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the command starts");
        // The command may end before it has read everything.
        let _ = child.stdin.take().unwrap().write_all(input);
        exit_and_output(&child.wait_with_output().expect("the command ends"))
    }

    fn json(&self, args: &[&str]) -> (i32, Value) {
        let (code, out, err) = self.minds(args);
        assert_eq!(out.matches('\n').count(), 1, "one document on one line: {out}{err}");
        (code, serde_json::from_str(&out).unwrap_or_else(|error| panic!("{error}: {out}")))
    }
}

fn call<'a>(name: &'a str, args: &'a str) -> [&'a str; 5] {
    ["tool", "call", name, "--args", args]
}

#[test]
fn the_list_for_programs_has_all_of_each_tool() {
    let place = Place::new(TEAM);
    let (code, all) = place.json(&["tool", "list", "--format", "json"]);
    assert_eq!(code, 0);
    let tools = all["tools"].as_array().unwrap();
    assert!(tools.len() > 5);
    for tool in tools {
        let mut keys: Vec<&str> = tool.as_object().unwrap().keys().map(String::as_str).collect();
        keys.sort_unstable();
        assert_eq!(keys, ["annotations", "description", "inputSchema", "name", "outputSchema", "toolset"]);
        assert_eq!(tool["annotations"].as_object().unwrap().len(), 4, "{tool}");
    }
    let names = |toolset: &str| -> Vec<String> {
        let (_, tools) = place.json(&["tool", "list", "--toolset", toolset, "--format", "json"]);
        let tools = tools["tools"].as_array().unwrap().clone();
        tools
            .iter()
            .map(|tool| format!("{}/{}", tool["toolset"].as_str().unwrap(), tool["name"].as_str().unwrap()))
            .collect()
    };
    assert!(names("team-mgmt").contains(&"team-mgmt/team_mgmt_validate_team_cfg".to_owned()));
    assert_eq!(names("team_mgmt"), names("team-mgmt"));
    assert!(names("ws_mod").contains(&"ws_mod/read_file".to_owned()));
    assert!(names("ws_read").contains(&"ws_read/read_file".to_owned()));
    assert!(!names("ws_read").iter().any(|name| name.ends_with("create_new_file")));
    let (code, out, err) = place.minds(&["tool", "list", "--toolset", "team-mgt"]);
    assert_eq!((code, out.as_str()), (2, ""));
    assert_eq!(err, "error[usage]: no such toolset: `team-mgt`; did you mean `team-mgmt`?\n");
}

#[test]
fn the_list_for_people_fits_a_terminal() {
    let place = Place::new(TEAM);
    let (code, out, err) = place.minds(&["tool", "list"]);
    assert_eq!((code, err.as_str()), (0, ""));
    assert!(out.lines().all(|line| line.chars().count() <= 80), "{out}");
    assert!(out.starts_with("team-mgmt\n  team_mgmt_") && out.contains("\n\nws_read\n"), "{out}");
    assert!(!out.contains('\u{1b}'));
    assert!(place.minds(&["tool", "list", "--color", "always"]).1.contains('\u{1b}'));
}

#[test]
fn a_call_prints_one_document_and_exits_with_its_result() {
    let place = Place::new(TEAM);
    let create = call("create_new_file", "{\"path\":\"src/a.txt\",\"content\":\"one\\n\"}");
    let (code, answer) = place.json(&create);
    assert_eq!(
        (code, answer["status"].as_str(), answer["tool"].as_str()),
        (0, Some("ok"), Some("create_new_file"))
    );
    assert_eq!(place.read("src/a.txt"), "one\n");
    let (code, answer) = place.json(&create);
    assert_eq!(
        (code, answer["status"].as_str(), answer["code"].as_str()),
        (1, Some("error"), Some("FILE_EXISTS"))
    );
    let (code, answer) = place.json(&call("read_file", "{\"paht\":1}"));
    assert_eq!((code, answer["code"].as_str()), (2, Some("INVALID_ARGS")));
    assert_eq!(answer["details"]["problems"].as_array().unwrap().len(), 2);
    for args in ["[]", "5", "null", "\"x\""] {
        assert_eq!(place.json(&call("read_file", args)).1["code"], "INVALID_ARGS", "{args}");
    }
    let (code, answer) = place.json(&["tool", "call", "team_mgmt_validate_team_cfg"]);
    assert_eq!((code, answer["valid"].as_bool()), (0, Some(true)));
}

#[test]
fn an_invalid_call_exits_with_2() {
    let place = Place::new(TEAM);
    let (code, answer) = place.json(&call("read_fil", "{}"));
    assert_eq!((code, answer["error"]["kind"].as_str()), (2, Some("usage")));
    assert!(answer["error"]["message"].as_str().unwrap().contains("did you mean `read_file`?"), "{answer}");
    for args in ["", "{", "{}{}", "{path: 1}", "-x"] {
        let (code, answer) = place.json(&call("read_file", args));
        assert_eq!((code, answer["error"]["kind"].as_str()), (2, Some("usage")), "{args}");
    }
    let (code, _, _) = place.minds(&["-C", "nothing", "tool", "call", "read_file"]);
    assert_eq!(code, 2);
}

#[test]
fn arguments_can_come_from_stdin() {
    let place = Place::new(TEAM);
    let args = ["tool", "call", "create_new_file", "--args", "-"];
    let (code, out, err) = place.run_with_input(&args, b"{\"path\": \"src/b\", \"content\": \"two\"}");
    assert_eq!(code, 0, "{out}{err}");
    assert!(place.read("src/b").starts_with("two"));
    for input in [&b""[..], b"{", b"\xff"] {
        assert_eq!(place.run_with_input(&args, input).0, 2);
    }
}

#[test]
fn a_member_has_its_tools_and_its_paths() {
    let place = Place::new(TEAM);
    let code_of = |member: &str, name: &str, args: &str| {
        let (code, answer) = place.json(&[&call(name, args)[..], &["--as", member]].concat());
        assert_eq!(code != 0, answer["status"] == "error");
        answer["code"].as_str().unwrap_or("ok").to_owned()
    };
    assert_eq!(code_of("coder", "create_new_file", "{\"path\":\"src/a\"}"), "ok");
    assert_eq!(code_of("coder", "create_new_file", "{\"path\":\"docs/a\"}"), "ACCESS_DENIED");
    assert_eq!(
        code_of("coder", "team_mgmt_read_file", "{\"path\":\".minds/team.yaml\"}"),
        "TOOL_NOT_GRANTED"
    );
    assert_eq!(code_of("fuxi", "team_mgmt_read_file", "{\"path\":\".minds/team.yaml\"}"), "ok");
    assert_eq!(code_of("pangu", "team_mgmt_validate_team_cfg", "{}"), "TOOL_NOT_GRANTED");
    assert_eq!(code_of("codr", "read_file", "{\"path\":\"src/a\"}"), "UNKNOWN_MEMBER");
}

#[test]
fn files_are_created_and_read_with_the_tools_of_their_area() {
    let place = Place::new(TEAM);
    let tool = |args: &[&str]| {
        let (_, answer) = place.json(&[&["files"], args, &["--format", "json"]].concat());
        (answer["tool"].as_str().unwrap().to_owned(), answer["status"].as_str().unwrap().to_owned())
    };
    let ok = |name: &str| (name.to_owned(), "ok".to_owned());
    assert_eq!(
        tool(&["create", ".minds/team/coder/persona.md", "- short\n"]),
        ok("team_mgmt_create_new_file")
    );
    assert_eq!(place.read(".minds/team/coder/persona.md"), "- short\n");
    assert_eq!(tool(&["create", "notes.md", "-x\n"]), ok("create_new_file"));
    assert_eq!(tool(&["read", "./.minds/../.minds/team.yaml"]), ok("team_mgmt_read_file"));
    assert_eq!(tool(&["read", "notes.md"]), ok("read_file"));
    let (code, out, err) = place.minds(&["files", "read", ".minds/team.yaml"]);
    assert_eq!((code, out.as_str(), err.as_str()), (0, TEAM, ""));
    let (code, out, _) = place.run_with_input(&["files", "create", "piped", "-"], b"from\nelsewhere\n");
    assert_eq!(code, 0, "{out}");
    assert_eq!(place.read("piped"), "from\nelsewhere\n");
    assert_eq!(place.run_with_input(&["files", "create", "other", "-"], b"\xff").0, 2);
}

#[test]
fn file_paths_are_relative_to_the_workspace_in_every_directory() {
    let place = Place::new(TEAM);
    fs::create_dir_all(place.root().join("src/deep")).unwrap();
    assert_eq!(place.minds(&["-C", "src/deep", "files", "create", "src/a", "x\n"]).0, 0);
    assert_eq!(place.read("src/a"), "x\n");
}

#[test]
fn a_refusal_is_reported_on_stderr_with_a_help() {
    let place = Place::new(TEAM);
    let (code, out, err) = place.minds(&["files", "read", "nothing"]);
    assert_eq!((code, out.as_str()), (2, ""));
    let lines: Vec<&str> = err.lines().collect();
    assert_eq!(lines.len(), 2, "{err}");
    assert!(lines[0].starts_with("error[FILE_NOT_FOUND]: `nothing`"), "{err}");
    assert!(lines[1].starts_with("help: "), "{err}");
    let (code, answer) = place.json(&["files", "read", "nothing", "--format", "json"]);
    assert_eq!((code, answer["code"].as_str()), (2, Some("FILE_NOT_FOUND")));
    let (code, _, err) = place.minds(&["files", "create", "docs/a", "--as", "coder"]);
    assert_eq!(code, 1);
    assert!(err.starts_with("error[ACCESS_DENIED]: "), "{err}");
    let (code, _, err) = place.minds(&["files", "read", "a\u{1b}[2J"]);
    assert_eq!(code, 1);
    assert!(!err.contains('\u{1b}'), "{err}");
    assert_eq!(place.minds(&["files", "read"]).0, 2);
    assert_eq!(place.minds(&["files"]).0, 2);
}

#[test]
fn problems_are_listed_until_resolved_and_remembered_afterwards() {
    let place =
        Place::new("member_defaults: {provider: codex, model: gpt-5.2}\nmembers: {a: {toolset: []}}\n");
    assert_eq!(place.json(&["problems", "--format", "json"]), (0, json!({"version": 1, "problems": []})));
    let (code, answer) = place.json(&["tool", "call", "team_mgmt_validate_team_cfg"]);
    assert_eq!((code, answer["valid"].as_bool()), (0, Some(false)));
    let (code, out, err) = place.minds(&["problems"]);
    assert_eq!(code, 0);
    let expected = ".minds/team.yaml:2:15: error[schema/unknown-key]: unknown key `toolset` (since ";
    assert!(out.starts_with(expected) && out.matches('\n').count() == 1, "{out}");
    assert_eq!(err, "minds: 1 problem, 0 resolved\n");
    let (_, document) = place.json(&["problems", "--format", "json"]);
    let problem = &document["problems"][0];
    assert_eq!((problem["resolved"].as_bool(), &problem["resolved_at"]), (Some(false), &Value::Null));
    place.write(".minds/team.yaml", "member_defaults: {provider: codex, model: gpt-5.2}\nmembers: {a: {}}\n");
    place.json(&["tool", "call", "team_mgmt_validate_team_cfg"]);
    let (_, document) = place.json(&["problems", "--format", "json"]);
    let problem = &document["problems"][0];
    assert_eq!(problem["resolved"], true);
    let time = problem["resolved_at"].as_str().unwrap();
    assert!(time.len() == 24 && time.ends_with('Z'), "{time}");
    let mut keys: Vec<&str> = problem.as_object().unwrap().keys().map(String::as_str).collect();
    keys.sort_unstable();
    let expected = [
        "code",
        "file",
        "first_seen",
        "help",
        "id",
        "message",
        "range",
        "resolved",
        "resolved_at",
        "severity",
        "source",
    ];
    assert_eq!(keys, expected);
    assert_eq!(place.minds(&["problems"]).1, "");
    let (_, out, err) = place.minds(&["problems", "--all"]);
    assert!(out.contains(&format!("unknown key `toolset` (resolved {time})")), "{out}");
    assert_eq!(err, "minds: 0 problems, 1 resolved\n");
}

#[test]
fn a_damaged_list_of_problems_is_reported() {
    let place = Place::new(TEAM);
    place.json(&["tool", "call", "team_mgmt_validate_team_cfg"]);
    let state = fs::read_dir(place.0.path().join("home/state"))
        .map(|folders| folders.flatten().next().unwrap().path());
    fs::write(state.unwrap().join("problems.json"), "{").unwrap();
    let (code, out, err) = place.minds(&["problems"]);
    assert_eq!((code, out.as_str()), (2, ""));
    assert!(err.starts_with("error[problems]: the list of problems is damaged: "), "{err}");
    let (code, document) = place.json(&["problems", "--format", "json"]);
    assert_eq!((code, document["error"]["kind"].as_str()), (2, Some("problems")));
    let (_, answer) = place.json(&["tool", "call", "team_mgmt_validate_team_cfg"]);
    assert_eq!(answer["set_aside"], "problems.damaged-1.json");
    assert_eq!(place.minds(&["problems"]).0, 0);
}

#[test]
fn a_directory_is_listed_with_sizes() {
    let place = Place::new(TEAM);
    place.write("docs/a.md", "12345");
    place.write("docs/sub/b.md", "");
    let (code, out, err) = place.minds(&["files", "ls", "docs"]);
    assert_eq!((code, err.as_str()), (0, ""));
    let lines: Vec<&str> = out.lines().collect();
    assert_eq!(lines.len(), 2, "{out}");
    assert!(lines[0].starts_with("a.md") && lines[0].ends_with(" 5 bytes"), "{out}");
    assert_eq!(lines[1], "sub/");
    assert!(place.minds(&["files", "ls"]).1.contains("docs/"));
    let (_, answer) = place.json(&["files", "ls", ".minds", "--format", "json"]);
    assert_eq!(answer["tool"], "team_mgmt_list_dir");
}

#[test]
fn a_file_is_overwritten_in_its_current_version() {
    let place = Place::new(TEAM);
    place.write("notes.md", "old\n");
    assert_eq!(place.run_with_input(&["files", "write", "notes.md", "-"], b"new\n").0, 0);
    assert_eq!(place.read("notes.md"), "new\n");
    let hash = format!("sha256:{}", "0".repeat(64));
    let (code, _, err) = place.minds(&["files", "write", "notes.md", "newer\n", "--sha256", &hash]);
    assert_eq!(code, 1);
    assert!(err.starts_with("error[STATS_MISMATCH]: ") || err.starts_with("error[HASH_MISMATCH]: "), "{err}");
    assert_eq!(place.read("notes.md"), "new\n");
    let (code, _, err) = place.minds(&["files", "write", "nothing", "x"]);
    assert_eq!(code, 2);
    assert!(err.starts_with("error[FILE_NOT_FOUND]: "), "{err}");
    assert_eq!(place.minds(&["files", "write", ".minds/team.yaml", TEAM, "--as", "fuxi"]).0, 0);
    assert_eq!(place.minds(&["files", "write", ".minds/team.yaml", TEAM, "--as", "coder"]).0, 1);
}

#[test]
fn files_and_directories_are_created_moved_and_removed() {
    let place = Place::new(TEAM);
    assert_eq!(place.minds(&["files", "mkdir", "a/b/c"]).0, 0);
    assert_eq!(place.minds(&["files", "mkdir", "x/y", "--no-parents"]).0, 2);
    place.write("a/f", "1");
    assert_eq!(place.minds(&["files", "mv", "a/f", "a/g"]).0, 0);
    assert_eq!(place.minds(&["files", "mv", "a", "z"]).0, 0);
    assert_eq!(place.read("z/g"), "1");
    assert_eq!(place.minds(&["files", "mv", "z", ".minds"]).0, 1);
    assert_eq!(place.minds(&["files", "rm", "z"]).0, 1);
    assert_eq!(place.minds(&["files", "rm", "z/g"]).0, 0);
    assert_eq!(place.minds(&["files", "rm", "z/b/c"]).0, 0);
    assert_eq!(place.minds(&["files", "rm", "-r", "z"]).0, 0);
    assert!(!place.root().join("z").exists());
    assert_eq!(place.minds(&["files", "rm", "-r", ".minds"]).0, 1);
    assert_eq!(place.minds(&["files", "rm", ".minds/team.yaml"]).0, 0);
}

#[test]
fn lines_are_found_with_their_places() {
    let place = Place::new(TEAM);
    place.write("src/a.rs", "one\n\ttwo\n");
    let (code, out, _) = place.minds(&["files", "search", "TWO", "src", "--ignore-case", "--glob", "*.rs"]);
    assert_eq!((code, out.as_str()), (0, "src/a.rs:2: \ttwo\n"));
    assert_eq!(place.minds(&["files", "search", "TWO", "src"]).1, "");
}
