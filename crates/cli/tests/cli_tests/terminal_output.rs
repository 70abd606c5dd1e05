//! A terminal displays the contents of files, but executes none of it; a pipe gets them byte for byte.
#![cfg(unix)]

use crate::support;
use crate::support::terminal;

use std::fs;
use std::path::Path;
use std::process::Command;

use support::{command, exit_and_output};
use terminal::Terminal;

/// Sequences that a terminal would execute, and characters that it would not display. The command does not write any of them
/// itself, unlike colors.
const PLANTED: [&str; 7] =
    ["\u{1b}[2J", "\u{1b}]0;title\u{7}", "\u{1b}[8m", "\u{9b}31m", "\u{202e}", "\u{e0041}", "\u{200b}"];

fn planted_text() -> String {
    format!("planted {} visible\rover", PLANTED.concat())
}

fn write(folder: &Path, path: &str, text: &str) {
    let path = folder.join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(&path, text.replace("PLANTED", &planted_text())).unwrap();
}

/// Returns a workspace in which all text contains the planted characters.
fn workspace() -> tempfile::TempDir {
    let escaped = "planted \\e[2J\\e]0;title\\a\\e[8m\\x9b31m\\u202e\\U000E0041\\u200b visible";
    let place = tempfile::tempdir().unwrap();
    let folder = place.path();
    let team = "member_defaults: {provider: codex, model: gpt-5.2, no_read_dirs: [secret]}\nmembers:\n    coder: {name: \"ESCAPED\", gofor: \
                [\"ESCAPED\"], toolsets: [ws_read, team_mgmt], unknown: 1}\n";
    write(folder, ".minds/team.yaml", &team.replace("ESCAPED", escaped));
    write(folder, ".minds/team/coder/persona.md", "You write. PLANTED\n");
    write(folder, ".team/team-compose.yaml", "version: 2\nprojects: [{file: projects/shop.yaml}]\n");
    let shop = "version: 2\nproject: {id: shop, name: \"ESCAPED\", cwd: .}\nmanagers:\n  lead: {runtime: codex, role_prompt: roles/lead.md, \
                display_name: \"ESCAPED\"}\n";
    write(folder, ".team/projects/shop.yaml", &shop.replace("ESCAPED", escaped));
    write(folder, ".team/roles/lead.md", "You lead. PLANTED\n");
    write(folder, ".ateam/project.yaml", &"name: \"ESCAPED\"\n".replace("ESCAPED", escaped));
    write(folder, ".ateam/agents/zeus/agent.yaml", "name: zeus\nmodel: small\nprompt: {base: base.md}\n");
    write(folder, ".ateam/agents/zeus/base.md", "You rule. PLANTED\n");
    for section in ["goals", "constraints", "progress", "bearinmind/risks", "ux/checklist"] {
        write(folder, &format!("tasks/ship.tsk/{section}.md"), "Ship it. PLANTED\nSecond line.\n");
    }
    write(folder, "src/skills/review/SKILL.md", "---\ndescription: x PLANTED\n---\nPLANTED\n");
    place
}

fn minds(folder: &Path, args: &[&str]) -> Command {
    let mut command = command(folder, args);
    command.env("HOME", folder.join("home")).env("MINDS_HOME", folder.join("home/.minds-home"));
    command
}

/// Commands that print text of files.
const COMMANDS: &[&[&str]] = &[
    &["task", "show", "ship", "--effective"],
    &["task", "show", "ship", "--section", "goals"],
    &["task", "show", "ship"],
    &["task", "recall", "checklist", "--category", "ux"],
    &["task", "ls"],
    &["task", "log", "ship"],
    &["task", "blame", "goals"],
    &["task", "diff", "ship"],
    &["task", "verify", "ship"],
    &["check"],
    &["check", "--format", "concise"],
    &["check", "--format", "github"],
    &["check", "--color", "always"],
    &["check", "--diff"],
    &["fmt", "--diff"],
    &["team", "show"],
    &["access", "lint"],
    &["compose", "show"],
    &["fleet", "show"],
    &["prompt", "show", "--agent", "zeus"],
    &["render", "--diff"],
    &["files", "read", ".minds/team/coder/persona.md"],
    &["files", "search", "planted"],
    &["review", "src"],
    &["probe", "src"],
    &["recall"],
];

