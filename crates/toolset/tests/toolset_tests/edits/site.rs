//! A workspace with tools in it.

use std::fs;
use std::path::PathBuf;

use minds_toolset::{Answer, Caller, Clock, ToolContext, Toolbox};
use serde_json::{Value, json};
use tempfile::TempDir;

/// The time at which everything begins.
pub(crate) const START: u64 = 1_000_000;

pub(crate) struct Site {
    folder: TempDir,
    toolbox: Toolbox,
    pub(crate) now: u64,
    pub(crate) caller: Caller,
}

impl Site {
    /// Returns a workspace with these files.
    pub(crate) fn new(files: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let site = Self { folder, toolbox: Toolbox::new(), now: START, caller: Caller::operator("alice") };
        fs::create_dir(site.path("")).unwrap();
        for (path, text) in files {
            site.write(path, text);
        }
        site
    }

    /// Returns a workspace with one file in `.minds`.
    pub(crate) fn with(text: &str) -> Self {
        Self::new(&[(".minds/a.md", text)])
    }

    pub(crate) fn path(&self, path: &str) -> PathBuf {
        self.folder.path().join("workspace").join(path)
    }

    pub(crate) fn state(&self) -> PathBuf {
        self.folder.path().join("state")
    }

    pub(crate) fn write(&self, path: &str, text: impl AsRef<[u8]>) {
        fs::create_dir_all(self.path(path).parent().unwrap()).unwrap();
        fs::write(self.path(path), text).unwrap();
    }

    pub(crate) fn read(&self, path: &str) -> String {
        fs::read_to_string(self.path(path)).unwrap()
    }

    /// Returns the text of the one file.
    pub(crate) fn text(&self) -> String {
        self.read(".minds/a.md")
    }

    /// Calls a tool in a workbench of its own, as another process would.
    pub(crate) fn answer(&self, tool: &str, args: Value) -> Answer {
        let context = ToolContext::open(&self.path(""), &self.state(), Clock::At(self.now)).unwrap();
        self.toolbox.call(&context, tool, &args, &self.caller)
    }

    /// Calls a tool; what it answers can be read again.
    pub(crate) fn call(&self, tool: &str, args: Value) -> Value {
        let answer = self.answer(tool, args).to_json();
        let again: Value = serde_json::from_str(&answer.to_string()).unwrap();
        assert_eq!(again, answer);
        answer
    }

    /// Calls a tool of `.minds` on the one file.
    pub(crate) fn preview(&self, tool: &str, args: Value) -> Value {
        let mut all = json!({"path": ".minds/a.md"});
        all.as_object_mut().unwrap().extend(args.as_object().unwrap().clone());
        self.call(&format!("team_mgmt_preview_{tool}"), all)
    }

    /// Plans a change that must be accepted, and returns its id.
    pub(crate) fn plan(&self, tool: &str, args: Value) -> String {
        let answer = self.preview(tool, args);
        assert_eq!(answer["status"], "ok", "{answer}");
        answer["hunk_id"].as_str().unwrap().to_owned()
    }

    pub(crate) fn range(&self, range: &str, content: &str) -> String {
        self.plan("file_modification", json!({"range": range, "content": content}))
    }

    pub(crate) fn apply(&self, id: &str) -> Value {
        self.call("team_mgmt_apply_file_modification", json!({"hunk_id": id}))
    }

    /// Returns the names of the files of planned changes.
    pub(crate) fn hunks(&self) -> Vec<String> {
        let entries = fs::read_dir(self.state().join("hunks")).unwrap();
        let mut names: Vec<_> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }
}

/// Returns how a call ended, in one word.
#[track_caller]
pub(crate) fn outcome(answer: &Value) -> &str {
    match answer["status"].as_str().unwrap() {
        "ok" => answer["context_match"].as_str().unwrap_or("ok"),
        _ => answer["code"].as_str().unwrap(),
    }
}
