//! Sources on another machine, which a program in place of `ssh` simulates.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use serde_json::Value;

use crate::sources::world::{Run, World, args};

/// A world with a remote repository in `far`, which is read as `git@far.example:acme/agents`.
fn world(manifest: &str) -> World {
    let world = World::new();
    world.write("far/skills/s/SKILL.md", "---\ndescription: d\n---\n");
    world.write("far/mind.toml", manifest);
    world.commit("far");
    let program = format!("#!/bin/sh\nexec git upload-pack {}/far\n", world.path().display());
    let program = world.write("bin/ssh", &program);
    fs::set_permissions(program, fs::Permissions::from_mode(0o755)).unwrap();
    // A file that must not be read.
    world.write("home/private/rules/secret.md", "secret\n");
    world.commit("home/private");
    world
}

fn minds(world: &World, words: &[&str]) -> Run {
    let mut command = world.command(&args(&[words, &["--json"]].concat()));
    let path = std::env::var("PATH").unwrap_or_default();
    command.env("PATH", format!("{}:{path}", world.path().join("bin").display()));
    let output = command.output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    Run {
        exit: output.status.code().unwrap(),
        stdout: text(output.stdout),
        stderr: text(output.stderr),
        seconds: 0.0,
    }
}

fn kinds(document: &Value) -> Vec<&str> {
    let failures = document["failures"].as_array().unwrap();
    failures.iter().map(|failure| failure["kind"].as_str().unwrap()).collect()
}

fn sources(world: &World) -> Vec<String> {
    let document = world.minds(&args(&["recall", "--sources"])).sources();
    let name = |source: &Value| source["name"].as_str().unwrap().to_owned();
    document.as_array().unwrap().iter().map(name).collect()
}

/// Writes a nested source.
fn brings(source: &str) -> String {
    format!("[discover]\nsources = [{{ source = {source:?}, install = true }}]\n")
}

#[test]
fn a_remote_source_names_nothing_of_this_machine() {
    for place in ["file://@HOME@/private", "@HOME@/private", "~/private"] {
        let world = world("");
        let place = place.replace("@HOME@", &world.home().to_string_lossy());
        world.write("far/mind.toml", &brings(&place));
        world.commit("far");
        let run = minds(&world, &["meld", "git@far.example:acme/agents", "--yes"]);
        assert_eq!((run.exit, run.kind().as_str()), (1, "local-source"), "{place}: {}", run.stdout);
        // On its own it is valid.
        assert_eq!(sources(&world), ["far.example/acme/agents"], "{place}");
        assert!(world.home().join(".claude/skills/s").exists());
        assert!(!world.home().join(".claude/rules").exists(), "{place}");
    }
}

#[test]
fn a_registered_remote_source_names_nothing_of_this_machine() {
    let world = world("");
    let run = minds(&world, &["meld", "git@far.example:acme/agents", "--yes"]);
    assert_eq!(run.exit, 0, "{}{}", run.stdout, run.stderr);
    world.write("far/mind.toml", &brings(&format!("file://{}/private", world.home().display())));
    world.commit("far");
    let run = minds(&world, &["sync"]);
    assert_eq!((run.exit, kinds(&run.json())), (1, vec!["local-source"]), "{}", run.stdout);
    assert_eq!(sources(&world), ["far.example/acme/agents"]);
}

#[test]
fn a_local_source_may_name_local_sources() {
    let world = world("");
    world.skill("t");
    world.write("src/mind.toml", &brings("../home/private"));
    assert_eq!(minds(&world, &["meld", "./src", "--yes"]).exit, 0);
    assert!(world.home().join(".claude/rules/secret.md").exists());
    // Its nested sources with relative paths are not, because the paths have no base.
    let far = world;
    far.write("far/mind.toml", &brings("../private"));
    far.commit("far");
    let run = minds(&far, &["meld", "git@far.example:acme/agents", "--yes"]);
    assert_eq!((run.exit, run.kind().as_str()), (1, "invalid-spec"), "{}", run.stdout);
}
