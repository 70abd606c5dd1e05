//! A home directory with a precious file, and a source next to it.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use serde_json::Value;
use tempfile::TempDir;

use crate::contract::documents::assert_has_schema;
use crate::sources::terminal::Terminal;

pub(crate) struct World {
    folder: TempDir,
}

pub(crate) struct Run {
    pub(crate) exit: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    pub(crate) seconds: f64,
}

impl Run {
    pub(crate) fn json(&self) -> Value {
        let document = serde_json::from_str(&self.stdout)
            .unwrap_or_else(|error| panic!("{error}: {}{}", self.stdout, self.stderr));
        assert_has_schema(&document);
        document
    }

    /// Returns the registered sources that `recall --sources` lists.
    pub(crate) fn sources(&self) -> Value {
        self.json()["sources"].clone()
    }

    pub(crate) fn kind(&self) -> String {
        self.json()["error"]["kind"].as_str().unwrap_or_default().to_owned()
    }
}

impl World {
    pub(crate) fn new() -> Self {
        let world = Self { folder: tempfile::tempdir().unwrap() };
        world.write("home/precious/repo/thesis.txt", "years of work");
        world.write("home/id_rsa", "secret");
        world.write("outside/x.md", "---\ndescription: outside\n---\n");
        world.write("src/README.txt", "");
        world
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn home(&self) -> PathBuf {
        self.path().join("home")
    }

    pub(crate) fn src(&self) -> PathBuf {
        self.path().join("src")
    }

    pub(crate) fn write(&self, path: &str, text: &str) -> PathBuf {
        let path = self.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        path
    }

    /// Writes a skill of the source.
    pub(crate) fn skill(&self, name: &str) {
        self.write(
            &format!("src/skills/{name}/SKILL.md"),
            &format!("---\nname: {name}\ndescription: d\n---\nBody.\n"),
        );
    }

    pub(crate) fn command(&self, args: &[String]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_minds"));
        command
            .args(args)
            .current_dir(self.path())
            .env("HOME", self.home())
            .env("MINDS_HOME", self.home().join(".minds-home"))
            .env_remove("MIND_AGENT_HOMES")
            .env_remove("CLAUDE_HOME")
            .stdin(Stdio::null());
        command
    }

    /// Runs the command on a terminal, which can ask questions.
    pub(crate) fn terminal(&self, args: &[&str]) -> Terminal {
        let args: Vec<String> = args.iter().map(|arg| (*arg).to_owned()).collect();
        Terminal::start(self.command(&args))
    }

    /// Runs the command with JSON as its answer.
    pub(crate) fn minds(&self, args: &[String]) -> Run {
        let mut args = args.to_vec();
        args.push("--json".to_owned());
        self.plain(&args)
    }

    pub(crate) fn plain(&self, args: &[String]) -> Run {
        let started = Instant::now();
        let output = self.command(args).output().unwrap();
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).expect("the command prints UTF-8");
        Run {
            exit: output.status.code().expect("it ends by itself"),
            stdout: text(&output.stdout),
            stderr: text(&output.stderr),
            seconds: started.elapsed().as_secs_f64(),
        }
    }

    /// Turns the source into a repository with all of its files.
    pub(crate) fn commit(&self, folder: &str) {
        let folder = self.path().join(folder);
        if !folder.join(".git").exists() {
            git(&folder, &["init", "--quiet", "--initial-branch=main"]);
        }
        git(&folder, &["add", "-A"]);
        git(&folder, &["commit", "--quiet", "--allow-empty", "-m", "c"]);
    }

    /// Returns all files of the world outside of the directory of the program: names, kinds, permissions, contents.
    pub(crate) fn outside(&self) -> BTreeMap<PathBuf, String> {
        let mut found = BTreeMap::new();
        list(self.path(), &self.home().join(".minds-home"), &mut found);
        found
    }
}

fn list(folder: &Path, left_out: &Path, found: &mut BTreeMap<PathBuf, String>) {
    for entry in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap()) {
        let path = entry.path();
        if path == left_out {
            continue;
        }
        let metadata = fs::symlink_metadata(&path).unwrap();
        let bits = metadata.permissions().mode();
        let content = if metadata.is_symlink() {
            format!("link {}", fs::read_link(&path).unwrap().display())
        } else if metadata.is_dir() {
            list(&path, left_out, found);
            "folder".to_owned()
        } else if metadata.is_file() {
            format!("{:?}", fs::read(&path).unwrap())
        } else {
            "special".to_owned()
        };
        found.insert(path, format!("{bits:o} {content}"));
    }
}

pub(crate) fn git(folder: &Path, args: &[&str]) -> String {
    let output = Command::new("git")
        .args(args)
        .current_dir(folder)
        .envs([("GIT_CONFIG_NOSYSTEM", "1"), ("GIT_CONFIG_GLOBAL", "/dev/null")])
        .envs([("GIT_AUTHOR_NAME", "n"), ("GIT_AUTHOR_EMAIL", "n@n.example")])
        .envs([("GIT_COMMITTER_NAME", "n"), ("GIT_COMMITTER_EMAIL", "n@n.example")])
        .output()
        .unwrap();
    assert!(output.status.success(), "git {args:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

/// Converts arguments to strings.
pub(crate) fn args(args: &[&str]) -> Vec<String> {
    args.iter().map(|arg| (*arg).to_owned()).collect()
}
