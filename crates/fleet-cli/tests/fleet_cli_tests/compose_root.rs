//! Agents of a compose root, with a program of the tests in place of that of their runtime.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use serde_json::Value;

use crate::support::{Ran, World, ran};

const FIXTURE: &str = "../../fixtures/workspaces/studio";
const ENGINE: &str = include_str!("support/fake_engine.sh");
const FILM: &str = ".team/projects/film.yaml";

/// A copy of the fixture, whose programs are in a directory of the workspace, which the sandbox of the agents can read.
struct Studio {
    world: World,
}

impl Studio {
    fn new() -> Self {
        let world = World::empty();
        copy(&Path::new(env!("CARGO_MANIFEST_DIR")).join(FIXTURE), &world.workspace());
        for name in ["claude-agent-acp", "codex-acp"] {
            let path = format!("bin/{name}");
            world.write(&path, ENGINE);
            fs::set_permissions(world.workspace().join(path), fs::Permissions::from_mode(0o700)).unwrap();
        }
        Self { world }
    }

    fn run(&self, args: &[&str]) -> Ran {
        let mut command = self.world.command(args);
        let bin = self.world.workspace().join("bin");
        let path = std::env::var("PATH").unwrap_or_default();
        command.env("PATH", format!("{}:{path}", bin.display()));
        ran(&command.output().unwrap())
    }

    #[track_caller]
    fn document(&self, args: &[&str], code: i32) -> Value {
        let ran = self.run(&[&["--json"], args].concat());
        assert_eq!(ran.code, code, "{args:?}: {}{}", ran.stdout, ran.stderr);
        serde_json::from_str(&ran.stdout).unwrap()
    }

    #[track_caller]
    fn ask(&self, agent: &str, text: &str) -> String {
        let ran = self.run(&["send", agent, "--wait", text]);
        assert_eq!(ran.code, 0, "{agent} {text}: {}{}", ran.stdout, ran.stderr);
        ran.stdout.trim_end().to_owned()
    }

    fn replace(&self, path: &str, from: &str, to: &str) {
        let text = fs::read_to_string(self.world.workspace().join(path)).unwrap();
        assert!(text.contains(from), "{text}");
        self.world.write(path, &text.replace(from, to));
    }
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let to = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &to);
        } else {
            fs::copy(entry.path(), to).unwrap();
        }
    }
}

/// Returns the results of a document, as `id result`.
fn results(document: &Value) -> Vec<String> {
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let agents = document["agents"].as_array().unwrap().iter();
    agents.map(|agent| format!("{} {}", text(&agent["id"]), text(&agent["result"]))).collect()
}

fn error_of<'d>(document: &'d Value, id: &str) -> &'d str {
    let agents = document["agents"].as_array().unwrap();
    agents.iter().find(|agent| agent["id"] == id).unwrap()["error"]["message"].as_str().unwrap()
}

#[test]
fn agents_of_a_compose_root_work_with_every_command() {
    let studio = Studio::new();
    let up = studio.document(&["up"], 1);
    let expected =
        ["studio/critic started", "film/director started", "film/cutter started", "film/extra failed"];
    assert_eq!(results(&up), expected);
    let error = error_of(&up, "film/extra");
    assert!(error.starts_with(".team/projects/film.yaml:29: ") && error.contains("`puppet`"), "{error}");

    let listed = studio.document(&["ps"], 0);
    let ids: Vec<&str> =
        listed["agents"].as_array().unwrap().iter().map(|agent| agent["id"].as_str().unwrap()).collect();
    assert_eq!(ids.len(), 3, "{ids:?}");

    // A name without a project is enough, because no agent of the layers has it.
    let workspace = studio.world.workspace().canonicalize().unwrap();
    assert_eq!(studio.ask("cutter", "where"), workspace.to_str().unwrap());
    // The role prompt is a part of the first prompt only.
    assert_eq!(studio.ask("film/cutter", "prompt"), "prompt");
    assert_eq!(studio.ask("director", "prompt"), "Be brief.\n\n\n—\n\nYou direct the film.");
    for (name, expected) in
        [("AGENT_ID", "film:director"), ("RUNTIME", "claude-code"), ("MODEL", "large"), ("MINDS_HOME", "")]
    {
        assert_eq!(studio.ask("film/director", &format!("env {name}")), expected, "{name}");
    }
    assert_eq!(studio.ask("film/director", "env CLAUDE_PROJECT_DIR"), workspace.to_str().unwrap());

    let tools = studio.document(&["tools", "cutter"], 0);
    assert!(tools["tools"].as_array().unwrap().iter().all(|tool| tool["given"] == false), "{tools}");
    assert!(studio.run(&["tail", "cutter"]).stdout.contains("task"));
    assert_eq!(studio.document(&["queue", "film/cutter"], 0)["id"], "film/cutter");
    assert_eq!(studio.document(&["who", "director"], 0)["agents"][0]["id"], "film/director");
    let state = studio.world.workspace().join(".team/state/fleet/film-cutter");
    assert!(state.join("history.jsonl").exists() && state.join("agent.json").exists());
    assert_eq!(studio.document(&["up", "cutter"], 0)["agents"][0]["result"], "running");
    assert_eq!(studio.document(&["stop", "cutter"], 0)["agents"][0]["result"], "stopped");
    assert_eq!(results(&studio.document(&["down"], 0)).len(), 2);
}