#[test]
fn a_terminal_receives_no_control_sequences_of_files() {
    let place = workspace();
    let mut shown = 0;
    let wrong: &[&str] = &["unknown\u{1b}[2J\u{202e}"];
    for args in COMMANDS.iter().copied().chain([wrong]) {
        let end = Terminal::start(minds(place.path(), args)).end();
        for planted in PLANTED {
            assert!(!end.transcript.contains(planted), "{args:?}: {planted:?} in {:?}", end.transcript);
        }
        // The terminal writes each line feed as a carriage return and a line feed.
        assert!(!end.transcript.replace("\r\n", "").contains('\r'), "{args:?}: {:?}", end.transcript);
        assert_eq!(end.transcript.contains("Usage: "), args == wrong, "{args:?}: {}", end.transcript);
        shown += usize::from(end.transcript.contains("\\u{1b}[2J"));
    }
    assert!(shown >= 12, "only {shown} commands show what is planted");
}

#[test]
fn a_pipe_gets_content_byte_for_byte() {
    let place = workspace();
    for args in [
        ["task", "show", "ship", "--effective"].as_slice(),
        &["task", "show", "ship", "--section", "goals"],
        &["files", "read", ".minds/team/coder/persona.md"],
        &["prompt", "show", "--agent", "zeus"],
    ] {
        let (_, stdout, stderr) = exit_and_output(&minds(place.path(), args).output().unwrap());
        assert!(stdout.contains(&planted_text()), "{args:?}: {stdout:?} {stderr}");
    }
}

#[test]
fn json_has_only_visible_characters_and_the_same_content() {
    let place = workspace();
    for args in [
        ["task", "show", "ship", "--effective", "--format", "json"].as_slice(),
        &["check", "--format", "json"],
        &["check", "--format", "sarif"],
        &["team", "show", "--format", "json"],
        &["compose", "show", "--format", "json"],
        &["fleet", "show", "--format", "json"],
        &["files", "read", ".minds/team/coder/persona.md", "--format", "json"],
    ] {
        let (_, stdout, stderr) = exit_and_output(&minds(place.path(), args).output().unwrap());
        let document: serde_json::Value = serde_json::from_str(&stdout).expect(&stderr);
        assert!(document.to_string().contains('\u{202e}'), "{args:?}: {stdout}");
        let is_hidden = |c: char| c != '\n' && (c.is_control() || PLANTED.concat().contains(c));
        let is_shown = |c: char| !is_hidden(c) || c.is_ascii_graphic();
        assert!(stdout.chars().all(is_shown), "{args:?}: {stdout:?}");
    }
}

#[test]
fn a_large_matrix_shows_its_progress_on_a_terminal_only() {
    // Each member has a directory of its own, so the matrix has more than 100,000 cells.
    let members: String = (0..330).map(|n| format!("  m{n}: {{write_dirs: [d{n}]}}\n")).collect();
    let place = tempfile::tempdir().unwrap();
    write(place.path(), ".minds/team.yaml", &format!("members:\n{members}"));
    fs::create_dir(place.path().join(".git")).unwrap();
    let bar = "computing the matrix [";
    let matrix = |args: &[&str]| minds(place.path(), &[&["access", "matrix"], args].concat());
    // stdout is redirected, so that the terminal shows stderr only.
    let on_terminal = |args: &[&str]| {
        let mut command = Command::new("sh");
        command.args([
            "-c",
            "exec \"$@\" > /dev/null",
            "sh",
            env!("CARGO_BIN_EXE_minds"),
            "access",
            "matrix",
        ]);
        command.args(args).current_dir(place.path());
        Terminal::start(command).end()
    };
    let shown = on_terminal(&[]);
    assert_eq!(shown.exit, Some(0), "{}", shown.transcript);
    assert!(shown.transcript.contains(bar) && shown.transcript.contains("100 %"), "{:?}", shown.transcript);
    // The bar is erased at the end.
    assert!(shown.transcript.ends_with(" \r"), "{:?}", shown.transcript);
    let quiet = on_terminal(&["--quiet"]);
    assert_eq!((quiet.exit, quiet.transcript.as_str()), (Some(0), ""));
    let (code, _, stderr) = exit_and_output(&matrix(&[]).output().unwrap());
    assert_eq!((code, stderr.as_str()), (0, ""));
}
