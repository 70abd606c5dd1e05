//! `minds render --target mcp:CLIENT`, and `minds clean` of its files.

use crate::support;

use std::fs;
use std::path::Path;

use serde_json::Value;
use tempfile::TempDir;

use support::minds;

const MCP: &str = "\
version: 1
servers:
  notes:
    transport: stdio
    command: notes-mcp
    cwd: notes
  tickets:
    transport: streamable_http
    url: https://tickets.example.org/mcp
    headers: {Authorization: {env: TICKETS_TOKEN, prefix: 'Bearer '}}
";

/// The name of each target, and its file.
const CLIENTS: [(&str, &str); 8] = [
    ("mcp:claude-code", ".mcp.json"),
    ("mcp:codex", ".codex/config.toml"),
    ("mcp:gemini", ".gemini/settings.json"),
    ("mcp:vscode", ".vscode/mcp.json"),
    ("mcp:cursor", ".cursor/mcp.json"),
    ("mcp:opencode", "opencode.json"),
    ("mcp:copilot", ".github/mcp.json"),
    ("mcp:antigravity", ".agents/mcp_config.json"),
];

/// Returns a repository whose team has servers.
fn workspace() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for directory in [".git", ".minds"] {
        fs::create_dir(folder.path().join(directory)).unwrap();
    }
    fs::write(folder.path().join(".minds/mcp.yaml"), MCP).unwrap();
    folder
}

fn render(directory: &Path, args: &[&str]) -> (i32, String, String) {
    minds(directory, &[&["render"], args].concat())
}

#[test]
fn each_client_gets_its_file_and_no_other() {
    for (target, file) in CLIENTS {
        let folder = workspace();
        let (code, stdout, stderr) = render(folder.path(), &["--target", target, "--write"]);
        assert_eq!(code, 0, "{stderr}");
        assert_eq!(stdout, format!("created    {file}\ncreated    .minds-manifest.json\n"));
        assert!(folder.path().join(file).exists());
        for (_, other) in CLIENTS.iter().filter(|(_, other)| *other != file) {
            assert!(!folder.path().join(other).exists(), "{target}: {other}");
        }
        assert_eq!(render(folder.path(), &["--target", target, "--check"]).0, 0);
    }
}

#[test]
fn a_life_of_a_file() {
    let folder = workspace();
    let path = folder.path().join("opencode.json");
    let old = "{\n  // mine\n  \"theme\": \"dark\"\n}\n";
    fs::write(&path, old).unwrap();
    let target = ["--target", "mcp:opencode"];
    let mut picture = String::new();
    let mut run = |args: &[&str]| {
        let (code, stdout, stderr) = minds(folder.path(), args);
        let lines: Vec<&str> = stdout.lines().filter(|line| !line.contains("\"hash\"")).collect();
        picture += &format!("$ minds {}\n{}\n{stderr}exit {code}\n\n", args.join(" "), lines.join("\n"));
    };
    run(&[&["render"], &target[..], &["--diff"]].concat());
    run(&[&["render"], &target[..], &["--check"]].concat());
    run(&[&["render"], &target[..], &["--write"]].concat());
    run(&[&["render"], &target[..], &["--write"]].concat());
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, text.replace("notes-mcp", "mine")).unwrap();
    run(&[&["render"], &target[..], &["--write"]].concat());
    run(&["clean"]);
    run(&[&["render"], &target[..], &["--write", "--force"]].concat());
    run(&["clean", "--dry-run"]);
    run(&["clean"]);
    run(&["clean"]);
    let left = fs::read_to_string(&path).unwrap();
    assert_eq!(left, old);
    insta::assert_snapshot!(picture);
}

#[test]
fn json_has_states_diffs_and_findings() {
    let folder = workspace();
    let args = ["--target", "mcp:claude-code", "--target", "mcp:cursor", "--format", "json"];
    let (code, stdout, _) = render(folder.path(), &args);
    let document: Value = serde_json::from_str(&stdout).unwrap();
    let artifacts = document["artifacts"].as_array().unwrap();
    let paths: Vec<&str> = artifacts.iter().map(|artifact| artifact["path"].as_str().unwrap()).collect();
    assert_eq!((code, paths), (0, vec![".cursor/mcp.json", ".mcp.json", ".minds-manifest.json"]));
    assert!(
        artifacts[1]["diff"]
            .as_str()
            .unwrap()
            .contains("+        \"Authorization\": \"Bearer ${TICKETS_TOKEN}\"")
    );
    let codes: Vec<&str> = document["diagnostics"]
        .as_array()
        .unwrap()
        .iter()
        .map(|found| found["code"].as_str().unwrap())
        .collect();
    assert_eq!(codes, ["render/cannot-express", "render/cannot-express"]);
    // A comment in the team file suppresses the finding.
    let text =
        MCP.replace("cwd: notes", "cwd: notes # minds: allow(render/cannot-express) it finds its files");
    fs::write(folder.path().join(".minds/mcp.yaml"), text).unwrap();
    let (_, stdout, _) = render(folder.path(), &args);
    assert_eq!(serde_json::from_str::<Value>(&stdout).unwrap()["diagnostics"].as_array().unwrap().len(), 0);
    assert_eq!(minds(folder.path(), &["check"]).0, 0);
    let (_, stdout, _) = minds(folder.path(), &["check", "--strict"]);
    assert!(stdout.contains("no problems"), "{stdout}");
}

