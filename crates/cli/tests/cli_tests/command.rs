//! The command line: arguments, streams, exit codes, and the JSON that programs rely on.

mod help;

use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use serde_json::Value;
use tempfile::TempDir;

const CLEAN: &str = "member_defaults:\n  provider: codex\n  model: gpt-5.2\n";
const BROKEN: &str =
    "member_defaults:\n  provider: codex\n  model: gpt-5.2\ndefault_responder: codr\nmembers:\n  coder: {}\n";

fn folder(files: &[(&str, &str)]) -> TempDir {
    let folder = tempfile::tempdir().expect("a folder can be made");
    // Stops the search for a workspace in parent directories.
    fs::create_dir(folder.path().join(".git")).expect("a folder can be made");
    for (path, text) in files {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().expect("a file lies in a folder")).expect("a folder can be made");
        fs::write(path, text).expect("a file can be written");
    }
    folder
}

fn minds(directory: &Path, args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_minds"))
        .args(args)
        .current_dir(directory)
        .env_remove("NO_COLOR")
        .env_remove("CLICOLOR_FORCE")
        .stdin(Stdio::null())
        .output()
        .expect("the command starts")
}

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).expect("the command prints UTF-8")
}

fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).expect("the command prints UTF-8")
}

fn json(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {}", stdout(output)))
}

#[track_caller]
fn exits(output: &Output, code: i32) {
    assert_eq!(output.status.code(), Some(code), "stdout: {}\nstderr: {}", stdout(output), stderr(output));
}

#[test]
fn a_clean_workspace_exits_with_0() {
    let folder = folder(&[(".minds/team.yaml", CLEAN)]);
    let output = minds(folder.path(), &["check"]);
    exits(&output, 0);
    assert_eq!(stdout(&output), "checked 1 file: no problems\n");
    assert_eq!(stderr(&output), "");
}

#[test]
fn a_finding_is_shown_with_an_excerpt() {
    let folder = folder(&[(".minds/team.yaml", BROKEN)]);
    let output = minds(folder.path(), &["check"]);
    exits(&output, 1);
    insta::assert_snapshot!(stdout(&output));
}

#[test]
fn the_json_of_a_check() {
    let folder = folder(&[(".minds/team.yaml", BROKEN)]);
    let output = minds(folder.path(), &["check", "--format", "json"]);
    exits(&output, 1);
    assert_eq!(stderr(&output), "");
    insta::assert_snapshot!(serde_json::to_string_pretty(&json(&output)).expect("JSON prints"));
    let text = stdout(&output);
    assert_eq!(text.matches('\n').count(), 1, "one document on one line");
    // The order of keys is part of the output.
    let keys = [
        "\"code\"",
        "\"severity\"",
        "\"message\"",
        "\"file\"",
        "\"span\"",
        "\"range\"",
        "\"pointer\"",
        "\"labels\"",
    ];
    assert!(keys.iter().map(|key| text.find(key)).is_sorted());
}

#[test]
fn strict_counts_warnings() {
    let team = CLEAN.to_owned() + "members:\n  coder: {toolsets: [playwright]}\n";
    let folder = folder(&[(".minds/team.yaml", &team)]);
    exits(&minds(folder.path(), &["check"]), 0);
    exits(&minds(folder.path(), &["check", "--strict"]), 1);
}

#[test]
fn suppressed_findings_are_counted_and_do_not_fail() {
    let comment = "codr # minds: allow(team/unknown-member) set where it runs";
    let mcp = "version: 1\nservers: {}\n";
    let folder = folder(&[(".minds/team.yaml", &BROKEN.replace("codr", comment)), (".minds/mcp.yaml", mcp)]);
    let output = minds(folder.path(), &["check", "--strict"]);
    exits(&output, 0);
    assert_eq!(stdout(&output), "checked 2 files: no problems, 1 suppressed\n");
    let allowed = |args: &[&str]| {
        let output = minds(folder.path(), &[&["check", "--format", "json"], args].concat());
        json(&output).pointer("/summary/allowed").and_then(Value::as_u64)
    };
    assert_eq!(allowed(&[]), Some(1));
    assert_eq!(allowed(&[".minds/mcp.yaml"]), Some(0));
}

