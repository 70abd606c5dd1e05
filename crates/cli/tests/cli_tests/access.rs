//! `minds access`: exit codes, text, JSON, and JSON lines.

use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::Stdio;

use serde_json::Value;
use tempfile::TempDir;

use support::{command, exit_and_output, minds};

use crate::support;

const TEAM: &str = "\
member_defaults:
  no_write_dirs: [src/gen]
members:
  coder:
    write_dirs: [src]
    write_file_ext_names: [rs]
  writer:
    read_dirs: [docs, ../x]
";

fn folder(team: &str) -> TempDir {
    let folder = tempfile::tempdir().expect("a folder can be made");
    // Stops the search for a workspace in parent directories.
    fs::create_dir(folder.path().join(".git")).expect("a folder can be made");
    fs::create_dir(folder.path().join(".minds")).expect("a folder can be made");
    fs::write(folder.path().join(".minds/team.yaml"), team).expect("a file can be written");
    folder
}

/// Runs the command with input on stdin.
fn run_with_input(directory: &Path, args: &[&str], input: &[u8]) -> (i32, String, String) {
    let mut child = command(directory, args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command starts");
    let mut stdin = child.stdin.take().unwrap();
    let input = input.to_vec();
    let writer = std::thread::spawn(move || {
        // The command may end before it has read everything.
        let _ = stdin.write_all(&input);
    });
    let output = child.wait_with_output().expect("the command ends");
    writer.join().expect("the writer ends");
    exit_and_output(&output)
}

fn ask(directory: &Path, what: &str, member: &str, op: &str, paths: &[&str]) -> (i32, String, String) {
    minds(directory, &[&["access", what, "--member", member, "--op", op], paths].concat())
}

fn json(text: &str) -> Value {
    assert_eq!(text.matches('\n').count(), 1, "one document on one line: {text}");
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

#[test]
fn check_prints_the_decision_and_its_entry_for_each_path() {
    let folder = folder(TEAM);
    let paths = ["src/a.rs", "src/gen/b.rs", "src/c.md", "docs", "../x", "a\\b", ".minds/x", ""];
    let (code, out, err) = ask(folder.path(), "check", "coder", "write", &paths);
    assert_eq!(code, 1);
    insta::assert_snapshot!(out);
    assert_eq!(
        err,
        "minds: `.minds/team.yaml` has an error; lists that cannot be read deny access; see `minds check`\n"
    );
}

#[test]
fn check_exits_with_0_if_all_is_allowed_1_if_not_and_2_for_an_unknown_member() {
    let folder = folder("members: {coder: {write_dirs: [src]}}\n");
    let code = |member: &str, paths: &[&str]| ask(folder.path(), "check", member, "write", paths);
    assert_eq!(code("coder", &["src", "src/./a"]).0, 0);
    assert_eq!(code("coder", &["src", "docs", "src/a"]).0, 1);
    let (exit, out, err) = code("codr", &["src"]);
    assert_eq!((exit, out.as_str()), (2, ""));
    assert_eq!(err, "error[unknown-member]: the team has no member `codr`; did you mean `coder`?\n");
    assert_eq!(code("coder", &[]).0, 2);
    assert_eq!(ask(folder.path(), "check", "coder", "touch", &["src"]).0, 2);
}

#[test]
fn without_a_team_file_no_member_exists() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join(".git")).unwrap();
    let (code, out, err) = ask(folder.path(), "check", "pangu", "read", &["a"]);
    assert_eq!((code, out.as_str()), (2, ""));
    assert_eq!(
        err,
        "error[no-team]: there is no `.minds/team.yaml` at or above `.`, so the team has no members; `minds init` writes one\n"
    );
    fs::create_dir(folder.path().join(".minds")).unwrap();
    let (code, out, _) = minds(folder.path(), &["access", "matrix", "--member", "coder", "--format", "json"]);
    assert_eq!((code, json(&out)["error"]["kind"].as_str()), (2, Some("no-team")));
    let (code, out, err) = minds(folder.path(), &["access", "matrix", "--format", "json"]);
    assert_eq!((code, json(&out)["members"].as_array().map(Vec::len), err.as_str()), (0, Some(0), ""));
}

#[test]
fn paths_are_relative_to_the_workspace_in_every_directory() {
    let folder = folder("members: {coder: {write_dirs: [src]}}\n");
    let below = folder.path().join("src/deep");
    fs::create_dir_all(&below).unwrap();
    assert_eq!(ask(&below, "check", "coder", "write", &["src/a"]).0, 0);
    assert_eq!(ask(&below, "check", "coder", "write", &["a"]).0, 1);
}

