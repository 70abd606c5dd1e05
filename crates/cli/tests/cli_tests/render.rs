//! `minds render`, `minds clean`, `minds compose show`, `minds init --compose`, and compose roots in `minds check`.

mod cleaning;
use crate::support;

use std::fs;
use std::path::Path;

use serde_json::Value;
use tempfile::TempDir;

use support::minds;

/// Returns a repository with a new compose root.
fn scaffold() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join(".git")).unwrap();
    let (code, stdout, stderr) = minds(folder.path(), &["init", "--compose"]);
    assert_eq!((code, stderr.as_str()), (0, ""));
    assert!(stdout.starts_with("wrote .team/team-compose.yaml\n"), "{stdout}");
    folder
}

/// Runs a command with one variable set.
fn minds_with(directory: &Path, variable: (&str, &str), args: &[&str]) -> (i32, String, String) {
    let mut command = support::command(directory, args);
    command.env(variable.0, variable.1);
    let output = command.output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

fn json(stdout: &str) -> Value {
    serde_json::from_str(stdout).unwrap()
}

/// Returns the states in a document of `minds render`, each once.
fn states(document: &Value) -> Vec<&str> {
    let artifacts = document["artifacts"].as_array().unwrap();
    let mut states: Vec<&str> =
        artifacts.iter().map(|artifact| artifact["state"].as_str().unwrap()).collect();
    states.sort_unstable();
    states.dedup();
    states
}

#[test]
fn the_template_has_no_findings_and_renders() {
    let folder = scaffold();
    let (code, stdout, stderr) = minds(folder.path(), &["check"]);
    assert_eq!((code, stderr.as_str()), (0, ""));
    assert!(stdout.contains("no problems"), "{stdout}");
    let (code, stdout, stderr) = minds(folder.path(), &["render"]);
    assert_eq!(code, 0);
    insta::assert_snapshot!(stdout + &stderr);
    assert!(!folder.path().join(".team/state").exists());
    let (code, _, stderr) = minds(folder.path(), &["render", "--write"]);
    assert_eq!((code, stderr.as_str()), (0, "minds: wrote 7 files in `.team`\n"));
    let nothing = (0, String::new(), "minds: all 7 files are up to date\n".to_owned());
    for args in [&["render"][..], &["render", "--diff"], &["render", "--check"], &["render", "--write"]] {
        assert_eq!(minds(folder.path(), args), nothing, "{args:?}");
    }
    let (code, stdout, stderr) = minds(folder.path(), &["init", "--compose"]);
    assert_eq!((code, stdout.as_str()), (1, ""));
    assert_eq!(stderr, "error[exists]: `.team/.gitignore` already exists; nothing was written\n");
}

#[test]
fn check_fails_until_all_files_are_current() {
    let folder = scaffold();
    assert_eq!(minds(folder.path(), &["render", "--check"]).0, 1);
    assert!(!folder.path().join(".team/state").exists(), "looking writes nothing");
    assert_eq!(minds(folder.path(), &["render", "--write"]).0, 0);
    assert_eq!(minds(folder.path(), &["render", "--check"]).0, 0);
    fs::remove_file(folder.path().join(".team/state/envs/main-lead.env")).unwrap();
    assert_eq!(minds(folder.path(), &["render", "--check"]).0, 1);
}

#[test]
fn json_has_states_diffs_and_findings() {
    let folder = scaffold();
    let (code, stdout, _) = minds(folder.path(), &["render", "--format", "json"]);
    let document = json(&stdout);
    assert_eq!((code, states(&document)), (0, vec!["created"]));
    assert_eq!(document["version"], 1);
    let keys: Vec<&str> = document.as_object().unwrap().keys().map(String::as_str).collect();
    assert_eq!(keys, ["artifacts", "diagnostics", "version"]);
    let env = document["artifacts"].as_array().unwrap();
    let env = env.iter().find(|artifact| artifact["path"] == "state/envs/main-lead.env").unwrap();
    assert!(env["diff"].as_str().unwrap().contains("+AGENT_ID=main:lead\n"));
    minds(folder.path(), &["render", "--write"]);
    fs::write(folder.path().join(".team/state/envs/main-lead.env"), "x").unwrap();
    let (code, stdout, stderr) = minds(folder.path(), &["render", "--write", "--format=json"]);
    assert_eq!((code, states(&json(&stdout))), (1, vec!["drifted", "unchanged"]));
    assert_eq!(
        stderr,
        "error[refused]: `state/envs/main-lead.env` was not rendered by minds, or changed since it was rendered; `--force` overwrites it; nothing \
         was written\n"
    );
    fs::write(folder.path().join(".team/projects/main.yaml"), "version: 2\nprojct: {}\n").unwrap();
    let (code, stdout, _) = minds(folder.path(), &["render", "--format=json", "--check"]);
    let document = json(&stdout);
    assert_eq!((code, states(&document)), (1, vec![]));
    let codes: Vec<&str> = document["diagnostics"]
        .as_array()
        .unwrap()
        .iter()
        .map(|found| found["code"].as_str().unwrap())
        .collect();
    assert_eq!(codes, ["schema/unknown-key"]);
}

/// The argument takes precedence over the variable; an empty variable is ignored.
#[test]
fn the_command_of_the_team_is_named_by_argument_then_environment() {
    for (variable, args, expected) in [
        ("/opt/of-variable", &["--mcp-bin", "/opt/of-argument"][..], "/opt/of-argument"),
        ("/opt/of-variable", &[], "/opt/of-variable"),
        ("", &[], "team-mcp"),
    ] {
        let folder = scaffold();
        let args = [&["render", "--write"], args].concat();
        let (code, _, stderr) = minds_with(folder.path(), ("TEAMCTL_TEAM_MCP", variable), &args);
        assert_eq!(code, 0, "{stderr}");
        let mut seen = 0;
        for entry in fs::read_dir(folder.path().join(".team/state/mcp")).unwrap() {
            let file = json(&fs::read_to_string(entry.unwrap().path()).unwrap());
            assert_eq!(file["mcpServers"]["team"]["command"], expected);
            seen += 1;
        }
        assert!(seen > 0);
    }
}

#[test]
fn differences_are_for_people() {
    let folder = scaffold();
    minds(folder.path(), &["render", "--write"]);
    let project = folder.path().join(".team/projects/main.yaml");
    let text = fs::read_to_string(&project).unwrap();
    let text = text.replace(
        "role_prompt: [roles/guide.md, roles/coder.md]",
        "role_prompt: roles/coder.md\n    effort: high",
    );
    fs::write(project, text).unwrap();
    let (code, stdout, stderr) = minds(folder.path(), &["render", "--diff"]);
    assert_eq!(
        (code, stderr.as_str()),
        (0, "minds: 3 files would change, 4 up to date; nothing was written\n")
    );
    let root = folder.path().canonicalize().unwrap();
    let stdout = stdout.replace(root.to_str().unwrap(), "ROOT");
    // Hashes of files depend on their paths.
    let lines: Vec<&str> = stdout.lines().filter(|line| !line.contains("\"hash\"")).collect();
    insta::assert_snapshot!(lines.join("\n"));
}

#[test]
fn generated_files_can_be_removed() {
    let folder = scaffold();
    minds(folder.path(), &["render", "--write"]);
    let (code, stdout, _) = minds(folder.path(), &["clean", "--root", ".team", "--dry-run"]);
    assert_eq!((code, stdout.lines().count()), (0, 7));
    assert!(folder.path().join(".team/state/envs/main-lead.env").exists());
    let (code, stdout, _) = minds(folder.path(), &["clean", "--root", ".team", "--format", "json"]);
    assert_eq!((code, json(&stdout)["removed"].as_array().unwrap().len()), (0, 7));
    assert!(!folder.path().join(".team/state/minds-manifest.json").exists());
    let (code, _, stderr) = minds(folder.path(), &["clean"]);
    assert_eq!((code, stderr.as_str()), (0, "minds: nothing to remove\n"));
}

#[test]
fn the_root_is_named_by_argument_then_environment_then_found_upwards() {
    let folder = scaffold();
    let deep = folder.path().join("a/b");
    fs::create_dir_all(&deep).unwrap();
    let other = folder.path().join("other");
    fs::create_dir(&other).unwrap();
    let project = "version: 2\nproject: {id: other, name: Other, cwd: .}\nmanagers: {boss: {}}\n";
    fs::write(other.join("team-compose.yaml"), "version: 2\nprojects: [{file: other.yaml}]\n").unwrap();
    fs::write(other.join("other.yaml"), project).unwrap();
    let root = other.to_str().unwrap();
    let agents = |directory: &Path, variable: &str, args: &[&str]| {
        let args = [&["compose", "show", "--format", "json"], args].concat();
        let (code, stdout, stderr) = minds_with(directory, ("TEAMCTL_ROOT", variable), &args);
        assert_eq!(code, 0, "{stderr}");
        json(&stdout)["agents"][0]["id"].as_str().unwrap().to_owned()
    };
    assert_eq!(agents(&deep, "", &[]), "main:lead");
    assert_eq!(agents(&deep, root, &[]), "other:boss");
    assert_eq!(agents(&deep, root, &["--root", "../../.team"]), "main:lead");
    for (args, expected) in [
        (&["render", "--root", "a"][..], "`a` from `--root` does not contain `team-compose.yaml`"),
        (
            &["render", "--root", "."],
            "`.` from `--root` does not contain `team-compose.yaml`; `./.team` does",
        ),
        (&["clean", "--root", "nowhere"], "`nowhere` from `--root` does not exist"),
        (
            &["compose", "show", "--root", "other/other.yaml"],
            "`other/other.yaml` from `--root` is not a directory",
        ),
    ] {
        let (code, _, stderr) = minds(folder.path(), args);
        let printed = stderr.split_once("]: ").unwrap_or_default().1;
        assert_eq!((code, printed), (2, format!("{expected}\n").as_str()), "{stderr}");
    }
    let (code, _, stderr) = minds_with(folder.path(), ("TEAMCTL_ROOT", "nowhere"), &["render"]);
    let expected = "error[no-compose]: `nowhere` from the variable `TEAMCTL_ROOT` does not exist\n";
    assert_eq!(minds_with(folder.path(), ("TEAMCTL_ROOT", "nowhere"), &["check"]).2, expected);
    assert_eq!((code, stderr.as_str()), (2, expected));
    let empty = tempfile::tempdir().unwrap();
    fs::write(empty.path().join("team-compose.yaml"), "version: 2\n").unwrap();
    fs::create_dir(empty.path().join(".git")).unwrap();
    let (code, _, stderr) = minds(empty.path(), &["render"]);
    assert_eq!(code, 2);
    assert!(
        stderr.contains("there is no `.team/team-compose.yaml`") && stderr.contains("--root ."),
        "{stderr}"
    );
}

#[test]
fn a_compose_root_is_checked_by_root_path_and_environment() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join(".git")).unwrap();
    let root = folder.path().join("ops");
    fs::create_dir(&root).unwrap();
    fs::write(root.join("team-compose.yaml"), "version: 2\nprojects: [{file: none.yaml}]\n").unwrap();
    for args in [&["check", "--root", "ops"][..], &["check", "ops"], &["check", "ops/team-compose.yaml"]] {
        let (code, stdout, _) = minds(folder.path(), &[args, &["--format", "concise"]].concat());
        assert_eq!(code, 1, "{args:?}");
        assert!(stdout.starts_with("team-compose.yaml:2:19: error[compose/missing-project]"), "{stdout}");
    }
    let (code, stdout, _) =
        minds_with(folder.path(), ("TEAMCTL_ROOT", "ops"), &["check", "--format", "concise"]);
    assert_eq!(code, 1);
    assert!(stdout.contains("compose/missing-project"), "{stdout}");
    let (code, _, stderr) = minds(folder.path(), &["check", "--root", "."]);
    assert_eq!(code, 2);
    assert!(stderr.contains("does not contain `team-compose.yaml`"), "{stderr}");
}