#[test]
fn the_workspace_is_the_nearest_one_upwards() {
    let folder = folder(&[("a/.minds/team.yaml", BROKEN), ("a/src/x.rs", ""), (".minds/team.yaml", CLEAN)]);
    let root = |directory: &str, args: &[&str]| {
        let output = minds(&folder.path().join(directory), &[&["check", "--format", "json"], args].concat());
        json(&output)["root"].as_str().expect("there is a root").to_owned()
    };
    assert_eq!(root("a", &[]), ".");
    assert_eq!(root("a/src", &[]), "..");
    assert_eq!(root("a/.minds", &[]), "..");
    assert_eq!(root(".", &["a/src"]), "a");
    assert_eq!(root(".", &["a/src/x.rs"]), "a");
    assert_eq!(root(".", &["-C", "a/src"]), "a");
    assert_eq!(root("a", &["-C", ".."]), "..");
    assert_eq!(root("a", &["-C", "..", "a/src"]), ".");
    assert_eq!(root(".", &[folder.path().join("a").to_str().expect("the path is UTF-8")]), "a");
}

#[test]
fn the_search_ends_at_the_repository() {
    let folder = folder(&[(".minds/team.yaml", BROKEN), ("inner/.git/HEAD", ""), ("inner/src/x", "")]);
    let output = minds(&folder.path().join("inner/src"), &["check", "--format", "json"]);
    exits(&output, 0);
    assert_eq!(json(&output)["files"], Value::Array(vec![]));
    assert!(stderr(&output).contains("nothing to check"), "{}", stderr(&output));
}

#[test]
fn every_family_marks_a_workspace() {
    for (marker, text) in
        [(".team/team-compose.yaml", "version: 2\n"), (".ateam/project.yaml", ""), ("mind.toml", "")]
    {
        let folder = folder(&[(marker, text), ("sub/x", "")]);
        let output = minds(&folder.path().join("sub"), &["check", "--format", "json"]);
        exits(&output, 0);
        assert_eq!(json(&output)["root"], "..", "{marker}");
    }
}

#[test]
fn a_file_as_path_limits_the_report() {
    let folder =
        folder(&[(".minds/team.yaml", BROKEN), (".minds/llm.yaml", "providers: 5\n"), ("README.md", "")]);
    let files = |path: &str| {
        let document = json(&minds(folder.path(), &["check", path, "--format", "json"]));
        let places = document["diagnostics"].as_array().expect("there are findings").iter();
        let places: Vec<String> =
            places.map(|found| found["file"].as_str().expect("with a file").to_owned()).collect();
        (document["files"].clone(), places)
    };
    assert_eq!(
        files(".minds/llm.yaml"),
        (serde_json::json!([".minds/llm.yaml"]), vec![".minds/llm.yaml".into()])
    );
    assert_eq!(files(".minds/team.yaml").1, [".minds/team.yaml"]);
    assert_eq!(files("README.md"), (serde_json::json!([]), vec![]));
    assert_eq!(files(".").1.len(), 2);
}

#[test]
fn missing_things_exit_with_2() {
    let folder = folder(&[(".minds/team.yaml", CLEAN), ("b/.minds/team.yaml", CLEAN)]);
    exits(&minds(folder.path(), &["check", "nowhere"]), 2);
    exits(&minds(folder.path(), &["-C", "nowhere", "check"]), 2);
    exits(&minds(folder.path(), &["fmt", ".minds", "b"]), 2);
    exits(&minds(folder.path(), &["check", "--bogus"]), 2);
    exits(&minds(folder.path(), &[]), 2);
    exits(&minds(folder.path(), &["explain", "team/unknwon-member"]), 2);
    exits(&minds(folder.path(), &["team", "show", "unknown"]), 2);
    assert!(
        stderr(&minds(folder.path(), &["explain", "team/unknwon-member"])).contains("`team/unknown-member`")
    );
}

