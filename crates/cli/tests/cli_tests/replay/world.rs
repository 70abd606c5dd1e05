//! A copy of a recorded case, with its own home directory.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;
use tempfile::TempDir;

/// Links of the recordings, which are stored as text files.
const LINKS: &[&str] = &[
    "009-conv-symlinks/repo/skills/ln",
    "009-conv-symlinks/repo/skills/dang",
    "009-conv-symlinks/repo/agents/ln.md",
    "009-conv-symlinks/repo/agents/dang.md",
    "028-toml-symlink-outside/repo/mind.toml",
    "056-roots-symlink-escape/repo/ln",
];

pub(crate) struct World {
    folder: TempDir,
    name: String,
}

/// The result of a step.
pub(crate) struct Step {
    pub(crate) exit: i32,
    pub(crate) kind: Option<String>,
    pub(crate) stdout: String,
}

fn recordings() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/recorded/mind")
}

/// Returns the names of the cases, in order.
pub(crate) fn cases() -> Vec<String> {
    let entries = fs::read_dir(recordings()).unwrap().map(|entry| entry.unwrap());
    let mut names: Vec<String> = entries.map(|entry| entry.file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

impl World {
    pub(crate) fn new(name: &str) -> Self {
        let world = Self { folder: tempfile::tempdir().unwrap(), name: name.to_owned() };
        fs::create_dir(world.home()).unwrap();
        world.copy(&recordings().join(name), &world.case(), name);
        for repository in world.expect()["git"].as_array().unwrap() {
            let (folder, tag) = match repository.as_str().unwrap().split_once(":tag=") {
                Some((folder, tag)) => (folder, Some(tag)),
                None => (repository.as_str().unwrap(), None),
            };
            let folder = world.case().join(folder);
            git(&folder, &["init", "--quiet", "--initial-branch=main"]);
            git(&folder, &["add", "-A"]);
            git(&folder, &["commit", "--quiet", "-m", "c"]);
            if let Some(tag) = tag {
                git(&folder, &["tag", tag]);
            }
        }
        world
    }

    fn case(&self) -> PathBuf {
        self.folder.path().join("case")
    }

    fn home(&self) -> PathBuf {
        self.folder.path().join("home")
    }

    /// Returns what is recorded.
    pub(crate) fn expect(&self) -> Value {
        serde_json::from_slice(&fs::read(recordings().join(&self.name).join("expect.json")).unwrap()).unwrap()
    }

    fn copy(&self, from: &Path, to: &Path, name: &str) {
        fs::create_dir_all(to).unwrap();
        for entry in fs::read_dir(from).unwrap().map(|entry| entry.unwrap()) {
            let file = entry.file_name().into_string().unwrap();
            let (from, to, name) = (entry.path(), to.join(&file), format!("{name}/{file}"));
            if entry.file_type().unwrap().is_dir() {
                self.copy(&from, &to, &name);
            } else if LINKS.contains(&name.as_str()) {
                symlink(fs::read_to_string(from).unwrap(), to).unwrap();
            } else if let Ok(text) = fs::read_to_string(&from) {
                fs::write(to, self.fill_placeholders(&text)).unwrap();
            } else {
                fs::write(to, fs::read(from).unwrap()).unwrap();
            }
        }
    }

    /// Replaces the placeholders of the recording by paths.
    fn fill_placeholders(&self, text: &str) -> String {
        text.replace("@CASE@", self.case().to_str().unwrap()).replace("@HOME@", self.home().to_str().unwrap())
    }

    fn run(&self, args: &[String]) -> (i32, String, String) {
        let output = Command::new(env!("CARGO_BIN_EXE_minds"))
            .args(args)
            .current_dir(self.case())
            .env("HOME", self.home())
            .env("MINDS_HOME", self.home().join(".mind"))
            .env_remove("MIND_AGENT_HOMES")
            .env_remove("CLAUDE_HOME")
            .stdin(Stdio::null())
            .output()
            .unwrap();
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).expect("the command prints UTF-8");
        (output.status.code().expect("it ends by itself"), text(&output.stdout), text(&output.stderr))
    }

    /// Takes a step of the recording, with JSON for the kind of its error.
    pub(crate) fn step(&self, args: &[&str]) -> Step {
        let mut args: Vec<String> = args.iter().map(|arg| self.fill_placeholders(arg)).collect();
        args.push("--json".to_owned());
        let (exit, stdout, stderr) = self.run(&args);
        let document: Value = serde_json::from_str(&stdout)
            .unwrap_or_else(|error| panic!("{}: {args:?}: {error}: {stdout}{stderr}", self.name));
        let kind = document["error"]["kind"].as_str().map(str::to_owned);
        assert_eq!(exit != 0, kind.is_some(), "{}: {args:?}: {stdout}{stderr}", self.name);
        Step { exit, kind, stdout }
    }

    /// Makes the changes of the user between two steps.
    pub(crate) fn shell(&self, command: &str) -> Step {
        let mut shell = Command::new("sh");
        shell
            .arg("-c")
            .arg(self.fill_placeholders(command))
            .current_dir(self.case())
            .env("HOME", self.home());
        let status = shell.stdin(Stdio::null()).status().unwrap();
        Step { exit: status.code().unwrap(), kind: None, stdout: String::new() }
    }

    /// Returns the items of `probe --json`. The recorded program printed the list alone, without a version.
    pub(crate) fn probe(&self) -> Value {
        let (_, stdout, _) = self.run(&["probe".to_owned(), "--json".to_owned()]);
        let document: Value =
            serde_json::from_str(&stdout).unwrap_or_else(|error| panic!("{}: {error}: {stdout}", self.name));
        document["items"].clone()
    }

    /// Returns the files and links of the agent home and the store.
    pub(crate) fn files(&self) -> Value {
        let mut files = BTreeMap::new();
        for top in [".claude", ".mind/store"] {
            self.list(&self.home().join(top), top, &mut files);
        }
        serde_json::to_value(files).unwrap()
    }

    fn list(&self, at: &Path, name: &str, files: &mut BTreeMap<String, String>) {
        let Ok(entries) = fs::read_dir(at) else { return };
        for entry in entries.map(|entry| entry.unwrap()) {
            let name = format!("{name}/{}", entry.file_name().to_str().unwrap());
            let kind = entry.file_type().unwrap();
            let home = self.home().to_str().unwrap().to_owned();
            if kind.is_dir() {
                self.list(&entry.path(), &name, files);
            } else if kind.is_symlink() {
                let target = fs::read_link(entry.path()).unwrap().to_str().unwrap().replace(&home, "@HOME@");
                files.insert(name, format!("-> {target}"));
            } else {
                let text = String::from_utf8_lossy(&fs::read(entry.path()).unwrap()).replace(&home, "@HOME@");
                files.insert(name, text);
            }
        }
    }

    /// Returns the lines that hooks wrote.
    pub(crate) fn hook_log(&self) -> Vec<String> {
        let text = fs::read_to_string(self.home().join("log")).unwrap_or_default();
        text.lines().map(str::to_owned).collect()
    }
}

fn git(folder: &Path, args: &[&str]) {
    let status = Command::new("git")
        .args(args)
        .current_dir(folder)
        .envs([("GIT_CONFIG_NOSYSTEM", "1"), ("GIT_CONFIG_GLOBAL", "/dev/null")])
        .envs([
            ("GIT_AUTHOR_NAME", "n"),
            ("GIT_AUTHOR_EMAIL", "n@n.example"),
            ("GIT_AUTHOR_DATE", "1700000000 +0000"),
        ])
        .envs([
            ("GIT_COMMITTER_NAME", "n"),
            ("GIT_COMMITTER_EMAIL", "n@n.example"),
            ("GIT_COMMITTER_DATE", "1700000000 +0000"),
        ])
        .status()
        .unwrap();
    assert!(status.success(), "git {args:?}");
}
