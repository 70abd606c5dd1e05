//! `minds fmt`

use crate::support;

use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use tempfile::TempDir;

use support::exit_and_output;

const BEFORE: &str = "# The team.\nmembers:\n    coder:   # writes\n        model: gpt-5.2\n        # The provider.\n        \
                      provider:   codex\n";
const AFTER: &str = "# The team.\nmembers:\n  coder: # writes\n    # The provider.\n    provider: codex\n    \
                     model: gpt-5.2\n";

/// Returns a workspace with these files in `.minds/`.
fn folder(files: &[(&str, &str)]) -> TempDir {
    let folder = tempfile::tempdir().expect("a folder can be made");
    fs::create_dir(folder.path().join(".minds")).expect("a folder can be made");
    fs::create_dir(folder.path().join(".git")).expect("a folder can be made");
    for (name, text) in files {
        fs::write(folder.path().join(".minds").join(name), text).expect("a file can be written");
    }
    folder
}

fn command(directory: &Path, args: &[&str]) -> Command {
    support::command(directory, &[&["fmt"], args].concat())
}

fn minds_fmt(directory: &Path, args: &[&str]) -> (i32, String, String) {
    support::minds(directory, &[&["fmt"], args].concat())
}

fn read(folder: &TempDir, name: &str) -> String {
    fs::read_to_string(folder.path().join(".minds").join(name)).expect("the file exists")
}

#[test]
fn files_are_written_once() {
    let folder = folder(&[("team.yaml", BEFORE), ("mcp.yaml", "version: 1\nservers: {}\n")]);
    let (code, stdout, stderr) = minds_fmt(folder.path(), &[]);
    assert_eq!((code, stdout.as_str()), (0, "formatted .minds/team.yaml\n"));
    assert_eq!(stderr, "minds: formatted 1 file, 1 file already formatted\n");
    assert_eq!(read(&folder, "team.yaml"), AFTER);
    let (code, stdout, stderr) = minds_fmt(folder.path(), &[]);
    assert_eq!((code, stdout.as_str()), (0, ""));
    assert_eq!(stderr, "minds: formatted 0 files, 2 files already formatted\n");
}

#[test]
fn check_and_diff_write_nothing() {
    let folder = folder(&[("team.yaml", BEFORE)]);
    let (code, stdout, stderr) = minds_fmt(folder.path(), &["--check"]);
    assert_eq!((code, stdout.as_str()), (1, "would format .minds/team.yaml\n"));
    assert_eq!(stderr, "minds: would format 1 file\n");
    let (code, stdout, _) = minds_fmt(folder.path(), &["--diff"]);
    assert_eq!(code, 1);
    insta::assert_snapshot!(stdout);
    assert_eq!(read(&folder, "team.yaml"), BEFORE);
    assert_eq!(minds_fmt(folder.path(), &[]).0, 0);
    for flag in ["--check", "--diff"] {
        let (code, stdout, _) = minds_fmt(folder.path(), &[flag]);
        assert_eq!((code, stdout.as_str()), (0, ""), "{flag}");
    }
}

#[test]
fn a_file_with_errors_does_not_prevent_formatting_other_files() {
    let folder = folder(&[("team.yaml", BEFORE), ("llm.yaml", "providers: [\n")]);
    let (code, stdout, stderr) = minds_fmt(folder.path(), &[]);
    assert_eq!((code, stdout.as_str()), (1, "formatted .minds/team.yaml\n"));
    insta::assert_snapshot!(stderr);
    assert_eq!(read(&folder, "team.yaml"), AFTER);
    assert_eq!(read(&folder, "llm.yaml"), "providers: [\n");
    // Other files are not checked.
    assert_eq!(minds_fmt(folder.path(), &[".minds/team.yaml"]).0, 0);
    assert_eq!(minds_fmt(folder.path(), &["--check"]).0, 1);
}

#[test]
fn a_file_that_cannot_be_parsed_is_not_changed() {
    // An end marker in front of the first document is valid, but unusual.
    let text = "...\nmembers:   {}\n";
    let folder = folder(&[("team.yaml", text)]);
    let (code, stdout, stderr) = minds_fmt(folder.path(), &[]);
    assert_eq!((code, stdout.as_str()), (1, ""));
    assert_eq!(
        stderr,
        "minds: .minds/team.yaml:1:1: not formatted, because formatting could change its meaning\n\
         minds: formatted 0 files, 1 file not formatted\n"
    );
    assert_eq!(read(&folder, "team.yaml"), text);
}

#[test]
fn only_selected_files_are_formatted() {
    let folder = folder(&[("team.yaml", BEFORE), ("mcp.yaml", "servers:   {}\nversion:  1\n")]);
    let (code, stdout, _) = minds_fmt(folder.path(), &[".minds/mcp.yaml"]);
    assert_eq!((code, stdout.as_str()), (0, "formatted .minds/mcp.yaml\n"));
    assert_eq!(read(&folder, "mcp.yaml"), "version: 1\nservers: {}\n");
    assert_eq!(read(&folder, "team.yaml"), BEFORE);
    assert_eq!(minds_fmt(folder.path(), &["nowhere"]).0, 2);
    let (code, stdout, stderr) = minds_fmt(folder.path(), &[".git"]);
    assert_eq!((code, stdout.as_str()), (0, "formatted .minds/team.yaml\n"), "{stderr}");
}