#[test]
fn errors_are_json_if_json_is_requested() {
    let folder = folder(&[(".minds/team.yaml", CLEAN)]);
    for (args, kind) in [
        (&["check", "nowhere", "--format", "json"][..], "not-found"),
        (&["check", "--format=json", "--bogus"], "usage"),
        (&["check", "--format", "json", "--color", "purple"], "usage"),
        (&["team", "show", "unknown", "--format", "json"], "unknown-member"),
    ] {
        let output = minds(folder.path(), args);
        exits(&output, 2);
        let document = json(&output);
        assert_eq!((&document["version"], &document["error"]["kind"]), (&1.into(), &kind.into()), "{args:?}");
        assert!(!document["error"]["message"].as_str().expect("it says something").is_empty());
        assert_eq!(stderr(&output), "");
    }
}

#[test]
fn init_writes_a_clean_workspace_and_never_overwrites() {
    let folder = folder(&[]);
    exits(&minds(folder.path(), &["init"]), 0);
    exits(&minds(folder.path(), &["check", "--strict"]), 0);
    let team = folder.path().join(".minds/team.yaml");
    fs::write(&team, "mine").expect("a file can be written");
    let output = minds(folder.path(), &["init"]);
    exits(&output, 1);
    assert!(stderr(&output).contains("already exists"));
    assert_eq!(fs::read_to_string(team).expect("the file exists"), "mine");
}

#[test]
fn init_writes_nothing_if_one_of_its_files_exists() {
    let folder = folder(&[(".minds/team/coder/persona.md", "mine")]);
    exits(&minds(folder.path(), &["init"]), 1);
    assert!(!folder.path().join(".minds/team.yaml").exists());
}

#[test]
fn a_member_after_inheritance() {
    let team = "member_defaults:\n  provider: codex\n  model: gpt-5.2\n  name: nobody\n  toolsets: &common [ws_read]\n  \
                no_write_dirs: [secrets]\nmembers:\n  coder:\n    model: gpt-5.1-codex-max\n    toolsets: *common\n    \
                no_write_dirs: []\n";
    let folder = folder(&[(".minds/team.yaml", team)]);
    let output = minds(folder.path(), &["team", "show", "coder", "--format", "json"]);
    exits(&output, 0);
    insta::assert_snapshot!(serde_json::to_string_pretty(&json(&output)).expect("JSON prints"));
    insta::assert_snapshot!("team_show", stdout(&minds(folder.path(), &["team", "show"])));
}

#[test]
fn without_a_file_the_team_is_the_one_that_every_team_has() {
    let folder = folder(&[]);
    let output = minds(folder.path(), &["team", "show", "--format", "json"]);
    exits(&output, 0);
    let members = json(&output)["members"].as_array().expect("there are members").clone();
    let ids: Vec<&str> = members.iter().filter_map(|member| member["id"].as_str()).collect();
    assert_eq!(ids, ["fuxi", "pangu"]);
    assert_eq!(
        members[1]["fields"]["no_read_dirs"],
        serde_json::json!({"value": [".minds/**"], "from": null})
    );
}

#[test]
fn colors_are_used_on_terminals_and_on_request() {
    let folder = folder(&[(".minds/team.yaml", BROKEN)]);
    let coloured = |args: &[&str], variable: Option<(&str, &str)>| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_minds"));
        command.args(args).current_dir(folder.path()).env_remove("NO_COLOR").env_remove("CLICOLOR_FORCE");
        command.envs(variable);
        command.output().expect("the command starts").stdout.contains(&0x1b)
    };
    assert!(!coloured(&["check"], None));
    assert!(coloured(&["check", "--color", "always"], None));
    assert!(coloured(&["check", "--color", "always"], Some(("NO_COLOR", "1"))));
    assert!(coloured(&["check"], Some(("CLICOLOR_FORCE", "1"))));
    assert!(!coloured(&["check", "--color", "never"], Some(("CLICOLOR_FORCE", "1"))));
    assert!(!coloured(&["check", "--format", "concise", "--color", "always"], None));
}

