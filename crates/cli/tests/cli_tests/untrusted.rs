//! Workspaces and layers that other users own or can write are refused, unless the user trusts them by name.

use crate::support;

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, chown};
use std::path::{Path, PathBuf};
use std::process::Command;

use self::support::{command, exit_and_output};

/// The id of an unprivileged user.
const UNPRIVILEGED_USER: u32 = 65534;

const TEAM: &str = "member_defaults: {provider: codex, model: gpt-5.2}\nmembers: {coder: {name: Coder}}\n";
const AGENT: &str = "name: hera\nmodel: small\nprompt: {base: base.md}\n";

/// A folder with a home, a workspace of every family in `open/app`, and a directory `open/app/deep`.
struct Site {
    folder: tempfile::TempDir,
}

impl Site {
    fn new() -> Self {
        let site = Self { folder: tempfile::tempdir().expect("a folder can be made") };
        site.write("open/app/.minds/team.yaml", TEAM);
        site.write("open/app/.minds/mcp.yaml", "version: 1\nservers:\n  a: {transport: stdio, command: x}\n");
        site.write(
            "open/app/.ateam/models.yaml",
            "models:\n  small: {provider: openai, context_window_size: 1}\n",
        );
        site.write("open/app/.ateam/agents/hera/agent.yaml", AGENT);
        site.write("open/app/.ateam/agents/hera/base.md", "You are Hera.\n");
        site.write("open/app/tasks/a.tsk/goals.md", "x\n");
        site.write("open/app/tasks/a.tsk/constraints.md", "x\n");
        site.write("open/app/tasks/a.tsk/progress.md", "x\n");
        site.write("open/app/deep/notes.md", "x\n");
        fs::create_dir(site.at("home")).expect("a folder can be made");
        site
    }

    fn at(&self, path: &str) -> PathBuf {
        self.folder.path().join(path)
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.at(path);
        fs::create_dir_all(path.parent().expect("it has a parent")).expect("a folder can be made");
        fs::write(path, text).expect("a file can be written");
    }

    fn set_mode(&self, path: &str, mode: u32) {
        fs::set_permissions(self.at(path), fs::Permissions::from_mode(mode)).expect("permissions can be set");
    }

    fn command(&self, directory: &str, args: &[&str]) -> Command {
        let mut command = command(&self.at(directory), args);
        command.env_remove("MINDS_SAFE_DIRECTORIES").env_remove("SUDO_UID");
        command.env("HOME", self.at("home")).env("MINDS_HOME", self.at("home/minds"));
        command
    }

    fn run(&self, directory: &str, args: &[&str]) -> (i32, String, String) {
        exit_and_output(&self.command(directory, args).output().expect("it starts"))
    }

    /// Returns everything in the workspace: permissions and content, by path.
    fn content(&self) -> BTreeMap<PathBuf, (u32, Vec<u8>)> {
        let mut found = BTreeMap::new();
        let mut folders = vec![self.at("open")];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(&folder).expect("it can be listed").flatten() {
                let (path, metadata) = (entry.path(), entry.metadata().expect("it exists"));
                let bytes =
                    if metadata.is_dir() { Vec::new() } else { fs::read(&path).expect("it can be read") };
                if metadata.is_dir() {
                    folders.push(path.clone());
                }
                found.insert(path, (metadata.mode(), bytes));
            }
        }
        found
    }
}

/// Returns whether this test runs as root, and prints a note if it does not.
fn is_root(path: &Path, left_out: &str) -> bool {
    let is_root = fs::metadata(path).expect("it exists").uid() == 0;
    if !is_root {
        eprintln!("not run as root, so this is left out: {left_out}");
    }
    is_root
}

/// The commands that read or change a workspace, from a directory in it.
const COMMANDS: &[&[&str]] = &[
    &["fmt"],
    &["check", "--fix"],
    &["team", "show"],
    &["access", "check", "--member", "coder", "--op", "write", "src"],
    &["access", "lint"],
    &["access", "matrix"],
    &["fleet", "show"],
    &["prompt", "show", "--agent", "hera"],
    &["render", "--target", "mcp:claude-code", "--write"],
    &["render", "--target", "systemd-user", "--write", "--exec", "run", "{agent}"],
    &["clean"],
    &["task", "ls"],
    &["task", "set", "goals", "--clear"],
    &["problems"],
    &["manual"],
    &["files", "ls"],
    &["tool", "call", "list_dir"],
    &["mcp"],
    &["mcp", "--root", ".."],
];

