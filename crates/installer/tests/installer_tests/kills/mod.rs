//! Killing the process at system calls of every verb: installed items are complete, in their old or new
//! version, and the next command repairs the rest.
//!
//! A separate test program, because a child process briefly inherits the locks of its parent when it starts.
#![cfg(unix)]

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use minds_fs::faults::{Plan, calls_to_test, run};
use minds_installer::{
    Consent, FetchSettings, ForgetRequest, Interaction, LearnRequest, MeldRequest, Outcome, Preview,
    SourceError, SyncRequest, UpgradeRequest,
};
use tempfile::TempDir;

const ORDER: &str = "MINDS_TEST_KILL";
const KILL_KINDS: [&str; 2] = ["kill-before", "kill-after"];
const KILLED: i32 = 9;

/// An interaction without a user.
struct NoUser;

impl Interaction for NoUser {
    fn is_interactive(&self) -> bool {
        false
    }

    fn show(&mut self, _: &Preview) {}

    fn ask(&mut self, _: &str) -> bool {
        false
    }

    fn answer(&mut self, _: &str) -> Option<String> {
        None
    }

    fn progress(&mut self, _: &str) {}
}

/// Runs the verb with a name.
fn verb(word: &str) -> Result<Outcome, SourceError> {
    let here = Path::new(".");
    let consent = Consent { yes: true, ..Consent::default() };
    let desk = &mut NoUser;
    let item = |item: &str| Some(item.to_owned());
    match word {
        "meld-folder" => {
            let request = MeldRequest { repo: item("./folder"), link_only: true, ..MeldRequest::default() };
            minds_installer::meld(here, &request, &consent, &FetchSettings::default(), desk)
        }
        "meld-clone" => {
            let folder = fs::canonicalize("repository").unwrap();
            let repo = Some(format!("file://{}", folder.display()));
            let request = MeldRequest { repo, ..MeldRequest::default() };
            minds_installer::meld(here, &request, &consent, &FetchSettings::default(), desk)
        }
        "learn" => minds_installer::learn(here, &LearnRequest { item: item("skill:*") }, &consent, desk),
        "learn-kept" => {
            minds_installer::learn(here, &LearnRequest { item: item("rule:kept") }, &consent, desk)
        }
        "upgrade" => minds_installer::upgrade(here, &UpgradeRequest { item: None }, &consent, desk),
        "forget" => {
            let request = ForgetRequest { item: item("skill:*"), unmanaged: false };
            minds_installer::forget(here, &request, &consent, desk)
        }
        "sync" => minds_installer::sync(
            here,
            &SyncRequest { upgrade: false },
            &consent,
            &FetchSettings::default(),
            desk,
        ),
        other => panic!("unknown verb `{other}`"),
    }
}

/// Runs the verb that the environment names: this is the process that is killed.
#[test]
fn child_process() {
    let Ok(order) = std::env::var(ORDER) else {
        // This is not the child process: check that all kinds of kill used below are known.
        assert!(KILL_KINDS.iter().all(|kill| format!("1:{kill}").parse::<Plan>().is_ok()));
        return;
    };
    let (word, plan) = order.split_once('|').unwrap();
    let plan = if plan.is_empty() { Plan::none() } else { plan.parse().unwrap() };
    let (done, calls) = run(plan, || verb(word));
    let outcome = done.unwrap();
    assert!(outcome.failures.is_empty(), "{:?}", outcome.failures);
    println!("calls: {}", calls.len());
}

/// A home directory, a folder and a repository that offer items.
struct World {
    folder: TempDir,
}

impl World {
    fn new() -> Self {
        let world = Self { folder: tempfile::tempdir().unwrap() };
        world.write("home/.keep", "");
        world.write("folder/rules/kept.md", "kept\n");
        world.offer("one");
        world
    }

