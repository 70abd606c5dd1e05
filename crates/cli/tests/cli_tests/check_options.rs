//! `minds check` with `--env`, `--fix`, `--diff`, `--watch`, `--stdin-filename` and the formats of other programs.

use crate::support;

use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::process::Stdio;

use tempfile::TempDir;

use support::{command, exit_and_output, minds};

const FIXABLE: &str = "# The team.\nmember_defaults:\n  provider: codex\n  model: gpt-5.2\nmembers:\n  coder:\n    \
                        hidden: yes # for now\n    toolsets: ws_read\n";
const FIXED: &str = "# The team.\nmember_defaults:\n  provider: codex\n  model: gpt-5.2\nmembers:\n  coder:\n    \
                      hidden: true # for now\n    toolsets: [ws_read]\n";

fn folder(team: &str) -> TempDir {
    let folder = tempfile::tempdir().expect("a folder can be made");
    fs::create_dir_all(folder.path().join(".minds/team")).expect("a folder can be made");
    fs::create_dir(folder.path().join(".git")).expect("a folder can be made");
    fs::write(folder.path().join(".minds/team.yaml"), team).expect("a file can be written");
    folder
}

fn team(folder: &TempDir) -> String {
    fs::read_to_string(folder.path().join(".minds/team.yaml")).expect("the file exists")
}

#[test]
fn diff_shows_what_fix_would_change_and_writes_nothing() {
    let folder = folder(FIXABLE);
    let (code, stdout, stderr) = minds(folder.path(), &["check", "--diff"]);
    assert_eq!((code, stderr.as_str()), (1, "minds: --fix would fix 2 problems\n"));
    insta::assert_snapshot!(stdout);
    assert_eq!(team(&folder), FIXABLE);
}

#[test]
fn diffs_and_views_of_the_team_redact_secrets() {
    // Assembled here, so that secret scanners do not report it.
    let rest = "7h3Kq9Zr2mXw5Tb8Vn4Lp6Jd";
    let key = ["sk", "-", rest].concat();
    let before = FIXABLE
        .replace("# for now", &format!("# {key}"))
        .replace("hidden", &format!("name: {key}\n    hidden"));
    let folder = folder(&before);
    let (code, stdout, _) = minds(folder.path(), &["check", "--diff"]);
    assert_eq!(code, 1);
    assert!(stdout.contains("+    hidden: true # sk-***") && !stdout.contains(rest), "{stdout}");
    let (_, stdout, _) = minds(folder.path(), &["team", "show", "coder"]);
    assert!(stdout.contains("sk-***") && !stdout.contains(rest), "{stdout}");
    // The file is written with its own contents.
    minds(folder.path(), &["check", "--fix"]);
    assert_eq!(team(&folder), before.replace("yes", "true").replace(": ws_read", ": [ws_read]"));
}

#[test]
fn minds_files_are_checked_and_selected_like_other_files() {
    let folder = folder(FIXED);
    let persona = folder.path().join(".minds/team/coder/persona.md");
    for (path, text) in [
        ("coder/persona.md", b"You write code.\n".as_slice()),
        ("codr/lessons.md", b"caf\xe9"),
        ("coder/notes.md", b"\xff"),
    ] {
        let path = folder.path().join(".minds/team").join(path);
        fs::create_dir_all(path.parent().expect("it lies in a folder")).expect("a folder can be made");
        fs::write(path, text).expect("a file can be written");
    }
    let codes = |args: &[&str]| -> (Vec<String>, String) {
        let (_, stdout, stderr) = minds(folder.path(), &[&["check", "--format", "concise"], args].concat());
        let code = |line: &str| line.split(['[', ']']).nth(1).unwrap_or_default().to_owned();
        (stdout.lines().map(code).collect(), stderr)
    };
    let both = ["minds/unknown-member", "file/unreadable"];
    assert_eq!(codes(&[]).0, both);
    assert_eq!(codes(&[".minds/team/codr/lessons.md"]).0, both);
    assert_eq!(codes(&[".minds/team/coder/persona.md"]), (vec![], String::new()));
    assert!(codes(&[".minds/team/coder/notes.md"]).1.contains("not a file that minds can check"));
    // Unsaved text replaces the file, whether it exists or not.
    for name in [".minds/team/coder/persona.md", ".minds/team/coder/lessons.zh.md"] {
        let mut child = command(folder.path(), &["check", "--format", "concise", "--stdin-filename", name])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the command starts");
        child.stdin.take().expect("it reads").write_all(b"caf\xe9\n").expect("it reads");
        let (code, stdout, stderr) = exit_and_output(&child.wait_with_output().expect("it ends"));
        assert_eq!((code, stderr.as_str()), (1, ""));
        assert_eq!(
            stdout,
            format!(
                "{name}:1:4: error[file/unreadable]: `{name}` cannot be read: it is not valid UTF-8 (save the file as UTF-8)\n"
            )
        );
    }
    assert_eq!(fs::read(persona).expect("it exists"), b"You write code.\n");
}