#[test]
fn files_outside_the_repository_need_a_flag() {
    let folder = tempfile::tempdir().unwrap();
    let repository = folder.path().join("repo");
    fs::create_dir_all(repository.join(".git")).unwrap();
    fs::create_dir(repository.join(".team")).unwrap();
    fs::write(folder.path().join("secret.yaml"), "quokka7: quokka7: quokka7\n").unwrap();
    let compose = "version: 2\nprojects: [{file: ../../secret.yaml}]\n";
    fs::write(repository.join(".team/team-compose.yaml"), compose).unwrap();
    for format in ["human", "concise", "json", "sarif", "github"] {
        let (code, stdout, stderr) = minds(&repository, &["check", "--format", format]);
        assert_eq!(code, 1);
        assert!(stdout.contains("compose/outside-file") && !stdout.contains("quokka7"), "{format}: {stderr}");
        let (code, stdout, _) = minds(&repository, &["check", "--allow-outside", "--format", format]);
        assert_eq!(code, 1);
        assert!(stdout.contains("yaml/syntax") && !stdout.contains("quokka7"), "{format}: {stdout}");
    }
    for command in [&["render"][..], &["render", "--diff"], &["compose", "show"]] {
        for flags in [&[][..], &["--allow-outside"]] {
            let (code, stdout, stderr) = minds(&repository, &[command, flags].concat());
            assert_eq!(code, 1, "{command:?}");
            assert!(!stdout.contains("quokka7") && !stderr.contains("quokka7"), "{stdout}{stderr}");
        }
    }
}