#[test]
fn a_literal_secret_is_refused_and_never_printed() {
    let folder = workspace();
    let key = ["sk-7h3Kq9Zr2mXw5", "Tb8Vn4Lp6Jd"].concat();
    let text = format!("{MCP}    sessionId: x\n").replace(
        "    cwd: notes\n",
        &format!("    env:\n      K: {key} # minds: allow(secret/token) a sandbox\n"),
    );
    fs::write(folder.path().join(".minds/mcp.yaml"), text).unwrap();
    for format in ["human", "json"] {
        let args = ["--target", "mcp:gemini", "--write", "--format", format];
        let (code, stdout, stderr) = render(folder.path(), &args);
        assert_eq!(code, 1);
        assert!((stdout.clone() + &stderr).contains("render/literal-secret"), "{stdout}{stderr}");
        assert!(!(stdout + &stderr).contains(&key));
    }
    assert!(!folder.path().join(".gemini").exists());
}

#[test]
fn the_workspace_is_named_or_the_nearest_one() {
    let folder = workspace();
    let deep = folder.path().join("a/b");
    fs::create_dir_all(&deep).unwrap();
    let target = ["--target", "mcp:codex"];
    let wrote = |root: &str| format!("minds: wrote 2 files in `{root}`\n");
    let (code, _, stderr) = render(&deep, &[&target[..], &["--write"]].concat());
    assert_eq!((code, stderr), (0, wrote("../..")));
    assert_eq!(render(folder.path(), &[&target[..], &["--check"]].concat()).0, 0);
    assert_eq!(minds(&deep, &["clean"]).0, 0);
    let outside = tempfile::tempdir().unwrap();
    let root = folder.path().to_str().unwrap();
    let (code, _, _) = render(outside.path(), &[&target[..], &["--write", "--root", root]].concat());
    assert_eq!(code, 0);
    assert!(folder.path().join(".codex/config.toml").exists());
    for (args, expected) in [
        (&["--root", "."][..], "`.` from `--root` contains neither `.minds/` nor `team-compose.yaml`"),
        (&["--root", "x"], "`x` from `--root` does not exist"),
        (
            &[],
            "there is no `.minds/` and no `.team/team-compose.yaml` at or above `.`; `minds init` creates a team",
        ),
    ] {
        let (code, _, stderr) = render(outside.path(), &[&target[..], args].concat());
        let printed = if args.is_empty() { (0, "minds") } else { (2, "error[no-servers]") };
        assert_eq!((code, stderr), (printed.0, format!("{}: {expected}\n", printed.1)));
    }
}

#[test]
fn the_template_of_a_compose_root_renders_for_clients() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join(".git")).unwrap();
    minds(folder.path(), &["init", "--compose"]);
    let both =
        ["--target", "artifacts", "--target", "mcp:claude-code", "--write", "--mcp-bin", "/opt/team-mcp"];
    let (code, stdout, stderr) = render(folder.path(), &both);
    assert_eq!(code, 0, "{stderr}");
    assert!(
        stdout.contains("created    state/envs/main-lead.env\n") && stdout.contains("created    .mcp.json\n")
    );
    let text = fs::read_to_string(folder.path().join(".mcp.json")).unwrap();
    assert!(text.contains("\"team-main-lead\"") && text.contains("\"/opt/team-mcp\""), "{text}");
    // The root can be the compose root or the workspace.
    for root in [".team", "."] {
        let args = ["--target", "mcp:claude-code", "--mcp-bin", "/opt/team-mcp", "--check", "--root", root];
        assert_eq!(render(folder.path(), &args).0, 0, "{root}");
    }
    let mut command = support::command(Path::new("/"), &["render", "--target", "mcp:claude-code", "--check"]);
    command.env("TEAMCTL_ROOT", folder.path().join(".team")).env("TEAMCTL_TEAM_MCP", "/opt/team-mcp");
    assert_eq!(support::exit_and_output(&command.output().unwrap()).0, 0);
    let (code, _, _) = minds(folder.path(), &["clean"]);
    assert_eq!(code, 0);
    assert!(!folder.path().join(".mcp.json").exists() && !folder.path().join(".team/state").exists());
}