#[test]
fn fix_applies_each_fix_once_and_keeps_comments() {
    let folder = folder(FIXABLE);
    let (code, stdout, stderr) = minds(folder.path(), &["check", "--fix"]);
    assert_eq!(code, 0, "{stdout}");
    assert_eq!(stdout, "checked 1 file: no problems\n");
    assert_eq!(stderr, "minds: fixed 2 problems in .minds/team.yaml\n");
    assert_eq!(team(&folder), FIXED);
    let again = minds(folder.path(), &["check", "--fix", "--format", "json"]);
    assert_eq!((again.0, again.2.as_str()), (0, ""));
    assert_eq!(team(&folder), FIXED);
    assert_eq!(minds(folder.path(), &["check", "--diff"]).0, 0);
}

#[test]
fn fix_leaves_other_files_and_other_mistakes() {
    let folder = folder(&FIXABLE.replace("coder:", "'a b':"));
    let other = minds(folder.path(), &["check", "--fix", ".minds/llm.yaml"]);
    assert_eq!(other.0, 2, "there is no such file");
    fs::write(folder.path().join(".minds/llm.yaml"), "providers: {}\n").expect("a file can be written");
    minds(folder.path(), &["check", "--fix", ".minds/llm.yaml"]);
    assert_eq!(team(&folder), FIXABLE.replace("coder:", "'a b':"));
    let (code, stdout, _) = minds(folder.path(), &["check", "--fix", "--format", "concise"]);
    assert_eq!(code, 1);
    assert!(stdout.contains("team/unsafe-id") && stdout.lines().count() == 1, "{stdout}");
    assert_eq!(team(&folder), FIXED.replace("coder:", "'a b':"));
}

#[test]
fn unsaved_text_can_be_checked() {
    let folder = folder(FIXABLE);
    let check = |name: &str, text: &str| {
        let mut child = command(folder.path(), &["check", "--format", "concise", "--stdin-filename", name])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the command starts");
        child.stdin.take().expect("it reads").write_all(text.as_bytes()).expect("it reads");
        exit_and_output(&child.wait_with_output().expect("it ends"))
    };
    // The text on stdin is checked, not the file.
    assert_eq!(check(".minds/team.yaml", FIXED), (0, String::new(), String::new()));
    let (code, stdout, _) = check(".minds/team.yaml", "members: [\n");
    assert_eq!(
        (code, stdout.as_str()),
        (1, ".minds/team.yaml:2:1: error[yaml/syntax]: `[` is not closed (add the closing bracket)\n")
    );
    // A file that does not exist yet.
    let (code, stdout, _) = check(".minds/llm.yaml", "providers: 5\n");
    assert_eq!(code, 1);
    assert!(stdout.starts_with(".minds/llm.yaml:1:12: error[schema/type]"), "{stdout}");
    let (code, stdout, stderr) = check("README.md", "anything");
    assert_eq!((code, stdout.as_str()), (0, ""));
    assert!(stderr.contains("not a file that minds can check"), "{stderr}");
    assert_eq!(check("nowhere/team.yaml", "").0, 2);
    assert_eq!(team(&folder), FIXABLE);
}