#[test]
fn an_unreadable_team_file_denies_all_access() {
    for team in ["members: [", "5", "members: []\n", "members: {a: {}}\n---\nx: 1\n"] {
        let folder = folder(team);
        for member in ["a", "unknown", "fuxi"] {
            for op in ["read", "write"] {
                let (code, out, err) = ask(folder.path(), "check", member, op, &["src"]);
                assert_eq!(code, 1, "{team}: {out}");
                assert!(out.starts_with("denied   src  cannot be read"), "{team}: {out}");
                assert!(err.contains("see `minds check`"), "{team}: {err}");
            }
        }
        let (code, out, _) = ask(folder.path(), "explain", "a", "read", &["src"]);
        assert_eq!(code, 1);
        assert!(out.contains("nothing: the entries of the member cannot be read"), "{out}");
    }
}

#[test]
fn the_json_of_check() {
    let folder = folder(TEAM);
    let args = ["--format", "json", "src/a.rs", "./src/gen//b", "../x", "docs"];
    let (code, out, _) = ask(folder.path(), "check", "coder", "write", &args);
    assert_eq!(code, 1);
    insta::assert_snapshot!(serde_json::to_string_pretty(&json(&out)).unwrap());
}

#[test]
fn check_reads_paths_from_standard_input() {
    let folder = folder(TEAM);
    let args = ["access", "check", "--member", "coder", "--op", "write", "-"];
    let (code, out, _) = run_with_input(folder.path(), &args, b"src/a.rs\r\n\nsrc/b.rs");
    assert_eq!(code, 0);
    let place = "by `src` in write_dirs (.minds/team.yaml:5:18)";
    assert_eq!(out, format!("allowed  {:40}  {place}\nallowed  {:40}  {place}\n", "src/a.rs", "src/b.rs"));
    let (code, out, _) = run_with_input(folder.path(), &args, b"src/a.rs\n\xff\nsrc/b.rs\n");
    assert_eq!((code, out.lines().count()), (1, 3), "{out}");
    let json_args = [&args[..6], &["--format", "json", "-"]].concat();
    let (code, out, _) = run_with_input(folder.path(), &json_args, b"src/a.rs\ndocs\n");
    let document = json(&out);
    assert_eq!((code, document["paths"].as_array().unwrap().len()), (1, 2));
    assert_eq!(document["summary"], serde_json::json!({"allowed": 1, "denied": 1}));
    let (code, out, _) = run_with_input(folder.path(), &json_args, b"");
    assert_eq!((code, json(&out)["paths"].as_array().unwrap().len()), (0, 0));
}

#[test]
fn explain_names_the_entry_and_what_would_change_the_decision() {
    let folder = folder(TEAM);
    let mut all = String::new();
    for (member, op, path, code) in [
        ("coder", "write", "./src/gen/api.md", 1),
        ("coder", "write", "src/a.rs", 0),
        ("coder", "read", "README.md", 0),
        ("writer", "read", "docs/a.md", 1),
        ("writer", "write", "x.tsk/goals.md", 1),
        ("writer", "write", ".minds/team.yaml", 1),
        ("pangu", "read", ".minds/team.yaml", 1),
        ("writer", "write", "/etc/passwd", 1),
    ] {
        let (exit, out, _) = ask(folder.path(), "explain", member, op, &[path]);
        assert_eq!(exit, code, "{out}");
        all.push_str(&out);
        all.push('\n');
    }
    insta::assert_snapshot!(all);
}

#[test]
fn the_json_of_explain() {
    let folder = folder(TEAM);
    let (code, out, _) =
        ask(folder.path(), "explain", "coder", "write", &["src/gen/a.md", "--format", "json"]);
    assert_eq!(code, 1);
    insta::assert_snapshot!(serde_json::to_string_pretty(&json(&out)).unwrap());
}

