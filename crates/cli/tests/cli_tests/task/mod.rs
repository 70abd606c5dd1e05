//! `minds task`: packages from the command line.

mod changing;
mod editing;
mod history;
mod merging;
mod migrating;
mod refused_callers;
use crate::contract::documents::assert_has_schema;
use crate::support;
mod unreadable;

use std::collections::BTreeMap;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use serde_json::Value;
use tempfile::TempDir;

use support::{command, exit_and_output};

/// A workspace with the package `demo`, and its own state directory.
pub(crate) struct Place(TempDir);

impl Place {
    pub(crate) fn new() -> Self {
        let place = Self(tempfile::tempdir().expect("a folder can be made"));
        let members = "member_defaults: {provider: codex, model: gpt-5.2}\nmembers:\n  coder: {}\n";
        fs::create_dir_all(place.root().join(".minds")).expect("a folder can be made");
        fs::create_dir_all(place.0.path().join(".git")).expect("a folder can be made");
        fs::write(place.root().join(".minds/team.yaml"), members).expect("a file can be written");
        assert_eq!(
            place.minds(&["new", "demo"]),
            (0, "created `tasks/demo.tsk`\n".to_owned(), String::new())
        );
        place
    }

    pub(crate) fn root(&self) -> PathBuf {
        self.0.path().join("workspace")
    }

    pub(crate) fn path(&self, below: &str) -> PathBuf {
        self.root().join("tasks/demo.tsk").join(below)
    }

    /// Runs `minds task`.
    pub(crate) fn minds(&self, args: &[&str]) -> (i32, String, String) {
        self.run_with_input(args, b"")
    }

    /// Runs `minds task` with input on stdin.
    pub(crate) fn run_with_input(&self, args: &[&str], input: &[u8]) -> (i32, String, String) {
        self.with(&[], args, input)
    }

    /// Runs `minds task` with environment variables and input on stdin.
    pub(crate) fn with(
        &self,
        variables: &[(&str, &str)],
        args: &[&str],
        input: &[u8],
    ) -> (i32, String, String) {
        let mut child = command(&self.root(), &[&["task"], args].concat())
            .env("MINDS_HOME", self.0.path().join("home"))
            .env("USER", "ann")
            .env_remove("VISUAL")
            .env_remove("EDITOR")
            .envs(variables.iter().copied())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the command starts");
        // The command may end before it has read everything.
        let _ = child.stdin.take().unwrap().write_all(input);
        exit_and_output(&child.wait_with_output().expect("the command ends"))
    }

    /// Replaces a section, and returns the id of the change.
    pub(crate) fn set(&self, section: &str, text: &str) -> String {
        let (category, selector) = section.split_once('/').unwrap_or(("", section));
        let args =
            ["set", selector, "--category", category, "--from", "-", "--task", "demo", "--format", "json"];
        let (code, out, err) = self.run_with_input(&args, text.as_bytes());
        assert_eq!(code, 0, "{out}{err}");
        let answer: Value = serde_json::from_str(&out).expect("one document");
        answer["change"].as_str().unwrap_or_default().to_owned()
    }

    pub(crate) fn json(&self, args: &[&str]) -> (i32, Value) {
        let (code, out, err) = self.minds(&[args, &["--format", "json"]].concat());
        assert_eq!(out.matches('\n').count(), 1, "one document on one line: {out}{err}");
        let document: Value = serde_json::from_str(&out).unwrap_or_else(|error| panic!("{error}: {out}"));
        assert_has_schema(&document);
        (code, document)
    }

    /// Returns the codes of the problems of the package.
    pub(crate) fn problems(&self) -> Vec<String> {
        let (code, report) = self.json(&["verify", "demo"]);
        let found = report["diagnostics"].as_array().expect("a list").iter();
        let codes: Vec<String> = found.map(|found| found["code"].as_str().unwrap().to_owned()).collect();
        assert_eq!(code, i32::from(!codes.is_empty()), "{report}");
        codes
    }

    /// Returns all files of the workspace with their contents.
    pub(crate) fn disk(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        let mut files = BTreeMap::new();
        walk(&self.root(), &mut files);
        files
    }
}

fn walk(folder: &Path, files: &mut BTreeMap<PathBuf, Vec<u8>>) {
    for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
        if entry.file_type().unwrap().is_dir() {
            walk(&entry.path(), files);
            files.insert(entry.path(), Vec::new());
        } else {
            files.insert(entry.path(), fs::read(entry.path()).unwrap());
        }
    }
}
