//! `minds fleet`, `minds prompt` and `minds init --fleet`.

mod program;
mod prompts;
use crate::support;

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;
use tempfile::TempDir;

use support::{command, exit_and_output};

/// A home, and a workspace two directories below it.
struct Place {
    folder: TempDir,
}

impl Place {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder can be made");
        fs::create_dir_all(folder.path().join("home/work/app")).expect("a folder can be made");
        Self { folder }
    }

    fn home(&self) -> PathBuf {
        self.folder.path().join("home")
    }

    fn app(&self) -> PathBuf {
        self.home().join("work/app")
    }

    fn write(&self, path: &str, text: &str) -> PathBuf {
        let path = self.home().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        path
    }

    fn minds(&self, args: &[&str]) -> (i32, String, String) {
        self.minds_with(args, "vi")
    }

    fn minds_with(&self, args: &[&str], editor: &str) -> (i32, String, String) {
        let mut command = command(&self.app(), args);
        command
            .env("HOME", self.home())
            .env_remove("ATEAM_EDITOR")
            .env_remove("VISUAL")
            .env("EDITOR", editor);
        exit_and_output(&command.output().expect("the command starts"))
    }

    fn overlay(&self) -> String {
        fs::read_to_string(self.app().join(".ateam/agents/zeus/system_overlay.md")).unwrap()
    }

    /// A first fleet.
    fn with_fleet() -> Self {
        let place = Self::new();
        assert_eq!(place.minds(&["init", "--fleet"]).0, 0);
        place
    }
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap()
}

#[test]
fn a_new_fleet_checks_clean_and_can_be_shown() {
    let place = Place::new();
    let (code, stdout, stderr) = place.minds(&["init", "--fleet"]);
    assert_eq!((code, stderr.as_str()), (0, ""));
    assert!(
        stdout.ends_with("next: edit `.ateam/agents/zeus/agent.yaml`, then run `minds check`\n"),
        "{stdout}"
    );
    assert_eq!(
        place.minds(&["check", "--strict"]),
        (0, "checked 6 files: no problems\n".into(), String::new())
    );
    assert_eq!(place.minds(&["fmt", "--check"]).0, 0);
    let (code, stdout, stderr) = place.minds(&["fleet", "show"]);
    assert_eq!((code, stderr.as_str()), (0, ""));
    insta::assert_snapshot!("first_fleet", stdout);
    assert_eq!(place.minds(&["prompt", "toolbox", "--check", "--agent", "zeus"]).0, 0);
    let again = place.minds(&["init", "--fleet"]);
    assert_eq!(
        (again.0, again.2.as_str()),
        (1, "error[exists]: `.ateam/agents/zeus/agent.yaml` already exists; nothing was written\n")
    );
}

#[test]
fn layers_are_the_workspace_what_is_above_it_and_home() {
    let place = Place::new();
    place
        .write(".ateam/models.yaml", "models:\n  small:\n    provider: openai\n    context_window_size: 1\n");
    place.write(".ateam/project.yaml", "name: at-home\n");
    place.write("work/.ateam/tools.yaml", "tools: {deny: [os.exec]}\n");
    place.write("work/.ateam/models.yaml", "models:\n  small:\n    context_window_size: 2\n");
    place.write(
        "work/app/.ateam/agents/zeus/agent.yaml",
        "name: zeus\nmodel: small\nprompt: {base: deep/base.md}\n",
    );
    place.write("work/app/.ateam/agents/zeus/deep/base.md", "You are Zeus.\n");
    let (code, stdout, stderr) = place.minds(&["check"]);
    assert_eq!((code, stdout.as_str(), stderr.as_str()), (0, "checked 6 files: no problems\n", ""));
    let (code, stdout, _) = place.minds(&["fleet", "show", "zeus", "--format", "json"]);
    let document: Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!((code, document["version"].as_u64()), (0, Some(1)));
    let zeus = &document["agents"][0];
    assert_eq!(zeus["id"], "at-home/zeus");
    let field =
        |key: &str| (zeus["fields"][key]["value"].clone(), zeus["fields"][key]["from"][0]["file"].clone());
    assert_eq!(field("models.small.context_window_size"), (2.into(), "ancestor-1:.ateam/models.yaml".into()));
    assert_eq!(field("models.small.provider"), ("openai".into(), "home:.ateam/models.yaml".into()));
    assert_eq!(field("project.name"), ("at-home".into(), "home:.ateam/project.yaml".into()));
    let exec = zeus["tools"].as_array().unwrap().iter().find(|tool| tool["name"] == "os.exec").unwrap();
    assert_eq!((&exec["given"], &exec["reason"]), (&false.into(), &"denied by the project".into()));
    assert_eq!(exec["from"]["file"], "ancestor-1:.ateam/tools.yaml");
    let prompt = place.minds(&["prompt", "show", "--agent", "zeus"]).1;
    assert!(
        prompt.starts_with("You are Zeus.\n")
            && prompt.contains("**fs.read**")
            && !prompt.contains("os.exec"),
        "{prompt}"
    );
}

#[test]
fn a_damaged_home_is_reported_and_not_changed() {
    let place = Place::new();
    let home = place.write(".ateam/project.yaml", "name: 5\n");
    place.write("work/app/.ateam/project.yaml", "name: app\n");
    let (code, stdout, _) = place.minds(&["check", "--format", "concise"]);
    assert_eq!(code, 1);
    assert!(stdout.starts_with("home:.ateam/project.yaml:1:7: error[schema/type]"), "{stdout}");
    let (code, _, stderr) = place.minds(&["check", "--fix"]);
    assert_eq!((code, stderr.as_str()), (1, ""));
    assert_eq!(read(&home), "name: 5\n");
}

#[test]
fn a_workspace_without_its_own_layer_is_not_checked_as_a_fleet() {
    let place = Place::new();
    place.write(".ateam/project.yaml", "name: 5\n");
    place.write("work/app/.minds/minds.toml", "");
    assert_eq!(place.minds(&["check"]).1, "checked 1 file: no problems\n");
    assert_eq!(place.minds(&["fleet", "show"]).0, 1);
}

#[test]
fn an_unknown_agent_is_wrong_usage() {
    let place = Place::with_fleet();
    for args in [&["fleet", "show", "zues"][..], &["prompt", "show", "--agent", "zues"]] {
        let (code, stdout, stderr) = place.minds(args);
        let message = "error[agent.not_found]: the fleet has no agent `zues`; did you mean `zeus`?\n";
        assert_eq!((code, stdout.as_str(), stderr.as_str()), (2, "", message));
    }
}
