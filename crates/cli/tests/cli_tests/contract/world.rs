//! A workspace in which every command has something to work on.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use tempfile::TempDir;

use crate::support::shell_server::shell_server;

/// What a command printed.
pub(crate) struct CommandResult {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

/// A workspace with every family, and its own home directory. It is created once, and restored before every command.
pub(crate) struct World {
    folder: TempDir,
}

const TEAM: &str =
    "member_defaults:\n  provider: codex\n  model: gpt-5.2\nmembers:\n  coder:\n    name: Coder\n";
const FILES: &[(&str, &str)] = &[
    ("app/.minds/team.yaml", TEAM),
    ("app/.minds/mcp.yaml", SERVERS),
    ("app/notes.md", "# Notes\n\nOne line\nLast line\n"),
    ("app/plan.md", "# Goals\n\nShip it.\n"),
    ("app/goals.md", "Ship it.\n"),
    // Settings that cannot be merged.
    ("app/.vscode/settings.json", "[]\n"),
    (
        "broken/.minds/team.yaml",
        "member_defaults: {provider: codex, model: gpt-5.2}\ndefault_responder: codr\n",
    ),
    ("agents/skills/review/SKILL.md", "---\nname: review\ndescription: Reviews.\n---\n"),
    ("agents/skills/other/SKILL.md", "---\nname: other\ndescription: Others.\n---\n"),
];
/// A server with one tool, which is a script for the shell.
const SERVERS: &str = concat!("version: 1\nservers:\n", shell_server!("demo", "demo_ping"));
const BEFORE: &[&[&str]] = &[
    &["init", "--fleet"],
    &["init", "--compose"],
    &["render", "--write"],
    &["task", "new", "demo"],
    &["task", "set", "goals", "--from", "goals.md"],
    &["task", "set", "checklist", "--category", "ux", "--from", "goals.md"],
    &["meld", "../agents", "--link-only"],
    &["learn", "skill:review"],
];

impl World {
    pub(crate) fn new() -> Self {
        let world = Self { folder: tempfile::tempdir().unwrap() };
        for (path, text) in FILES {
            let path = world.live().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        // Stops the search for a workspace in parent directories.
        fs::create_dir_all(world.live().join("app/.git")).unwrap();
        fs::create_dir_all(world.live().join("broken/.git")).unwrap();
        fs::create_dir_all(world.live().join("home")).unwrap();
        fs::create_dir_all(world.live().join("empty/.git")).unwrap();
        for args in BEFORE {
            let done = world.run_as_it_is("app", args);
            assert_eq!(done.code, 0, "{args:?}: {}{}", done.stdout, done.stderr);
        }
        copy(&world.live(), &world.folder.path().join("kept"));
        world
    }

    fn live(&self) -> PathBuf {
        self.folder.path().join("live")
    }

    /// Restores the world, and runs a command in a directory of it.
    pub(crate) fn run(&self, folder: &str, args: &[&str]) -> CommandResult {
        fs::remove_dir_all(self.live()).unwrap();
        copy(&self.folder.path().join("kept"), &self.live());
        if folder == "empty" {
            fs::remove_dir_all(self.live().join("home")).unwrap();
            fs::create_dir_all(self.live().join("home")).unwrap();
        }
        self.run_as_it_is(folder, args)
    }

    fn run_as_it_is(&self, folder: &str, args: &[&str]) -> CommandResult {
        let home = self.live().join("home");
        let output = Command::new(env!("CARGO_BIN_EXE_minds"))
            .args(args)
            .current_dir(self.live().join(folder))
            .env("HOME", &home)
            .env("MINDS_HOME", home.join("minds"))
            .env("EDITOR", "true")
            .env_remove("VISUAL")
            .env_remove("ATEAM_EDITOR")
            .env_remove("MIND_AGENT_HOMES")
            .env_remove("TEAMCTL_ROOT")
            .env_remove("CLICOLOR_FORCE")
            .stdin(Stdio::null())
            .output()
            .unwrap();
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).expect("the command prints UTF-8");
        let code = output.status.code().expect("it ends by itself");
        CommandResult { code, stdout: text(&output.stdout), stderr: text(&output.stderr) }
    }
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap().map(|entry| entry.unwrap()) {
        let (kind, to) = (entry.file_type().unwrap(), to.join(entry.file_name()));
        if kind.is_dir() {
            copy(&entry.path(), &to);
        } else if kind.is_symlink() {
            std::os::unix::fs::symlink(fs::read_link(entry.path()).unwrap(), to).unwrap();
        } else {
            fs::copy(entry.path(), to).unwrap();
        }
    }
}