#[test]
fn every_command_refuses_a_workspace_writable_by_other_users() {
    let site = Site::new();
    site.set_mode("open/app/.minds", 0o777);
    let before = site.content();
    for args in COMMANDS {
        let (code, out, err) = site.run("open/app/deep", args);
        assert_eq!(code, 1, "{args:?}: {out}{err}");
        // The results of tools are JSON on stdout.
        let report = if args[0] == "tool" { &out } else { &err };
        assert!(
            report.contains(".minds` is not trusted: every user of this machine can write to it"),
            "{args:?}: {report}"
        );
        assert!(args[0] == "tool" || out.is_empty(), "{args:?}: {out}");
        assert_eq!(site.content(), before, "{args:?}");
    }
    let (code, out, err) = site.run("open/app/deep", &["check", "--format", "concise"]);
    assert_eq!(code, 1, "{out}{err}");
    assert!(out.starts_with(".minds:1:1: error[file/untrusted]: `.minds` is not trusted"), "{out}");
    assert_eq!(out.lines().count(), 1, "nothing else is read: {out}");
    let (code, out, _) = site.run("open/app/deep", &["check", "--format", "json"]);
    assert!(code == 1 && out.contains("\"file/untrusted\"") && !out.contains("coder"), "{out}");
}

#[test]
fn each_part_of_a_workspace_is_checked() {
    for (path, bad, is_refused) in [
        ("open/app", 0o777, true),
        ("open/app", 0o1777, false),
        ("open/app", 0o755, false),
        ("open/app/.minds", 0o1777, true),
        ("open/app/.minds/team.yaml", 0o666, true),
        ("open/app/.minds/mcp.yaml", 0o646, true),
        ("open/app/.ateam", 0o777, true),
        ("open/app/.ateam/agents", 0o757, true),
        // Files next to the configuration are not checked.
        ("open/app/deep", 0o777, false),
        ("open", 0o777, false),
    ] {
        let site = Site::new();
        site.set_mode(path, bad);
        let (code, out, err) = site.run("open/app/deep", &["check", "--format", "concise"]);
        assert_eq!(out.contains("file/untrusted"), is_refused, "{path} {bad:o}: {code} {out}{err}");
    }
}

#[test]
fn files_of_another_user_are_refused() {
    let site = Site::new();
    if !is_root(&site.at("open"), "files of another user") {
        return;
    }
    for path in ["open/app", "open/app/.minds", "open/app/.minds/team.yaml", "open/app/.ateam"] {
        chown(site.at(path), Some(UNPRIVILEGED_USER), Some(UNPRIVILEGED_USER)).expect("root may do that");
        let (code, out, err) = site.run("open/app/deep", &["check", "--format", "concise"]);
        assert_eq!(code, 1, "{path}: {out}{err}");
        assert!(out.contains("file/untrusted") && out.contains("it belongs to the user"), "{path}: {out}");
        let (code, _, err) = site.run("open/app/deep", &["team", "show"]);
        assert!(code == 1 && err.contains("is not trusted"), "{path}: {err}");
        // A user of `sudo` works on their own files.
        let mut by_sudo = site.command("open/app/deep", &["team", "show"]);
        let (code, _, err) = exit_and_output(
            &by_sudo.env("SUDO_UID", UNPRIVILEGED_USER.to_string()).output().expect("it starts"),
        );
        assert_eq!(code, 0, "{path}: {err}");
        chown(site.at(path), Some(0), Some(0)).expect("root may do that");
    }
    assert_eq!(site.run("open/app/deep", &["team", "show"]).0, 0);
}