#[test]
fn a_closed_pipe_is_not_an_error() {
    let many: String = (0..900).map(|id| format!("unknown_{id}: 1\n")).collect();
    let folder = folder(&[(".minds/team.yaml", &(CLEAN.to_owned() + &many))]);
    let mut child = Command::new(env!("CARGO_BIN_EXE_minds"))
        .args(["check"])
        .current_dir(folder.path())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command starts");
    drop(child.stdout.take());
    let output = child.wait_with_output().expect("the command ends");
    assert_eq!(stderr(&output), "");
    exits(&output, 1);
}

/// Returns the code, the severity and the summary in a row of the list of rules.
fn rule_in(row: &str) -> Option<(&str, &str, &str)> {
    let (link, rest) = row.strip_prefix("| [`")?.strip_suffix(" |")?.split_once(" | ")?;
    let (severity, summary) = rest.split_once(" | ")?;
    Some((link.split('`').next()?, severity, summary))
}

#[test]
fn explain_prints_pages_and_lists_codes() {
    let folder = folder(&[]);
    let page = stdout(&minds(folder.path(), &["explain", "team/unknown-member"]));
    assert!(page.starts_with("team/unknown-member (error, since 0.1.0)\n\n# "), "{page}");
    let page = stdout(&minds(folder.path(), &["explain", "mcp/server-error"]));
    assert!(page.starts_with("mcp/server-error (error, at run time, since 0.1.0)\n\n# "), "{page}");
    // The list of all codes is a contract, which `docs/rules/README.md` records.
    let index = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/rules/README.md");
    let index = fs::read_to_string(index).expect("the list of the pages can be read");
    let rows: Vec<(&str, &str, &str)> = index.lines().filter_map(rule_in).collect();
    let width = rows.iter().map(|(code, ..)| code.len()).max().expect("there are rules");
    let lines =
        rows.iter().map(|(code, severity, summary)| format!("{code:width$}  {severity:7}  {summary}\n"));
    let expected: String = lines.collect();
    assert_eq!(stdout(&minds(folder.path(), &["explain"])), expected);
}

#[cfg(unix)]
#[test]
fn entries_that_are_not_files_are_findings() {
    use std::os::unix::fs::symlink;

    let check = |prepare: &dyn Fn(&Path)| {
        let folder = folder(&[(".minds/team/x", "")]);
        prepare(&folder.path().join(".minds/team.yaml"));
        let output = minds(folder.path(), &["check", "--format", "json"]);
        exits(&output, 1);
        let found = &json(&output)["diagnostics"][0];
        assert_eq!(found["code"], "file/unreadable");
        assert_eq!(found["span"], serde_json::json!({"start": 0, "end": 0}));
        found["message"].as_str().expect("it says something").to_owned()
    };
    assert!(check(&|team| fs::create_dir(team).expect("a folder can be made")).contains("it is a directory"));
    assert!(
        check(&|team| symlink("nowhere", team).expect("a link can be made"))
            .contains("link to a file that does not exist")
    );
    let outside = tempfile::NamedTempFile::new().expect("a file can be made");
    assert!(
        check(&|team| symlink(outside.path(), team).expect("a link can be made"))
            .contains("leads outside of the workspace")
    );
    // A pipe without a writer: opening it must not block.
    assert!(
        check(&|team| {
            let made = Command::new("mkfifo").arg(team).status().expect("mkfifo starts");
            assert!(made.success());
        })
        .contains("regular file")
    );
}

#[cfg(unix)]
#[test]
fn a_link_that_stays_inside_is_followed() {
    let folder = folder(&[("config/team.yaml", BROKEN), (".minds/team/x", "")]);
    std::os::unix::fs::symlink("../config/team.yaml", folder.path().join(".minds/team.yaml"))
        .expect("a link can be made");
    let output = minds(folder.path(), &["check", "--format", "concise"]);
    exits(&output, 1);
    assert!(stdout(&output).starts_with(".minds/team.yaml:4:20: error[team/unknown-member]"));
}
