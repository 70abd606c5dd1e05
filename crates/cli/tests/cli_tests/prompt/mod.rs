//! `minds prompt`: refusals, concurrent changes, and editors.
#![cfg(unix)]

mod appending;
mod default_agent;
mod editing;
mod interrupting;
use crate::support;
use crate::support::terminal;
mod tools;

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use tempfile::TempDir;

use support::{command, exit_and_output};

/// The overlay of the first agent, from the top of its fleet.
pub(crate) const OVERLAY: &str = ".ateam/agents/zeus/system_overlay.md";

/// A home, and below it a workspace in a directory that may be a layer too.
pub(crate) struct Place(TempDir);

impl Place {
    pub(crate) fn new() -> Self {
        let place = Self(tempfile::tempdir().expect("a folder can be made"));
        fs::create_dir_all(place.app()).expect("a folder can be made");
        assert_eq!(place.minds(&["init", "--fleet"]).0, 0);
        place
    }

    pub(crate) fn home(&self) -> PathBuf {
        self.0.path().join("home")
    }

    pub(crate) fn outer(&self) -> PathBuf {
        self.home().join("work")
    }

    pub(crate) fn app(&self) -> PathBuf {
        self.outer().join("app")
    }

    /// Writes a file below a directory.
    pub(crate) fn write(folder: &Path, path: &str, text: &str) -> PathBuf {
        let path = folder.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        path
    }

    pub(crate) fn overlay(&self) -> String {
        fs::read_to_string(self.app().join(OVERLAY)).unwrap()
    }

    pub(crate) fn command(&self, args: &[&str], editor: &str) -> Command {
        let mut command = command(&self.app(), args);
        command
            .env("HOME", self.home())
            .env("MINDS_HOME", self.0.path().join("minds"))
            .env_remove("ATEAM_EDITOR")
            .env_remove("VISUAL")
            .env("EDITOR", editor);
        command
    }

    pub(crate) fn minds(&self, args: &[&str]) -> (i32, String, String) {
        self.edited_by("false", args)
    }

    pub(crate) fn edited_by(&self, editor: &str, args: &[&str]) -> (i32, String, String) {
        exit_and_output(&self.command(args, editor).output().expect("the command starts"))
    }

    /// Runs the command with input on stdin.
    pub(crate) fn run_with_input(&self, args: &[&str], input: &str) -> (i32, String, String) {
        let mut command = self.command(args, "false");
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("the command starts");
        // The command may end before it has read everything.
        let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
        exit_and_output(&child.wait_with_output().expect("the command ends"))
    }

    /// Returns the contents of the remaining copies for editors.
    pub(crate) fn remaining_copies(&self) -> Vec<String> {
        let files = fs::read_dir(self.0.path().join("minds/edits")).into_iter().flatten().flatten();
        files.map(|entry| fs::read_to_string(entry.path()).unwrap()).collect()
    }
}