#[test]
fn formats_of_other_programs() {
    let folder = folder(FIXABLE);
    let (code, stdout, _) = minds(folder.path(), &["check", "--format", "github"]);
    assert_eq!(code, 1);
    assert!(
        stdout.starts_with(
            "::error file=.minds/team.yaml,line=7,endLine=7,col=13,endColumn=16,title=schema/type::"
        ),
        "{stdout}"
    );
    let (code, stdout, _) = minds(folder.path(), &["check", "--format", "sarif"]);
    assert_eq!(code, 1);
    let log: serde_json::Value = serde_json::from_str(&stdout).expect("one JSON document");
    let run = &log["runs"][0];
    let results = run["results"].as_array().expect("there are results");
    assert_eq!(results.len(), 2);
    for result in results {
        let index =
            usize::try_from(result["ruleIndex"].as_u64().expect("it has a rule")).expect("it is small");
        assert_eq!(run["tool"]["driver"]["rules"][index]["id"], result["ruleId"]);
    }
}

#[test]
fn watch_checks_again_when_a_file_changes() {
    let folder = folder(FIXABLE);
    let mut child = command(folder.path(), &["check", "--watch", "--format", "concise"])
        .stdout(Stdio::piped())
        .spawn()
        .expect("the command starts");
    let mut lines = BufReader::new(child.stdout.take().expect("it prints")).lines();
    let mut next = || lines.next().expect("it goes on").expect("it prints UTF-8");
    assert!(next().contains("`hidden` must be"));
    assert!(next().contains("`toolsets` must be"));
    // By a rename, as editors do, so that no reader sees half a file.
    let (draft, place) = (folder.path().join("draft"), folder.path().join(".minds/team.yaml"));
    fs::write(&draft, "members: 5\n").expect("a file can be written");
    fs::rename(draft, place).expect("a file can be moved");
    assert!(next().contains("`members` must be"));
    let (draft, place) = (folder.path().join("coder"), folder.path().join(".minds/team/coder"));
    fs::create_dir(&draft).expect("a folder can be made");
    fs::write(draft.join("persona.md"), b"caf\xe9").expect("a file can be written");
    fs::rename(draft, place).expect("a folder can be moved");
    assert!(next().contains("`members` must be"));
    assert!(next().contains("persona.md` cannot be read"));
    child.kill().expect("it can be stopped");
    child.wait().expect("it ends");
    assert_eq!(minds(folder.path(), &["check", "--watch", "--format", "json"]).0, 2);
}

#[test]
fn options_that_exclude_each_other() {
    let folder = folder(FIXABLE);
    for args in [
        &["check", "--fix", "--diff"][..],
        &["check", "--fix", "--watch"],
        &["check", "--diff", "--format", "sarif"],
        &["check", "--stdin-filename", "x", "y"],
        &["check", "--stdin-filename", "x", "--fix"],
        &["check", "--env", "--fix"],
    ] {
        assert_eq!(minds(folder.path(), args).0, 2, "{args:?}");
    }
    assert_eq!(team(&folder), FIXABLE);
}

