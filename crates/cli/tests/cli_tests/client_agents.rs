//! `minds render` for the members of a team, and `minds clean`.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use crate::support;
use support::minds;
use tempfile::TempDir;

const TEAM: &str = "\
member_defaults:
  provider: anthropic
  model: claude-sonnet-4.5
  toolsets: [ws_read]
members:
  coder:
    gofor: writing code
    toolsets: [ws_read, ws_mod]
    write_dirs: [src]
  reviewer:
    gofor: reviewing changes
";

const SETTINGS: &str = "{\n  \"env\": {\"KEY\": \"hunter2\"}\n}\n";

/// Returns a workspace with a team and settings of another program.
fn workspace(team: &str) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for directory in [".git", ".minds/team/coder", ".claude"] {
        fs::create_dir_all(folder.path().join(directory)).unwrap();
    }
    for (path, text) in [
        (".minds/team.yaml", team),
        (".minds/team/coder/persona.md", "You write code.\n"),
        (".claude/settings.json", SETTINGS),
        ("CLAUDE.md", "# Mine\n"),
    ] {
        fs::write(folder.path().join(path), text).unwrap();
    }
    folder
}

/// Returns all files below a directory.
fn files(directory: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut files = BTreeMap::new();
    let mut directories = vec![directory.to_owned()];
    while let Some(next) = directories.pop() {
        for entry in fs::read_dir(&next).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                directories.push(path);
            } else {
                let name = path.strip_prefix(directory).unwrap().to_str().unwrap().to_owned();
                files.insert(name, fs::read(&path).unwrap());
            }
        }
    }
    files
}

#[test]
fn a_team_is_rendered_checked_and_removed_again() {
    let folder = workspace(TEAM);
    let before = files(folder.path());
    let (code, stdout, stderr) = minds(folder.path(), &["render", "--target", "all:claude-code"]);
    assert_eq!(code, 0, "{stderr}");
    insta::assert_snapshot!(stdout + &stderr);
    assert_eq!(files(folder.path()), before);

    let (code, stdout, stderr) = minds(folder.path(), &["render", "--target", "all:claude-code", "--diff"]);
    assert_eq!(code, 0, "{stderr}");
    assert!(stdout.contains("+tools: [\"Read\", \"Grep\", \"Glob\"]\n"), "{stdout}");
    assert!(!stdout.contains("hunter2"), "{stdout}");

    let (code, ..) = minds(folder.path(), &["render", "--target", "all:claude-code", "--write"]);
    assert_eq!(code, 0);
    // What was rendered is known.
    let (code, stdout, stderr) = minds(folder.path(), &["render", "--check"]);
    assert_eq!((code, stdout.as_str()), (0, ""), "{stderr}");
    let team = TEAM.replace("reviewing changes", "reviewing texts");
    fs::write(folder.path().join(".minds/team.yaml"), team).unwrap();
    let (code, stdout, _) = minds(folder.path(), &["render", "--check"]);
    assert_eq!(
        (code, stdout.as_str()),
        (1, "changed    .claude/agents/reviewer.md\nchanged    CLAUDE.md\nchanged    .minds-manifest.json\n")
    );
    assert_eq!(minds(folder.path(), &["render", "--write"]).0, 0);

    let (code, stdout, _) = minds(folder.path(), &["clean"]);
    assert_eq!(code, 0);
    assert!(stdout.contains("removed the parts of the team from CLAUDE.md\n"), "{stdout}");
    fs::write(folder.path().join(".minds/team.yaml"), TEAM).unwrap();
    assert_eq!(files(folder.path()), before);
}

#[test]
fn a_member_that_is_removed_takes_its_files_with_it() {
    let folder = workspace(TEAM);
    assert_eq!(minds(folder.path(), &["render", "--target", "all:opencode", "--write"]).0, 0);
    let agent = folder.path().join(".opencode/agents/reviewer.md");
    assert!(agent.exists());
    let team = TEAM.split("  reviewer:").next().unwrap();
    fs::write(folder.path().join(".minds/team.yaml"), team).unwrap();
    assert_eq!(minds(folder.path(), &["render", "--write"]).0, 0);
    assert!(!agent.exists() && folder.path().join(".opencode/agents/coder.md").exists());
}

