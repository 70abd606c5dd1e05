//! Files that are edited while a question waits for its answer are kept, and copies follow the hooks of their
//! item.
//!
//! A separate test program that runs itself, because the home directory is set by the environment.
#![cfg(unix)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use minds_installer::{
    Consent, FetchSettings, ForgetRequest, Interaction, LearnRequest, MeldRequest, Outcome, Preview,
    SourceError, UpgradeRequest,
};
use tempfile::TempDir;

const ORDER: &str = "MINDS_TEST_WAIT";

/// A user who edits a file before answering yes.
struct Editor(Option<PathBuf>);

impl Interaction for Editor {
    fn is_interactive(&self) -> bool {
        self.0.is_some()
    }

    fn show(&mut self, _: &Preview) {}

    fn ask(&mut self, _: &str) -> bool {
        if let Some(path) = &self.0 {
            fs::write(path, "my own words\n").unwrap();
        }
        true
    }

    fn answer(&mut self, _: &str) -> Option<String> {
        None
    }

    fn progress(&mut self, _: &str) {}
}

fn verb(word: &str, desk: &mut Editor) -> Result<Outcome, SourceError> {
    let here = Path::new(".");
    let consent = Consent { yes: desk.0.is_none(), skip_hook_check: true, ..Consent::default() };
    let skill = Some("skill:a".to_owned());
    match word {
        "meld" => {
            let repo = Some("./folder".to_owned());
            let request = MeldRequest { repo, link_only: true, ..MeldRequest::default() };
            minds_installer::meld(here, &request, &consent, &FetchSettings::default(), desk)
        }
        "learn" => minds_installer::learn(here, &LearnRequest { item: skill }, &consent, desk),
        "upgrade" => minds_installer::upgrade(here, &UpgradeRequest { item: skill }, &consent, desk),
        "forget" => {
            minds_installer::forget(here, &ForgetRequest { item: skill, unmanaged: false }, &consent, desk)
        }
        "forget-unmanaged" => {
            minds_installer::forget(here, &ForgetRequest { item: None, unmanaged: true }, &consent, desk)
        }
        other => panic!("unknown verb `{other}`"),
    }
}

/// Runs the verb that the environment names.
#[test]
fn child_process() {
    let Ok(order) = std::env::var(ORDER) else {
        assert!(!Editor(None).is_interactive());
        return;
    };
    let (word, edited) = order.split_once('|').unwrap();
    let mut desk = Editor(Some(PathBuf::from(edited)).filter(|_| !edited.is_empty()));
    match verb(word, &mut desk) {
        Ok(outcome) => assert!(outcome.failures.is_empty(), "{:?}", outcome.failures),
        Err(error) => panic!("{error}"),
    }
}

struct World(TempDir);

impl World {
    /// A home directory with two agent homes, one of which holds copies, and a folder with a skill.
    fn new() -> Self {
        let world = Self(tempfile::tempdir().unwrap());
        let copies = world.path("copies");
        fs::create_dir_all(&copies).unwrap();
        fs::create_dir_all(world.path("home/.claude")).unwrap();
        let lobes = [
            format!("[[lobes]]\npath = \"{}\"\n", world.path("home/.claude").display()),
            format!("[[lobes]]\npath = \"{}\"\nmode = \"copy\"\n", copies.display()),
        ];
        world.write("home/.minds-home/config.toml", &lobes.join("\n"));
        world.offer("one");
        world.done("meld");
        world
    }

    fn path(&self, path: &str) -> PathBuf {
        self.0.path().join(path)
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.path(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn offer(&self, content: &str) {
        self.write("folder/skills/a/SKILL.md", &format!("{content}\n"));
    }

    /// Declares the skill with an install hook.
    fn hook(&self, command: &str) {
        let item = "[[items]]\nname = \"a\"\nkind = \"skill\"\npath = \"skills/a\"\n";
        let hook = format!("[[items.hooks]]\nevent = \"install\"\nrun = \"{command}\"\n");
        self.write("folder/mind.toml", &format!("{item}{hook}"));
    }

    fn run(&self, word: &str, edited: &str) -> Result<(), String> {
        let edited = if edited.is_empty() { PathBuf::new() } else { self.path(edited) };
        let output = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "waits::child_process"])
            .current_dir(self.0.path())
            .env(ORDER, format!("{word}|{}", edited.display()))
            .env("HOME", self.path("home"))
            .env("MINDS_HOME", self.path("home/.minds-home"))
            .env_remove("MIND_AGENT_HOMES")
            .env_remove("CLAUDE_HOME")
            .output()
            .unwrap();
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        if output.status.success() { Ok(()) } else { Err(text) }
    }

    #[track_caller]
    fn done(&self, word: &str) {
        self.run(word, "").unwrap();
    }

    /// Returns the text of the skill in the store and in the agent homes.
    fn skills(&self) -> Vec<String> {
        let folders = ["home/.minds-home/store/skill/a", "home/.claude/skills/a", "copies/skills/a"];
        let text = |folder: &str| fs::read_to_string(self.path(folder).join("SKILL.md")).unwrap_or_default();
        folders.map(text).to_vec()
    }
}

/// An installed skill that is edited while a question about it waits is kept, in the store and in every agent
/// home.
#[test]
fn an_edit_while_a_question_waits_is_kept() {
    for edited in ["home/.minds-home/store/skill/a/SKILL.md", "copies/skills/a/SKILL.md"] {
        for word in ["upgrade", "forget"] {
            let world = World::new();
            world.done("learn");
            world.offer("two");
            let refusal = world.run(word, edited).unwrap_err();
            assert!(refusal.contains("has changed since the plan was made"), "{word} {edited}: {refusal}");
            assert_eq!(fs::read_to_string(world.path(edited)).unwrap(), "my own words\n", "{word} {edited}");
        }
    }
}

/// The same holds for unmanaged files.
#[test]
fn an_unmanaged_file_that_is_edited_while_a_question_waits_is_kept() {
    let world = World::new();
    let unmanaged = "home/.claude/skills/mine/SKILL.md";
    world.write(unmanaged, "mine\n");
    world.run("forget-unmanaged", unmanaged).unwrap_err();
    assert_eq!(fs::read_to_string(world.path(unmanaged)).unwrap(), "my own words\n");
    world.run("forget-unmanaged", "folder/unrelated").unwrap();
    assert!(!world.path("home/.claude/skills/mine").exists());
}

/// An install hook may change the item, and copies have the changed content.
#[test]
fn copies_have_the_content_after_hooks() {
    let world = World::new();
    world.hook("echo more >> SKILL.md");
    world.done("learn");
    assert_eq!(world.skills(), ["one\nmore\n"; 3]);
    world.done("upgrade");
    assert_eq!(world.skills(), ["one\nmore\n"; 3], "a change by a hook is not a modification");
}

/// If a hook fails, its item is rolled back in each agent home in its previous form: as a link or as a copy.
#[test]
fn an_item_that_is_rolled_back_is_placed_as_before() {
    let world = World::new();
    world.done("learn");
    world.offer("two");
    world.hook("false");
    let failure = world.run("upgrade", "").unwrap_err();
    assert!(failure.contains("hook"), "{failure}");
    assert_eq!(world.skills(), ["one\n"; 3]);
    assert!(world.path("home/.claude/skills/a").is_symlink());
    assert!(!world.path("copies/skills/a").is_symlink());
}