#[test]
fn unset_variables_are_reported_on_request() {
    let mcp = "version: 1\nservers:\n  a: {transport: stdio, command: a, env: {A: {env: MINDS_TEST_A}, B: {env: MINDS_TEST_B}}}\n";
    let team = "member_defaults:\n  provider: openai\n  model: gpt-5.2\n";
    let folder = folder(team);
    fs::write(folder.path().join(".minds/mcp.yaml"), mcp).expect("a file can be written");
    let check = |args: &[&str], openai: Option<&str>| {
        let mut command = command(folder.path(), &[&["check", "--format", "concise"], args].concat());
        command.env_remove("OPENAI_API_KEY").env_remove("MINDS_TEST_B").env("MINDS_TEST_A", "value-of-a");
        command.envs(openai.map(|value| ("OPENAI_API_KEY", value)));
        let (code, stdout, stderr) = exit_and_output(&command.output().expect("the command starts"));
        assert_eq!((code, stderr.as_str()), (0, ""));
        stdout
    };
    let b = ".minds/mcp.yaml:3:76: info[mcp/unset-variable]: the variable `MINDS_TEST_B` is not set here (set it where the team runs)\n";
    let openai = ".minds/team.yaml:2:13: info[llm/unset-variable]: the variable `OPENAI_API_KEY` ";
    assert_eq!(check(&[], None), "");
    assert_eq!(check(&["--env"], None), format!("{b}{openai}is not set here (set it where the team runs)\n"));
    assert_eq!(
        check(&["--env"], Some("")),
        format!("{b}{openai}is empty here (set it where the team runs)\n")
    );
    assert_eq!(check(&["--env"], Some("value-of-openai")), b);
    assert_eq!(check(&["--env", ".minds/team.yaml"], Some("x")), "");
}

#[test]
fn a_workspace_may_ask_for_strictness() {
    let warns = "member_defaults: {provider: codex, model: gpt-5.2}\nmembers: {coder: {model: gpt-0}}\n";
    let folder_with = |team: &str, settings: &str| {
        let folder = folder(team);
        fs::write(folder.path().join(".minds/minds.toml"), settings).expect("a file can be written");
        folder
    };
    for (settings, code) in [
        ("[check]\nstrict = true\n", 1),
        ("[check]\nstrict = false\n", 0),
        ("[check]\n", 0),
        ("x-strict = true\n", 0),
    ] {
        let folder = folder_with(warns, settings);
        assert_eq!(minds(folder.path(), &["check"]).0, code);
        assert_eq!(minds(folder.path(), &["check", "--strict"]).0, 1);
        // Also for a single file, and after fixing.
        assert_eq!(minds(folder.path(), &["check", ".minds/team.yaml"]).0, code);
        assert_eq!(minds(folder.path(), &["check", "--fix"]).0, code);
    }
    // Without warnings it succeeds.
    let clean = "member_defaults: {provider: codex, model: gpt-5.2}\n";
    assert_eq!(minds(folder_with(clean, "[check]\nstrict = true\n").path(), &["check"]).0, 0);
}

#[test]
fn fix_changes_only_the_selected_compose_root() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir_all(folder.path().join("ops")).unwrap();
    fs::create_dir(folder.path().join(".minds")).unwrap();
    let stale = "# minds: allow(compose/reporting-cycle) once\n";
    let compose = "version: 2\n";
    fs::write(folder.path().join("ops/team-compose.yaml"), format!("{stale}{compose}")).unwrap();
    fs::write(folder.path().join(".minds/mcp.yaml"), format!("{stale}version: 1\n")).unwrap();
    let (code, stdout, stderr) = minds(folder.path(), &["check", "--root", "ops", "--diff"]);
    assert_eq!((code, stderr.as_str()), (1, "minds: --fix would fix 1 problem\n"));
    assert!(stdout.starts_with("--- a/team-compose.yaml\n"), "{stdout}");
    let (code, _, stderr) = minds(folder.path(), &["check", "--root", "ops", "--fix"]);
    assert_eq!((code, stderr.as_str()), (0, "minds: fixed 1 problem in team-compose.yaml\n"));
    assert_eq!(fs::read_to_string(folder.path().join("ops/team-compose.yaml")).unwrap(), compose);
    assert!(fs::read_to_string(folder.path().join(".minds/mcp.yaml")).unwrap().starts_with(stale));
    let (code, _, stderr) = minds(folder.path(), &["check", "--root", ".minds", "--fix"]);
    assert_eq!(code, 2, "{stderr}");
}
