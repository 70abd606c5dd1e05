//! Locks of other processes: on readable files, which must not matter, and on lock files of `minds`.
#![cfg(unix)]

use std::fs::{self, File};
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Command, Output, Stdio};

use serde_json::{Value, json};
use tempfile::TempDir;

const TEAM: &str = "members:\n    coder:\n        model: gpt-5.2\n        provider: codex\n";

struct Workspace {
    folder: TempDir,
    home: TempDir,
}

impl Workspace {
    fn new() -> Self {
        let workspace = Self { folder: tempfile::tempdir().unwrap(), home: tempfile::tempdir().unwrap() };
        fs::create_dir_all(workspace.path().join(".git")).unwrap();
        fs::create_dir_all(workspace.path().join(".minds")).unwrap();
        fs::write(workspace.path().join(".minds/team.yaml"), TEAM).unwrap();
        fs::write(workspace.path().join("text"), "text\n").unwrap();
        assert!(workspace.run(&["task", "new", "demo"], "0").status.success());
        workspace
    }

    fn path(&self) -> &Path {
        self.folder.path()
    }

    fn command(&self, args: &[&str], timeout: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_minds"));
        command.args(args).current_dir(self.path()).env("MINDS_HOME", self.home.path());
        command.env("HOME", self.home.path()).env("USER", "alice").env("MINDS_LOCK_TIMEOUT", timeout);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    fn run(&self, args: &[&str], timeout: &str) -> Output {
        self.command(args, timeout).output().unwrap()
    }

    /// Locks all files of a directory, opened for reading.
    fn lock_all(directory: &Path, held: &mut Vec<File>) {
        for entry in fs::read_dir(directory).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                Self::lock_all(&path, held);
            }
            let file = File::open(&path).unwrap();
            file.lock().unwrap();
            held.push(file);
        }
    }
}

/// Commands that change something, and the lock file that each of them needs.
const COMMANDS: [(&[&str], &str); 7] = [
    (&["task", "set", "goals", "--from", "text"], "tasks/demo.tsk/.journal.jsonl.minds-lock"),
    (&["task", "append", "progress", "--from", "text"], "tasks/demo.tsk/.journal.jsonl.minds-lock"),
    (&["fmt"], ".minds/.team.yaml.minds-new"),
    (&["tool", "call", "team_mgmt_rm_file", "--args", "{\"path\": \".minds/team.yaml\"}"], ""),
    (&["task", "verify"], "tasks/demo.tsk/.journal.jsonl.minds-lock"),
    (&["init"], ""),
    (&["task", "new", "other"], ""),
];

#[test]
fn locks_of_other_users_do_not_block_commands() {
    for (args, _) in COMMANDS {
        let workspace = Workspace::new();
        let free = workspace.run(args, "0").status.code();
        let workspace = Workspace::new();
        let mut held = Vec::new();
        Workspace::lock_all(workspace.path(), &mut held);
        let output = workspace.run(args, "0");
        let printed = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), free, "{args:?}: {printed}");
        assert!(!printed.contains("locked"), "{args:?}: {printed}");
    }
}

#[test]
fn a_held_lock_is_a_system_error_that_names_the_process() {
    for (args, lock) in [COMMANDS[0], COMMANDS[2], COMMANDS[4]] {
        let workspace = Workspace::new();
        let lock = workspace.path().join(lock);
        let held = File::create(&lock).unwrap();
        held.lock().unwrap();
        let before = fs::read(workspace.path().join("tasks/demo.tsk/goals.md")).unwrap();
        let output = workspace.run(args, "0");
        let printed = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{args:?}: {printed}");
        if cfg!(target_os = "linux") {
            let name = format!("locked by process {}", std::process::id());
            assert!(printed.contains(&name), "{args:?}: {printed}");
        }
        assert_eq!(fs::read(workspace.path().join("tasks/demo.tsk/goals.md")).unwrap(), before);
        assert_eq!(fs::read_to_string(workspace.path().join(".minds/team.yaml")).unwrap(), TEAM);
        drop(held);
        assert_eq!(workspace.run(args, "0").status.code(), Some(0), "{args:?}");
    }
}

#[test]
fn json_has_the_code() {
    let workspace = Workspace::new();
    let held = File::create(workspace.path().join("tasks/demo.tsk/.journal.jsonl.minds-lock")).unwrap();
    held.lock().unwrap();
    let output = workspace.run(&["task", "--format", "json", "set", "goals", "--from", "text"], "0");
    let document: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((&document["code"], output.status.code()), (&json!("LOCKED"), Some(2)), "{document}");
    let args = json!({"selector": "goals", "content": "x\n"}).to_string();
    let output = workspace.run(&["tool", "call", "change_mind", "--args", &args], "0");
    let document: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((&document["code"], output.status.code()), (&json!("LOCKED"), Some(2)), "{document}");
}

#[test]
fn a_wait_is_reported_and_ends_when_the_lock_is_released() {
    let workspace = Workspace::new();
    let held = File::create(workspace.path().join("tasks/demo.tsk/.journal.jsonl.minds-lock")).unwrap();
    held.lock().unwrap();
    let mut child = workspace.command(&["task", "set", "goals", "--from", "text"], "600").spawn().unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
    let line = lines.next().unwrap().unwrap();
    assert!(line.starts_with("minds: waiting for `tasks/demo.tsk/journal.jsonl`, which "), "{line}");
    assert!(line.ends_with(" has locked, for at most 600 s"), "{line}");
    drop(held);
    assert!(child.wait().unwrap().success());
    assert_eq!(fs::read_to_string(workspace.path().join("tasks/demo.tsk/goals.md")).unwrap(), "text\n");
}

#[test]
fn an_invalid_timeout_is_refused() {
    let workspace = Workspace::new();
    for timeout in ["", "soon", "-1", "1.5"] {
        let output = workspace.run(&["check"], timeout);
        let printed = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{timeout}: {printed}");
        assert!(printed.contains("`MINDS_LOCK_TIMEOUT` must be a number of seconds"), "{printed}");
    }
}

#[test]
fn an_unusable_journal_is_reported_with_a_help() {
    for (kind, what) in
        [("directory", "a directory"), ("link", "a symbolic link"), ("pipe", "not a regular file")]
    {
        for args in [&["fmt"][..], &["task", "set", "goals", "--from", "text"], &["init", "--editor", "zed"]]
        {
            let workspace = Workspace::new();
            let journal = workspace.path().join(".minds-journal");
            match kind {
                "directory" => fs::create_dir(&journal).unwrap(),
                "link" => std::os::unix::fs::symlink("text", &journal).unwrap(),
                _ => assert!(Command::new("mkfifo").arg(&journal).status().unwrap().success()),
            }
            let output = workspace.run(args, "0");
            let printed = String::from_utf8_lossy(&output.stderr).into_owned();
            assert!(!output.status.success(), "{kind} {args:?}");
            assert!(
                printed.contains(&format!("`.minds-journal`: it is {what}")),
                "{kind} {args:?}: {printed}"
            );
            assert!(printed.contains("remove it"), "{kind} {args:?}: {printed}");
            assert!(!printed.contains("help: try again"), "{kind} {args:?}: {printed}");
        }
    }
}