/// The launch data of an agent is not in a file, so findings are reported at the agent, with their origin.
#[test]
fn unusable_launch_values_are_reported_at_the_agent() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join(".git")).unwrap();
    minds(folder.path(), &["init", "--compose"]);
    let args = ["--target", "mcp:claude-code", "--mcp-bin", "/opt/${x}/team-mcp"];
    let (code, stdout, stderr) = render(folder.path(), &args);
    assert_eq!(code, 0, "{stderr}");
    insta::assert_snapshot!(stdout + &stderr);
    // The same holds for an invalid path of the root.
    let outer = tempfile::tempdir().unwrap();
    let deep = outer.path().join("${x}");
    fs::create_dir_all(deep.join(".git")).unwrap();
    minds(&deep, &["init", "--compose"]);
    let (_, stdout, stderr) = render(&deep, &["--target", "mcp:claude-code"]);
    let shown = stdout + &stderr;
    assert!(shown.contains("the path of the compose root") && shown.contains("${x}/.team"), "{shown}");
    assert!(shown.contains("projects/main.yaml:14:3"), "{shown}");
}

#[test]
fn clean_reports_kept_files_and_the_reason() {
    let folder = workspace();
    let targets: Vec<&str> = CLIENTS.iter().flat_map(|(target, _)| ["--target", *target]).collect();
    assert_eq!(render(folder.path(), &[&targets[..], &["--write"]].concat()).0, 0);
    let at = |file: &str| folder.path().join(file);
    fs::write(at(".mcp.json"), "{broken").unwrap();
    fs::write(at("opencode.json"), b"\xff\xfe").unwrap();
    fs::remove_dir_all(at(".gemini")).unwrap();
    fs::write(at(".gemini"), "").unwrap();
    let cursor = fs::read_to_string(at(".cursor/mcp.json")).unwrap();
    fs::write(at(".cursor/mcp.json"), cursor.replace("\"notes-mcp\"", "\"mine\"")).unwrap();
    let code = fs::read_to_string(at(".vscode/mcp.json")).unwrap();
    let code = code.replace("notes-mcp", "mine").replace("tickets.example", "mine.example");
    fs::write(at(".vscode/mcp.json"), code).unwrap();

    let (code, stdout, _) = minds(folder.path(), &["clean", "--dry-run", "--format", "json"]);
    let mut document: Value = serde_json::from_str(&stdout).unwrap();
    for kept in document["kept_servers"].as_array_mut().unwrap() {
        // The error for a file in place of a directory depends on the system.
        if kept["path"] == ".gemini/settings.json" {
            assert!(kept["reason"].as_str().is_some_and(|reason| !reason.is_empty()));
            kept["reason"] = "…".into();
        }
    }
    let both = serde_json::json!(["notes", "tickets"]);
    assert_eq!(
        (code, document),
        (
            0,
            serde_json::json!({
                "version": 1,
                "root": ".",
                "removed": [".agents/mcp_config.json", ".codex/config.toml", ".github/mcp.json"],
                "changed": [".cursor/mcp.json"],
                "kept": [
                    ".cursor/mcp.json", ".vscode/mcp.json",
                    ".gemini/settings.json", ".mcp.json", "opencode.json",
                ],
                "removed_servers": [{"path": ".cursor/mcp.json", "servers": ["tickets"]}],
                "kept_servers": [
                    {"path": ".cursor/mcp.json", "servers": ["notes"]},
                    {"path": ".vscode/mcp.json", "servers": both},
                    {"path": ".gemini/settings.json", "servers": both, "reason": "…"},
                    {"path": ".mcp.json", "servers": both, "reason": "expected string for object property"},
                    {"path": "opencode.json", "servers": both, "reason": "it is not valid UTF-8"},
                ],
            })
        )
    );
    let (_, _, stderr) = minds(folder.path(), &["clean"]);
    for line in [
        "`.cursor/mcp.json` was changed since it was generated, so the server `notes` in it is kept",
        "`.vscode/mcp.json` was changed since it was generated, so the servers `notes`, `tickets` in it are kept",
        "cannot change `.mcp.json`: expected string for object property; the servers `notes`, `tickets` in it are kept",
        "cannot change `opencode.json`: it is not valid UTF-8; the servers `notes`, `tickets` in it are kept",
        "cannot change `.gemini/settings.json`: ",
    ] {
        assert!(stderr.contains(line), "{line}\n{stderr}");
    }
    // Servers that could not be removed stay recorded.
    assert!(fs::read_to_string(at(".minds-manifest.json")).unwrap().contains("opencode"));
}

#[test]
fn json_lists_drifted_servers() {
    let folder = workspace();
    let args = ["--target", "mcp:cursor", "--format", "json"];
    fs::create_dir(folder.path().join(".cursor")).unwrap();
    fs::write(folder.path().join(".cursor/mcp.json"), "{\"mcpServers\": {\"notes\": {}}}").unwrap();
    let (_, stdout, _) = render(folder.path(), &args);
    let document: Value = serde_json::from_str(&stdout).unwrap();
    let drifted = |at: usize| &document["artifacts"][at]["drifted_servers"];
    assert_eq!((drifted(0), drifted(1)), (&serde_json::json!(["notes"]), &serde_json::json!([])), "{stdout}");
}