    fn path(&self) -> &Path {
        self.folder.path()
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// Offers two skills with some content.
    fn offer(&self, content: &str) {
        for name in ["a", "b"] {
            self.write(&format!("folder/skills/{name}/SKILL.md"), &format!("{content}\n"));
            self.write(&format!("folder/skills/{name}/more/{content}.txt"), content);
        }
    }

    fn copy(&self) -> Self {
        let world = Self { folder: tempfile::tempdir().unwrap() };
        let from = format!("{}/.", self.path().display());
        let done = Command::new("cp").arg("-a").arg(from).arg(world.path()).status().unwrap();
        assert!(done.success());
        // Adjust links and records to the copied home directory.
        world.relocate(self.path(), world.path());
        world
    }

    fn relocate(&self, old: &Path, new: &Path) {
        let replaced = |text: &str| text.replace(old.to_str().unwrap(), new.to_str().unwrap());
        for path in all(self.path()) {
            let metadata = fs::symlink_metadata(&path).unwrap();
            if metadata.is_symlink() {
                let target = fs::read_link(&path).unwrap();
                fs::remove_file(&path).unwrap();
                std::os::unix::fs::symlink(replaced(target.to_str().unwrap()), &path).unwrap();
            } else if let Some(name) = path.file_name().and_then(|name| name.to_str())
                && ["sources.json", "manifest.json", "homes.txt"].contains(&name)
            {
                fs::write(&path, replaced(&fs::read_to_string(&path).unwrap())).unwrap();
            }
        }
    }

    fn run(&self, word: &str, plan: &str) -> Output {
        Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "kills::child_process", "--nocapture"])
            .current_dir(self.path())
            .env(ORDER, format!("{word}|{plan}"))
            .env("HOME", self.path().join("home"))
            .env("MINDS_HOME", self.path().join("home/.minds-home"))
            .env_remove("MIND_AGENT_HOMES")
            .env_remove("CLAUDE_HOME")
            .output()
            .unwrap()
    }

    /// Runs a verb, and returns the number of its calls.
    #[track_caller]
    fn done(&self, word: &str) -> usize {
        let output = self.run(word, "");
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(output.status.success(), "{word}: {text}{}", String::from_utf8_lossy(&output.stderr));
        let calls = text.lines().find_map(|line| line.split("calls: ").nth(1)).unwrap();
        calls.trim().parse().unwrap()
    }

    /// Returns the content of each installed item, as an agent reads it.
    fn installed_contents(&self) -> BTreeMap<String, Vec<String>> {
        let mut installed = BTreeMap::new();
        for name in ["skills/a", "skills/b", "rules/kept.md"] {
            let at = self.path().join("home/.claude").join(name);
            let Ok(at) = fs::canonicalize(at) else { continue };
            let mut texts: Vec<String> = Vec::new();
            if at.is_dir() {
                for file in all(&at).into_iter().filter(|path| path.is_file()) {
                    let inside = file.strip_prefix(&at).unwrap().display().to_string();
                    texts.push(format!("{inside}: {}", fs::read_to_string(&file).unwrap()));
                }
            } else {
                texts.push(fs::read_to_string(at).unwrap());
            }
            texts.sort();
            installed.insert(name.to_owned(), texts);
        }
        installed
    }

    /// Returns temporary files that must not exist after the repair.
    fn leftover_files(&self) -> Vec<PathBuf> {
        let temporary = |path: &PathBuf| {
            let name = path.file_name().unwrap().to_str().unwrap();
            name.starts_with(".minds-") && name != ".minds-home"
                || name == ".staging"
                || name.ends_with(".minds-new")
        };
        all(&self.path().join("home")).into_iter().filter(temporary).collect()
    }
}

fn all(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let Ok(entries) = fs::read_dir(folder) else { return found };
    for entry in entries.map(|entry| entry.unwrap()) {
        if entry.file_type().unwrap().is_dir() {
            found.extend(all(&entry.path()));
        }
        found.push(entry.path());
    }
    found
}

/// Kills a verb at its calls.
fn kill(template: &World, order: &str) {
    let old = template.installed_contents();
    let changed = template.copy();
    let calls = changed.done(order);
    let new = changed.installed_contents();
    assert!(calls > 20, "{order} has only {calls} calls");
    for at in calls_to_test(calls, 5) {
        let kill = KILL_KINDS[at % 2];
        let world = template.copy();
        let output = world.run(order, &format!("{at}:{kill}"));
        let context = format!("{order}: {kill} call {at} of {calls}");
        if output.status.signal() != Some(KILLED) {
            // The number of calls depends on random names.
            assert!(output.status.success() && at + 8 > calls, "{context}");
            continue;
        }
        let now = world.installed_contents();
        for name in old.keys().chain(new.keys()) {
            let is_one = now.get(name) == old.get(name) || now.get(name) == new.get(name);
            assert!(is_one, "{context}: {name} is {:?}", now.get(name));
        }
        world.done(order);
        assert_eq!(world.installed_contents(), new, "{context}");
        assert_eq!(world.leftover_files(), Vec::<PathBuf>::new(), "{context}");
    }
}

