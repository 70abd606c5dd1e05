//! Verbs of `minds fleet` that another program has.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;
use tempfile::TempDir;

use crate::support::exit_and_output;

/// The program in a folder of its own, with no other program beside it.
struct Installed {
    folder: TempDir,
}

impl Installed {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        for name in ["bin", "path", "work"] {
            fs::create_dir(folder.path().join(name)).unwrap();
        }
        let (program, target) = (Path::new(env!("CARGO_BIN_EXE_minds")), folder.path().join("bin/minds"));
        if fs::hard_link(program, &target).is_err() {
            fs::copy(program, &target).unwrap();
        }
        Self { folder }
    }

    fn path(&self, path: &str) -> PathBuf {
        self.folder.path().join(path)
    }

    /// Adds a program that prints its name and arguments, and ends with 7.
    fn add(&self, folder: &str) {
        let file = self.path(folder).join("minds-fleet");
        fs::write(&file, format!("#!/bin/sh\necho {folder} \"$@\"\nexit 7\n")).unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).unwrap();
    }

    fn run(&self, program: &str, args: &[&str]) -> (i32, String, String) {
        let mut command = Command::new(self.path(program));
        command.args(args).current_dir(self.path("work")).env("PATH", self.path("path"));
        exit_and_output(&command.output().unwrap())
    }
}

#[test]
fn the_program_beside_this_one_takes_its_place() {
    let installed = Installed::new();
    installed.add("path");
    let run = |args: &[&str]| installed.run("bin/minds", args);
    assert_eq!(
        run(&["fleet", "ps", "--json"]),
        (7, "path -C . --color auto ps --json\n".into(), String::new())
    );
    installed.add("bin");
    assert_eq!(run(&["fleet", "ps"]), (7, "bin -C . --color auto ps\n".into(), String::new()));
    let args = ["-C", "..", "--color", "never", "fleet", "send", "zeus", "--wait", "it's -C x", "--help"];
    let expected = "bin -C .. --color never send zeus --wait it's -C x --help\n";
    assert_eq!(run(&args), (7, expected.into(), String::new()));
    assert_eq!(run(&["help", "fleet", "ps"]), (7, "bin -C . --color auto ps --help\n".into(), String::new()));
    let (code, _, stderr) = run(&["help", "fleet", "pss"]);
    assert_eq!(code, 2);
    assert!(stderr.contains("no such command: `fleet pss`; did you mean `ps`?"), "{stderr}");
    assert!(run(&["help", "fleet", "show"]).1.contains("Usage: minds fleet show"));
    // A link to this program is not where its folder is.
    symlink(installed.path("bin/minds"), installed.path("path/m")).unwrap();
    assert_eq!(installed.run("path/m", &["fleet", "up"]).1, "bin -C . --color auto up\n");
}

#[test]
fn a_missing_program_is_named() {
    let installed = Installed::new();
    let missing = "needs the program `minds-fleet`, which is not installed: run `cargo install --path crates/fleet-cli`\n";
    for (verb, near) in [("ps", ""), ("sohw", "did you mean `show`? "), ("shows", "did you mean `show`? ")] {
        let (code, stdout, stderr) = installed.run("bin/minds", &["fleet", verb, "x"]);
        assert_eq!((code, stdout.as_str()), (2, ""), "{verb}");
        assert_eq!(stderr, format!("minds: {near}`minds fleet {verb}` {missing}"), "{verb}");
    }
    let (code, stdout, _) = installed.run("bin/minds", &["fleet", "ps", "--json"]);
    let document: Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!((code, &document["error"]["kind"]), (2, &"system".into()));
}

#[test]
fn a_program_that_cannot_be_started_is_an_error() {
    let installed = Installed::new();
    let file = installed.path("bin/minds-fleet");
    fs::write(&file, "#!/no/such/shell\n").unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).unwrap();
    let (code, _, stderr) = installed.run("bin/minds", &["fleet", "ps"]);
    assert!(code == 2 && stderr.contains("cannot be started"), "{stderr}");
}

#[test]
fn the_help_lists_the_verbs_of_both_programs() {
    let installed = Installed::new();
    let (code, help, _) = installed.run("bin/minds", &["fleet", "--help"]);
    assert_eq!(code, 0);
    for verb in ["show", "up", "ps", "send", "tail"] {
        assert!(help.lines().any(|line| line.starts_with(&format!("  {verb} "))), "{verb}: {help}");
    }
    let (code, _, stderr) = installed.run("bin/minds", &["fleet"]);
    assert!(code == 2 && stderr.contains("Usage: minds fleet"), "{stderr}");
}