#[test]
fn the_matrix_for_people_and_for_programs() {
    let folder = folder(TEAM);
    let (code, out, _) = minds(folder.path(), &["access", "matrix"]);
    assert_eq!(code, 0);
    insta::assert_snapshot!(out);
    let (code, out, _) = minds(folder.path(), &["access", "matrix", "--format", "json"]);
    let document = json(&out);
    assert_eq!((code, &document["version"]), (0, &Value::from(1)));
    assert_eq!(document["members"], serde_json::json!(["coder", "writer", "fuxi", "pangu"]));
    let directories = document["directories"].as_array().unwrap();
    let names: Vec<&str> = directories.iter().map(|row| row["directory"].as_str().unwrap()).collect();
    assert_eq!(names, [".", ".minds", "docs", "src", "src/gen"]);
    let right = |allowed, partial, reason| serde_json::json!({"allowed": allowed, "partial": partial, "reason": reason});
    let expected = serde_json::json!({
        "member": "coder",
        "read": right(true, false, "allowed-by-default"),
        "write": right(true, true, "allowed"),
    });
    assert_eq!(directories[3]["members"][0], expected);
}

#[test]
fn many_members_come_in_several_tables() {
    let members: Vec<String> = (0..40).map(|at| format!("  member-{at}: {{}}\n")).collect();
    let folder = folder(&format!("members:\n{}", members.concat()));
    let (_, out, _) = minds(folder.path(), &["access", "matrix"]);
    assert!(out.lines().all(|line| line.chars().count() <= 100), "{out}");
    for at in 0..40 {
        assert_eq!(
            out.matches(&format!("member-{at} ")).count() + out.matches(&format!("member-{at}\n")).count(),
            1
        );
    }
}

#[test]
fn keys_in_lists_are_not_shown() {
    let token = ["ghp_", "16C7e42F292c6912E7710c838347Ae178B4a"].concat();
    let folder = folder(&format!("members: {{coder: {{no_read_dirs: ['{token}']}}}}\n"));
    for args in [
        &["access", "check", "--member", "coder", "--op", "read"][..],
        &["access", "explain", "--member", "coder", "--op", "read"],
        &["access", "check", "--format", "json", "--member", "coder", "--op", "read"],
        &["access", "explain", "--format", "json", "--member", "coder", "--op", "read"],
        &["access", "matrix"],
        &["access", "matrix", "--format", "json"],
    ] {
        let input = format!("{token}/x\n");
        // The caller knows the path; only the entry must not be shown.
        let path = if args.contains(&"check") {
            vec!["-"]
        } else if args.contains(&"explain") {
            vec!["a"]
        } else {
            vec![]
        };
        let (_, out, err) = run_with_input(folder.path(), &[args, &path].concat(), input.as_bytes());
        let shown = out.replacen(&format!("{token}/x"), "", 2);
        assert!(!shown.contains(&token) && !err.contains(&token), "{args:?}: {out}{err}");
    }
}

