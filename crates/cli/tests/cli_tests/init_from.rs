//! `minds init --from`.

use crate::support::minds;

use std::fs;
use std::path::Path;

use tempfile::TempDir;

fn workspace(files: &[(&str, &str)]) -> TempDir {
    let folder = tempfile::tempdir().expect("a folder can be made");
    for (path, text) in files {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().expect("a path in the folder")).expect("a folder can be made");
        fs::write(path, text).expect("a file can be written");
    }
    folder
}

const AGENT: (&str, &str) = (
    ".claude/agents/reviewer.md",
    "---\nname: reviewer\ndescription: Reviews changes.\ntools: Read, Grep, Glob\n---\nRead the changes.\n",
);
const SETTINGS: (&str, &str) = (
    ".claude/settings.json",
    "{\"model\": \"sonnet\", \"permissions\": {\"deny\": [\"Read(/secrets/**)\"]}}\n",
);
const SERVERS: (&str, &str) = (".mcp.json", "{\"mcpServers\": {\"notes\": {\"command\": \"notes-mcp\"}}}\n");

fn exists(folder: &TempDir, path: &str) -> bool {
    Path::new(&folder.path().join(path)).exists()
}

#[test]
fn a_team_is_made_once() {
    let folder = workspace(&[AGENT, SETTINGS, SERVERS]);
    let (code, stdout, stderr) = minds(folder.path(), &["init", "--from", "claude-code"]);
    assert_eq!(
        (code, stdout.as_str(), stderr.as_str()),
        (
            0,
            "member reviewer from .claude/agents/reviewer.md\nserver notes from .mcp.json\nwrote .minds/team.yaml\nwrote \
             .minds/mcp.yaml\nwrote .minds/team/reviewer/persona.md\nnext: run `minds check`, then `minds team show` and \
             `minds access matrix`\n",
            "minds: 1 member and 1 server from Claude Code: 0 warnings, 0 infos\n"
        )
    );
    assert_eq!(minds(folder.path(), &["check"]).0, 0);
    let may = |op: &str, path: &str| {
        minds(folder.path(), &["access", "check", "--member", "reviewer", "--op", op, path]).0
    };
    assert_eq!((may("read", "src/a"), may("read", "secrets/a"), may("write", "secrets/a")), (0, 1, 1));
    let (code, stdout, stderr) = minds(folder.path(), &["init", "--from", "auto"]);
    assert_eq!((code, stdout.as_str()), (1, ""));
    assert_eq!(
        stderr,
        "error[exists]: `.minds` already exists, so it is not made from files of clients; nothing was written\n"
    );
}

#[test]
fn a_dry_run_shows_and_writes_nothing() {
    let folder = workspace(&[AGENT, SETTINGS]);
    let (code, stdout, stderr) = minds(folder.path(), &["init", "--from", "auto", "--dry-run"]);
    assert_eq!(code, 0);
    assert!(stdout.starts_with("--- /dev/null\n+++ b/.minds/team.yaml\n"), "{stdout}");
    assert!(stderr.ends_with("; dry run, nothing was written\n"), "{stderr}");
    assert!(!exists(&folder, ".minds"));
}

#[test]
fn an_empty_directory_has_nothing_to_import() {
    let folder = workspace(&[]);
    let (code, stdout, stderr) = minds(folder.path(), &["init", "--from", "codex"]);
    assert_eq!((code, stdout.as_str()), (0, ""));
    assert_eq!(
        stderr,
        "minds: nothing to import: there are no agents or MCP servers of Codex in `.codex/`\n"
    );
    let (code, stdout, stderr) = minds(folder.path(), &["init", "--from", "auto", "--json"]);
    assert_eq!((code, stderr.as_str()), (0, ""));
    assert!(stdout.contains("\"members\":[]"), "{stdout}");
}

#[test]
fn settings_that_cannot_be_read_prevent_writing() {
    let folder = workspace(&[AGENT, (".claude/settings.json", "{\"permissions\": {\"deny\": [}}")]);
    let (code, stdout, stderr) = minds(folder.path(), &["init", "--from", "auto"]);
    assert_eq!((code, stdout.as_str()), (1, ""));
    assert!(stderr.contains("error[import/unreadable]: `.claude/settings.json` cannot be read"), "{stderr}");
    assert!(
        stderr.ends_with("error[unreadable]: a file of a client cannot be read; nothing was written\n"),
        "{stderr}"
    );
    let (code, stdout, _) = minds(folder.path(), &["init", "--from", "auto", "--json"]);
    assert_eq!(code, 1);
    assert!(stdout.contains("\"refused\":true") && !exists(&folder, ".minds"), "{stdout}");
}

#[test]
fn findings_have_places_and_no_secrets() {
    let servers =
        "{\"mcpServers\": {\"notes\": {\"command\": \"x\", \"env\": {\"API_PASSWORD\": \"q8Zr4mLw2x\"}}}}\n";
    let folder = workspace(&[AGENT, SETTINGS, (".mcp.json", servers)]);
    let (code, stdout, stderr) = minds(folder.path(), &["init", "--from", "claude-code"]);
    assert_eq!(code, 0);
    assert!(stderr.contains("warning[import/literal-secret]"), "{stderr}");
    assert!(stderr.contains(" --> .mcp.json:1:"), "{stderr}");
    assert!(!stderr.contains("q8Zr4mLw2x") && !stdout.contains("q8Zr4mLw2x"), "{stderr}");
    let text = fs::read_to_string(folder.path().join(".minds/mcp.yaml")).expect("the file was written");
    assert!(text.contains("API_PASSWORD:\n        env: API_PASSWORD\n"), "{text}");
}

#[test]
fn an_unknown_client_and_other_scaffolds_are_wrong_usage() {
    let folder = workspace(&[]);
    for args in [&["init", "--from", "vim"][..], &["init", "--from", "auto", "--fleet"]] {
        assert_eq!(minds(folder.path(), args).0, 2, "{args:?}");
    }
}