/// Without a person at a terminal, `ask` means no.
#[test]
fn permissions_follow_from_the_compose_root() {
    let studio = Studio::new();
    let decide = |kind: &str| studio.ask("cutter", &format!("ask {kind}"));
    studio.document(&["up", "cutter"], 0);
    for (kind, expected) in [
        ("read", "allowed"),
        ("search", "allowed"),
        ("think", "allowed"),
        ("switch_mode", "allowed"),
        ("edit", "rejected"),
        ("delete", "rejected"),
        ("move", "rejected"),
        ("execute", "rejected"),
        ("fetch", "rejected"),
        ("other", "rejected"),
    ] {
        assert_eq!(decide(kind), expected, "{kind}");
    }
}

/// The program of an agent can write into the files of the compose root.
#[test]
fn wider_rights_wait_until_a_person_accepts_them() {
    let studio = Studio::new();
    studio.document(&["up", "director"], 0);
    assert_eq!(studio.ask("director", "ask switch_mode"), "rejected");
    // The mode is a variable of the program too, so the program is another one.
    studio.replace(FILM, "permission_mode: plan", "permission_mode: bypassPermissions");
    let ran = studio.run(&["send", "director", "--wait", "ask edit"]);
    assert_ne!(ran.code, 0, "{}", ran.stdout);
    let dry = studio.run(&["up", "director", "--dry-run"]);
    assert!(
        dry.stderr.contains("permissions: edit: allow") || dry.stderr.contains("engine"),
        "{}",
        dry.stderr
    );
    assert!(!studio.run(&["tail", "director"]).stdout.contains("allowed"));
    studio.document(&["up", "director", "--accept"], 0);
    assert_eq!(studio.ask("director", "ask edit"), "allowed");
}

#[test]
fn values_with_the_form_of_a_secret_are_redacted() {
    let studio = Studio::new();
    studio.replace(
        FILM,
        "model: large",
        "# minds: allow(secret/url-credentials) a test\n    model: https://anna:sesame-street@models.example/large",
    );
    studio.document(&["up", "director"], 0);
    assert_eq!(studio.ask("director", "env MODEL"), "****");
    assert!(!studio.run(&["--json", "tail", "director"]).stdout.contains("sesame-street"));
}

#[test]
fn errors_make_only_the_agents_of_the_compose_root_unavailable() {
    let studio = Studio::new();
    studio.replace(FILM, "reports_to: director\n  extra", "reports_to: ghost\n  extra");
    let up = studio.document(&["up"], 1);
    let expected =
        ["studio/critic started", "film/director failed", "film/cutter failed", "film/extra failed"];
    assert_eq!(results(&up), expected);
    assert!(error_of(&up, "film/director").starts_with(".team/projects/film.yaml:27: "), "{up}");
    let doctor = studio.document(&["doctor"], 1);
    let files = doctor["checks"].as_array().unwrap().iter().find(|check| check["name"] == "files").unwrap();
    assert!(files["message"].as_str().unwrap().contains(".team/projects/film.yaml:27: "), "{files}");
    let error = studio.document(&["agent", "film/director"], 12);
    assert_eq!(error["error"]["code"], "config.invalid");

    studio.world.write(".team/team-compose.yaml", "version: 2\nprojects: {\n");
    let up = studio.document(&["up"], 1);
    assert_eq!(results(&up), ["studio/critic running"]);
    let message = up["errors"][0]["message"].as_str().unwrap();
    assert!(message.starts_with(".team/team-compose.yaml:"), "{up}");
    let ran = studio.run(&["up"]);
    assert!(ran.stderr.contains("error[config.invalid]: .team/team-compose.yaml:"), "{}", ran.stderr);
}

#[test]
fn an_id_that_both_define_is_refused() {
    let studio = Studio::new();
    studio.world.write(".ateam/project.yaml", "name: film\n");
    studio.replace(FILM, "  cutter:\n", "  critic:\n");
    studio.replace(FILM, "can_dm: [cutter]", "can_dm: [critic]");
    let up = studio.document(&["up"], 1);
    assert_eq!(results(&up), ["film/critic failed", "film/director started", "film/extra failed"]);
    let error = error_of(&up, "film/critic");
    assert!(
        error.contains(".ateam/agents/critic/agent.yaml") && error.contains(".team/projects/film.yaml:22")
    );
}

#[test]
fn a_compose_root_alone_needs_no_name_of_the_directory() {
    let studio = Studio::new();
    fs::remove_dir_all(studio.world.workspace().join(".ateam")).unwrap();
    let up = studio.document(&["up", "cutter", "film/director"], 0);
    assert_eq!(results(&up), ["film/cutter started", "film/director started"]);
}