/// A role of Codex has no limits, so a member with limits needs the hook or the word of the user.
#[test]
fn a_member_is_not_wider_than_its_lists_unless_it_is_named() {
    let folder = workspace(TEAM);
    let agents = ["render", "--target", "agents:codex", "--write"];
    let (code, _, stderr) = minds(folder.path(), &agents);
    assert_eq!(code, 0);
    assert!(
        stderr.contains("warning[render/member-left-out]: the member `coder` is not rendered for Codex CLI"),
        "{stderr}"
    );
    assert!(!folder.path().join(".codex").exists());

    let (code, _, stderr) = minds(folder.path(), &[&agents[..], &["--allow-wider", "coder"]].concat());
    assert_eq!(code, 0);
    assert!(stderr.contains("warning[render/wider]"), "{stderr}");
    assert!(folder.path().join(".codex/agents/coder.toml").exists());
    // The word is remembered until the targets are given again.
    assert_eq!(minds(folder.path(), &["render", "--check"]).0, 0);
    assert_eq!(minds(folder.path(), &agents).0, 0);
    assert!(!folder.path().join(".codex/agents/coder.toml").exists());

    let (code, _, stderr) =
        minds(folder.path(), &["render", "--target", "all:codex", "--write", "--member", "reviewer"]);
    assert_eq!(code, 0, "{stderr}");
    assert!(folder.path().join(".codex/agents/coder.toml").exists());
    let hook = fs::read_to_string(folder.path().join(".codex/hooks.json")).unwrap();
    assert!(hook.contains("hook codex --member reviewer || exit 2"), "{hook}");
}

#[test]
fn nothing_is_written_if_something_is_wrong() {
    let folder = workspace(TEAM);
    let target = ["render", "--target", "all:claude-code", "--write"];
    let check = |code: i32, words: &str, args: &[&str]| {
        let before = files(folder.path());
        let (found, _, stderr) = minds(folder.path(), args);
        assert_eq!(found, code, "{stderr}");
        assert!(stderr.contains(words), "{stderr}");
        assert_eq!(files(folder.path()), before);
    };
    check(2, "no member `codr`", &[&target[..], &["--allow-wider", "codr"]].concat());
    fs::write(folder.path().join(".claude/settings.json"), "{\"env\": {},}").unwrap();
    check(1, "error[render/unmergeable]", &target);
    fs::write(folder.path().join(".claude/settings.json"), SETTINGS).unwrap();
    fs::write(folder.path().join(".claude/agents"), "a file").unwrap();
    check(1, "`.claude/agents/coder.md` cannot be written", &target);
    fs::remove_file(folder.path().join(".claude/agents")).unwrap();
    fs::write(folder.path().join(".minds/team.yaml"), TEAM.replace("  coder:", "  coder: [")).unwrap();
    check(1, "so nothing is generated", &target);
    fs::remove_file(folder.path().join(".minds/team.yaml")).unwrap();
    check(0, "there is no `.minds/team.yaml`", &target);
}

#[test]
fn a_confined_session_has_only_the_tools_of_the_team() {
    let folder = workspace(TEAM);
    let targets = ["render", "--target", "confined:claude-code", "--target", "confined:opencode", "--write"];
    let (code, _, stderr) = minds(folder.path(), &targets);
    assert_eq!(code, 0, "{stderr}");
    let read = |path: &str| fs::read_to_string(folder.path().join(path)).unwrap();
    insta::assert_snapshot!(
        [
            read(".claude-coder.confined.json"),
            read(".claude-coder.confined.mcp.json"),
            read(".opencode/agents/coder.confined.md"),
            read("opencode.json"),
        ]
        .join("-----\n")
    );
    assert_eq!(minds(folder.path(), &["render", "--check"]).0, 0);
}