#[test]
fn a_layer_above_that_other_users_can_write_is_skipped_with_a_finding() {
    let site = Site::new();
    site.write("open/.ateam/agents/zeus/agent.yaml", &AGENT.replace("hera", "zeus"));
    site.write("open/.ateam/agents/zeus/base.md", "You are Zeus.\n");
    let (code, out, err) = site.run("open/app", &["fleet", "show"]);
    assert!(code == 0 && out.contains("zeus"), "{out}{err}");
    site.set_mode("open/.ateam", 0o777);
    let (_, out, err) = site.run("open/app", &["fleet", "show"]);
    assert!(!out.contains("zeus"), "{out}{err}");
    let (code, out, _) = site.run("open/app", &["check", "--format", "concise"]);
    assert!(code == 1 && out.contains("ancestor-1:.ateam:1:1: error[file/untrusted]"), "{out}");
    let args = ["render", "--target", "systemd-user", "--write", "--exec", "run", "{agent}"];
    let before = site.content();
    let (code, _, _) = site.run("open/app", &args);
    assert_eq!((code, site.content()), (1, before));
    // The layer of the home directory is refused as well.
    site.set_mode("open/.ateam", 0o755);
    site.write("home/.ateam/agents/ares/agent.yaml", &AGENT.replace("hera", "ares"));
    site.write("home/.ateam/agents/ares/base.md", "You are Ares.\n");
    site.set_mode("home/.ateam/agents", 0o777);
    let (code, out, _) = site.run("open/app", &["check", "--format", "concise"]);
    assert!(code == 1 && out.contains("home:.ateam:1:1: error[file/untrusted]"), "{out}");
}

#[test]
fn a_compose_root_writable_by_other_users_is_refused() {
    let site = Site::new();
    site.write("open/compose/team-compose.yaml", "version: 2\n");
    site.set_mode("open/compose", 0o777);
    for args in [
        &["check", "--root", "../compose"][..],
        &["check", "../compose"],
        &["compose", "show", "--root", "../compose"],
        &["render", "--root", "../compose", "--write"],
    ] {
        let (code, out, err) = site.run("open/app", args);
        assert!(code == 1 && format!("{out}{err}").contains("is not trusted"), "{args:?}: {code} {out}{err}");
    }
}

#[test]
fn the_user_names_safe_directories() {
    let site = Site::new();
    site.set_mode("open/app/.minds", 0o777);
    let work = site.at("open/app").canonicalize().expect("it exists");
    let (work, above) =
        (work.display().to_string(), work.parent().expect("it has one").display().to_string());
    let cases = [
        (work.clone(), true),
        (format!("/none:{work}"), true),
        (format!("{above}/*"), true),
        ("*".to_owned(), true),
        (above, false),
        (format!("{work}/*"), false),
        (format!("{work}/deep"), false),
        (String::new(), false),
    ];
    for (entry, is_safe) in &cases {
        let mut command = site.command("open/app/deep", &["team", "show"]);
        let (code, _, err) =
            exit_and_output(&command.env("MINDS_SAFE_DIRECTORIES", entry).output().expect("it starts"));
        assert_eq!(code == 0, *is_safe, "{entry}: {err}");
    }
    for (entry, is_safe) in cases.iter().filter(|(entry, _)| !entry.contains(':') && !entry.is_empty()) {
        site.write("home/minds/config.toml", &format!("safe_directories = [\"{entry}\"]\n"));
        let (code, _, err) = site.run("open/app/deep", &["team", "show"]);
        assert_eq!(code == 0, *is_safe, "{entry}: {err}");
    }
    // Neither files of the workspace nor settings that other users can write are used.
    site.write("home/minds/config.toml", "safe_directories = [\"*\"]\n");
    site.set_mode("home/minds/config.toml", 0o666);
    let (code, _, err) = site.run("open/app/deep", &["team", "show"]);
    assert!(code == 1 && err.contains("that file is ignored"), "{err}");
    let (code, out, err) = site.run("home", &["config", "lobes", "list"]);
    assert!(code == 1 && err.contains("config.toml` is not trusted"), "{out}{err}");
    site.set_mode("home/minds/config.toml", 0o600);
    assert_eq!(site.run("open/app/deep", &["team", "show"]).0, 0);
    site.write("home/minds/config.toml", "");
    site.write("open/app/.minds/minds.toml", "safe_directories = [\"*\"]\n");
    assert_eq!(site.run("open/app/deep", &["team", "show"]).0, 1);
    // Commands that change the settings keep the entries.
    site.write("home/minds/config.toml", "safe_directories = [\"/srv/*\"]\n");
    let (code, _, err) = site.run("home", &["config", "lobes", "add", "agents"]);
    assert_eq!(code, 0, "{err}");
    let text = fs::read_to_string(site.at("home/minds/config.toml")).expect("it can be read");
    assert!(text.contains("safe_directories = [\"/srv/*\"]"), "{text}");
}