#[test]
fn an_empty_directory_has_nothing_to_format() {
    let empty = tempfile::tempdir().expect("a folder can be made");
    let (code, stdout, stderr) = minds_fmt(empty.path(), &[]);
    assert_eq!((code, stdout.as_str()), (0, ""));
    assert!(stderr.starts_with("minds: nothing to format: no `.minds/`"), "{stderr}");
    let folder = folder(&[]);
    let (code, _, stderr) = minds_fmt(folder.path(), &[]);
    assert_eq!(
        (code, stderr.as_str()),
        (0, "minds: nothing to format: `.` contains no files that minds can format\n")
    );
}

#[test]
fn unsaved_text_can_be_checked() {
    let folder = folder(&[("team.yaml", BEFORE)]);
    let format = |name: &str, text: &str| {
        let mut child = command(folder.path(), &["--stdin-filename", name])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the command starts");
        child.stdin.take().expect("it reads").write_all(text.as_bytes()).expect("it reads");
        exit_and_output(&child.wait_with_output().expect("it ends"))
    };
    assert_eq!(format(".minds/team.yaml", BEFORE), (0, AFTER.to_owned(), String::new()));
    assert_eq!(format(".minds/team.yaml", AFTER), (0, AFTER.to_owned(), String::new()));
    assert_eq!(format(".minds/llm.yaml", "providers:  {}"), (0, "providers: {}\n".to_owned(), String::new()));
    let (code, stdout, stderr) = format(".minds/team.yaml", "members: [\n");
    assert_eq!((code, stdout.as_str()), (1, ""));
    assert!(stderr.starts_with("error[yaml/syntax]: `[` is not closed"), "{stderr}");
    // An editor uses the output.
    let (code, stdout, stderr) = format("README.md", "any  text\n");
    assert_eq!((code, stdout.as_str()), (0, "any  text\n"));
    assert!(stderr.contains("not a file that minds can format"), "{stderr}");
    assert_eq!(read(&folder, "team.yaml"), BEFORE);
}

#[test]
fn options_that_exclude_each_other() {
    let folder = folder(&[("team.yaml", BEFORE)]);
    for args in [
        &["--check", "--diff"][..],
        &["--stdin-filename", "x", "y"],
        &["--stdin-filename", "x", "--check"],
        &["--stdin-filename", "x", "--diff"],
    ] {
        assert_eq!(minds_fmt(folder.path(), args).0, 2, "{args:?}");
    }
    assert_eq!(read(&folder, "team.yaml"), BEFORE);
}

#[test]
fn reading_needs_no_permission_to_write() {
    let folder = folder(&[("team.yaml", BEFORE)]);
    let team = folder.path().join(".minds/team.yaml");
    let mut permissions = fs::metadata(&team).expect("the file exists").permissions();
    permissions.set_readonly(true);
    fs::set_permissions(&team, permissions).expect("the file is ours");
    let (code, stdout, _) = minds_fmt(folder.path(), &["--check"]);
    assert_eq!((code, stdout.as_str()), (1, "would format .minds/team.yaml\n"));
    assert_eq!(minds_fmt(folder.path(), &["--diff"]).0, 1);
    let (code, stdout, stderr) = minds_fmt(folder.path(), &[]);
    assert_eq!((code, stdout.as_str()), (2, ""));
    assert_eq!(stderr, "error[system]: `.minds/team.yaml` is read-only; nothing was changed\n");
    assert_eq!(read(&folder, "team.yaml"), BEFORE);
}

/// New compose roots are formatted, and their files are formatted from any directory.
#[test]
fn compose_roots_are_formatted() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    fs::create_dir(folder.path().join(".git")).expect("a folder can be made");
    let (code, _, stderr) = support::minds(folder.path(), &["init", "--compose"]);
    assert_eq!(code, 0, "{stderr}");
    let (code, stdout, stderr) = minds_fmt(folder.path(), &["--check"]);
    assert_eq!((code, stdout.as_str()), (0, ""), "{stderr}");
    let project = folder.path().join(".team/projects/main.yaml");
    let text = fs::read_to_string(&project).expect("the file exists");
    fs::write(&project, text.replace("version: 2\n", "version:   2\n")).expect("the file can be written");
    for (args, shown) in [
        (&["--check"][..], "would format .team/projects/main.yaml\n"),
        (&["--check", ".team/projects"], "would format .team/projects/main.yaml\n"),
        (&["--check", ".team"], "would format .team/projects/main.yaml\n"),
    ] {
        let (code, stdout, stderr) = minds_fmt(folder.path(), args);
        assert_eq!((code, stdout.as_str()), (1, shown), "{args:?}: {stderr}");
    }
    let (code, _, stderr) = minds_fmt(folder.path(), &[]);
    assert_eq!(code, 0, "{stderr}");
    assert_eq!(fs::read_to_string(&project).expect("the file exists"), text);
}