#[test]
fn decide_answers_each_line_while_the_next_is_still_to_come() {
    let folder = tempfile::tempdir().unwrap();
    let mut child = command(folder.path(), &["access", "decide"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the command starts");
    let mut stdin = child.stdin.take().unwrap();
    let mut stdout = BufReader::new(child.stdout.take().unwrap());
    for (line, expected) in [
        ("{\"dirs\":{\"read_dirs\":[\"src\"]}}", "{\"policy\":\"ok\",\"problems\":[]}\n"),
        (
            "{\"op\":\"read\",\"path\":\"src\"}",
            "{\"allowed\":true,\"reason\":\"allowed\",\"pattern\":\"src\"}\n",
        ),
    ] {
        writeln!(stdin, "{line}").unwrap();
        let mut answer = String::new();
        stdout.read_line(&mut answer).unwrap();
        assert_eq!(answer, expected);
    }
    drop(stdin);
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

#[test]
fn decide_exits_with_0_for_all_lines() {
    let folder = tempfile::tempdir().unwrap();
    let long = "x".repeat(16 * 1024 * 1024 + 1);
    let input =
        [b"no json\n\n  \n\xff\n".as_slice(), long.as_bytes(), b"\n{\"pattern\":\"a\",\"path\":\"a\"}"]
            .concat();
    let (code, out, err) = run_with_input(folder.path(), &["access", "decide"], &input);
    let answers: Vec<Value> = out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let errors: Vec<Option<&str>> = answers.iter().map(|answer| answer["error"].as_str()).collect();
    assert_eq!((code, err.as_str()), (0, ""));
    assert_eq!(errors, [Some("invalid-line"), Some("invalid-line"), Some("invalid-line"), None]);
    assert_eq!(answers[3]["match"], true);
}

#[test]
fn decide_ends_quietly_when_stdout_is_closed() {
    let folder = tempfile::tempdir().unwrap();
    let mut child = command(folder.path(), &["access", "decide"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command starts");
    drop(child.stdout.take());
    let mut stdin = child.stdin.take().unwrap();
    // The command ends by itself, so that this pipe is closed as well.
    while stdin.write_all(&b"{\"pattern\":\"a\",\"path\":\"a\"}\n".repeat(1_000)).is_ok() {}
    let (code, _, err) = exit_and_output(&child.wait_with_output().unwrap());
    assert_eq!((code, err.as_str()), (0, ""));
}

#[cfg(unix)]
#[test]
fn decide_exits_with_2_if_there_is_nothing_to_read_from() {
    let folder = tempfile::tempdir().unwrap();
    let directory = fs::File::open(folder.path()).unwrap();
    let mut command = command(folder.path(), &["access", "decide"]);
    let (code, out, err) = exit_and_output(&command.stdin(directory).output().unwrap());
    assert_eq!((code, out.as_str()), (2, ""));
    assert!(err.starts_with("error[system]: cannot read `stdin`"), "{err}");
}

#[test]
fn lint_reports_entries_that_are_not_what_they_seem_and_nothing_else() {
    let findings = |team: &str| {
        let folder = folder(team);
        let (code, out, err) = minds(folder.path(), &["access", "lint", "--format", "json"]);
        assert_eq!(err, "", "{team}");
        let document: Value = serde_json::from_str(&out).expect("it is JSON");
        assert_eq!(
            (document["version"].as_u64(), document["files"][0].as_str()),
            (Some(1), Some(".minds/team.yaml"))
        );
        let findings = document["diagnostics"].as_array().expect("there is a list").clone();
        let text = |found: &Value| {
            let start = &found["range"]["start"];
            format!("{}:{} {}", start["line"], start["column"], found["code"].as_str().unwrap_or_default())
        };
        (code, findings.iter().map(text).collect::<Vec<_>>())
    };
    let team = |lists: &str| format!("default_responder: unknown\nmembers:\n  coder:\n{lists}");
    assert_eq!(findings(&team("    write_dirs: [src, docs]\n")), (0, vec![]));
    assert_eq!(
        findings(&team("    write_dirs: [src, src/a, docs]\n    no_write_dirs: [docs]\n")),
        (1, vec!["4:23 access/shadowed-entry".to_owned(), "4:30 access/contradictory-entry".to_owned()])
    );
    // Nothing else is checked by this test.
    assert_eq!(
        findings(&team("    read_dirs: [src]\n    no_read_dirs: [secrets]\n")),
        (0, vec!["5:20 access/moot-entry".to_owned()])
    );
    assert_eq!(
        findings(&team("    read_dirs: ['**']\n    no_read_dirs: [Src, src, '**/*.tsk', ../x]\n")),
        (
            1,
            vec![
                "4:17 access/whole-workspace".to_owned(),
                "5:25 access/confusable-entry".to_owned(),
                "5:42 access/invalid-pattern".to_owned(),
            ]
        )
    );
}

#[test]
fn without_a_team_there_is_nothing_to_lint() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join(".git")).unwrap();
    let (code, out, err) = minds(folder.path(), &["access", "lint"]);
    assert_eq!((code, out.as_str()), (0, ""));
    assert!(err.contains("no `.minds/team.yaml`"), "{err}");
}

#[test]
fn servers_to_which_access_lists_do_not_apply_are_named() {
    let team = "members:\n  coder: {toolsets: [files, web, ws_read], write_dirs: [src]}\n  writer: {toolsets: [ws_read]}\n";
    let folder = folder(team);
    let servers = "version: 1\nservers:\n  web: {transport: stdio, command: a}\n  files: {transport: stdio, command: b}\n  other: {transport: stdio, command: c}\n";
    fs::write(folder.path().join(".minds/mcp.yaml"), servers).expect("a file can be written");
    let explain = |member: &str, more: &[&str]| {
        let args = ["access", "explain", member, "write", "src/a.rs"];
        minds(folder.path(), &[&args[..], more].concat())
    };
    let (_, _, remarks) = explain("coder", &[]);
    assert!(
        remarks.contains(
            "access lists do not apply to tools of MCP servers, of which `coder` has `web`, `files`"
        )
    );
    assert!(explain("writer", &[]).2.is_empty());
    let (_, document, _) = explain("coder", &["--json"]);
    let document: Value = serde_json::from_str(&document).expect("the output is JSON");
    assert_eq!(document["mcp_servers"], serde_json::json!(["web", "files"]));
}