#[test]
fn flags_after_exec_are_refused_unless_repeated() {
    let folder = scaffold();
    let target = ["render", "--target", "systemd-user"];
    for flag in ["--write", "--diff", "--check"] {
        let (code, stdout, stderr) =
            minds(folder.path(), &[&target[..], &["--exec", "/bin/agent", flag]].concat());
        assert_eq!((code, stdout.as_str()), (2, ""), "{flag}");
        assert!(stderr.contains(&format!("write `{flag}` in front of `--exec`")), "{stderr}");
    }
    let ended = [&target[..], &["--exec", "/bin/agent", ";", "--write"]].concat();
    assert_eq!(minds(folder.path(), &ended).0, 0);
    let own = [&target[..], &["--write", "--exec", "/bin/agent", "--write"]].concat();
    assert_eq!(minds(folder.path(), &own).0, 0);
    let unit = fs::read_dir(folder.path().join(".team/state/services")).unwrap().count();
    assert!(unit > 0);
}

#[test]
fn unsaved_text_replaces_a_referenced_file() {
    let folder = scaffold();
    let mut command = support::command(
        folder.path(),
        &["check", "--format=concise", "--stdin-filename", ".team/projects/main.yaml"],
    );
    command.stdin(std::process::Stdio::piped()).stdout(std::process::Stdio::piped());
    let mut child = command.spawn().unwrap();
    let text = "version: 2\nproject: {id: main, name: Main, cwd: ..}\nworkers: {a: {reports_to: b}}\n";
    std::io::Write::write_all(&mut child.stdin.take().unwrap(), text.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    let stdout = String::from_utf8(output.stdout).unwrap();
    assert!(stdout.starts_with(".team/projects/main.yaml:3:27: error[compose/unknown-manager]"), "{stdout}");
}

#[test]
fn agents_are_shown_with_the_places_of_their_values() {
    let folder = scaffold();
    let (code, stdout, _) = minds(folder.path(), &["compose", "show", "coder"]);
    assert_eq!(code, 0);
    insta::assert_snapshot!(stdout);
    let (code, _, stderr) = minds(folder.path(), &["compose", "show", "main:codr"]);
    assert_eq!(
        (code, stderr.as_str()),
        (2, "error[unknown-agent]: unknown agent `main:codr`; did you mean `main:coder`?\n")
    );
}

#[cfg(unix)]
#[test]
fn a_variable_that_is_not_unicode_is_refused() {
    use std::os::unix::ffi::OsStrExt as _;
    let folder = scaffold();
    let value = std::ffi::OsStr::from_bytes(b"/srv/\xff");
    for (name, args) in [
        ("TEAMCTL_ROOT", &["render", "--write"][..]),
        ("TEAMCTL_ROOT", &["clean"]),
        ("TEAMCTL_ROOT", &["check"]),
        ("TEAMCTL_ROOT", &["compose", "show"]),
        ("TEAMCTL_TEAM_MCP", &["render", "--write"]),
    ] {
        let output = support::command(folder.path(), args).env(name, value).output().unwrap();
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{args:?}: {stderr}");
        assert_eq!(
            stderr,
            format!("error[system]: cannot use the variable `{name}`: its value is not valid UTF-8\n")
        );
    }
    assert!(!folder.path().join(".team/state").exists());
    let args = ["render", "--root", ".team", "--mcp-bin", "x"];
    for name in ["TEAMCTL_ROOT", "TEAMCTL_TEAM_MCP"] {
        let output = support::command(folder.path(), &args).env(name, value).output().unwrap();
        assert_eq!(output.status.code(), Some(0), "what an argument names is taken whatever {name} says");
    }
}

#[test]
fn the_effect_of_force_is_reported() {
    let folder = scaffold();
    minds(folder.path(), &["render", "--write"]);
    let at = |path: &str| folder.path().join(".team").join(path);
    fs::write(at("state/envs/main-coder.env"), "MINE=1\n").unwrap();
    let advice = |expected: &str| {
        let (code, _, stderr) = minds(folder.path(), &["render", "--write"]);
        assert_eq!(code, 1);
        assert!(stderr.ends_with(&format!("; {expected}; nothing was written\n")), "{stderr}");
    };
    advice("`--force` overwrites it");
    let project = fs::read_to_string(at("projects/main.yaml")).unwrap();
    let renamed = project.replace("coder:", "codex:").replace("[coder]", "[codex]");
    fs::write(at("projects/main.yaml"), renamed).unwrap();
    advice("`--force` removes it");
    fs::write(at("state/envs/main-lead.env"), "MINE=1\n").unwrap();
    advice("`--force` overwrites them, and removes those that are no longer generated");
}

#[test]
fn a_misspelled_agent_gets_a_suggestion_without_its_project() {
    let folder = scaffold();
    for wanted in ["codr", "main:codr"] {
        let (code, _, stderr) = minds(folder.path(), &["compose", "show", wanted]);
        let expected =
            format!("error[unknown-agent]: unknown agent `{wanted}`; did you mean `main:coder`?\n");
        assert_eq!((code, stderr), (2, expected));
    }
}