#[test]
fn an_interrupted_learn_is_repaired() {
    let world = World::new();
    world.done("meld-folder");
    world.done("learn-kept");
    kill(&world, "learn");
}

#[test]
fn an_interrupted_upgrade_is_repaired() {
    let world = World::new();
    world.done("meld-folder");
    world.done("learn-kept");
    world.done("learn");
    world.offer("two");
    kill(&world, "upgrade");
}

#[test]
fn an_interrupted_forget_is_repaired() {
    let world = World::new();
    world.done("meld-folder");
    world.done("learn-kept");
    world.done("learn");
    // Removing a removed item is refused, so the next command is another one.
    let changed = world.copy();
    let calls = changed.done("forget");
    let old = world.installed_contents();
    let new = changed.installed_contents();
    for at in calls_to_test(calls, 5) {
        let copy = world.copy();
        let output = copy.run("forget", &format!("{at}:{}", KILL_KINDS[at % 2]));
        assert!(output.status.signal() == Some(KILLED) || at + 8 > calls, "call {at} of {calls}");
        let now = copy.installed_contents();
        for (name, content) in &now {
            assert_eq!(Some(content), old.get(name), "call {at} of {calls}");
        }
        assert!(new.keys().all(|name| now.contains_key(name)), "call {at} of {calls}");
        copy.done("upgrade");
        let repaired = copy.installed_contents();
        assert!(repaired == old || repaired == new, "call {at} of {calls}: {repaired:?}");
        assert_eq!(copy.leftover_files(), Vec::<PathBuf>::new(), "call {at} of {calls}");
    }
}

#[test]
fn an_interrupted_sync_is_repaired() {
    let world = World::new();
    let git = |args: &[&str]| {
        let done = Command::new("git")
            .args(args)
            .current_dir(world.path().join("repository"))
            .envs([("GIT_CONFIG_NOSYSTEM", "1"), ("GIT_CONFIG_GLOBAL", "/dev/null")])
            .envs([("GIT_AUTHOR_NAME", "n"), ("GIT_AUTHOR_EMAIL", "n@n.example")])
            .envs([("GIT_COMMITTER_NAME", "n"), ("GIT_COMMITTER_EMAIL", "n@n.example")])
            .status()
            .unwrap();
        assert!(done.success(), "git {args:?}");
    };
    world.write("repository/skills/a/SKILL.md", "one\n");
    git(&["init", "--quiet", "--initial-branch=main"]);
    git(&["add", "-A"]);
    git(&["commit", "--quiet", "-m", "one"]);
    world.done("meld-clone");
    world.write("repository/skills/a/SKILL.md", "two\n");
    git(&["commit", "--quiet", "-a", "-m", "two"]);
    kill_sync(&world);
}

/// Kills `sync` at its calls.
fn kill_sync(template: &World) {
    let commit = |world: &World| {
        let text = fs::read_to_string(world.path().join("home/.minds-home/sources.json")).unwrap();
        let line = text.lines().find(|line| line.contains("\"commit\"")).unwrap();
        line.trim().to_owned()
    };
    let changed = template.copy();
    let calls = changed.done("sync");
    let (old, new) = (commit(template), commit(&changed));
    assert_ne!(old, new);
    // Each run starts several git processes.
    for at in calls_to_test(calls, 11) {
        let world = template.copy();
        let output = world.run("sync", &format!("{at}:{}", KILL_KINDS[at % 2]));
        assert!(output.status.signal() == Some(KILLED) || at + 8 > calls, "call {at} of {calls}");
        let now = commit(&world);
        assert!(now == old || now == new, "call {at} of {calls}: {now}");
        world.done("upgrade");
        world.done("sync");
        assert_eq!(commit(&world), new, "call {at} of {calls}");
        assert_eq!(world.leftover_files(), Vec::<PathBuf>::new(), "call {at} of {calls}");
    }
}
