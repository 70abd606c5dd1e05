//! Files that are kept.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use crate::sources::world::{World, args};

#[test]
fn an_item_is_not_installed_without_one_that_it_needs() {
    let world = World::new();
    world.write("src/skills/a/SKILL.md", "---\ndescription: d\nrequires: skill:b\n---\n");
    let linked = |name: &str| world.home().join(".claude/skills").join(name).exists();
    for (text, exit, is_linked) in [("A\u{202e}B", 1, false), ("AB", 0, true)] {
        world.write("src/skills/b/SKILL.md", &format!("---\ndescription: d\n---\n{text}\n"));
        let run = world.minds(&args(&["meld", "./src", "--yes"]));
        assert_eq!(
            (run.exit, linked("a"), linked("b")),
            (exit, is_linked, is_linked),
            "{text}: {}",
            run.stdout
        );
    }
}

#[test]
fn a_source_with_an_edited_item_is_kept() {
    let world = World::new();
    world.skill("s");
    assert_eq!(world.minds(&args(&["meld", "./src", "--yes"])).exit, 0);
    let installed = world.home().join(".claude/skills/s/SKILL.md");
    fs::write(&installed, "mine").unwrap();
    let run = world.minds(&args(&["unmeld", "src", "--yes"]));
    assert_eq!((run.exit, run.kind().as_str()), (1, "drifted"), "{}", run.stdout);
    assert_eq!(fs::read_to_string(&installed).unwrap(), "mine");
    let sources = world.minds(&args(&["recall", "--sources"])).sources();
    assert_eq!(sources.as_array().map(Vec::len), Some(1), "{sources}");
    let run = world.minds(&args(&["unmeld", "src", "--yes", "--force"]));
    assert_eq!((run.exit, installed.exists()), (0, false), "{}", run.stdout);
}

#[test]
fn the_data_directory_cannot_be_an_agent_home() {
    let world = World::new();
    for place in ["~/.minds-home", "~/.minds-home/x"] {
        let run = world.minds(&args(&["config", "lobes", "add", place]));
        assert_eq!((run.exit, run.kind().as_str()), (1, "invalid-home"), "{place}: {}", run.stdout);
    }
    assert_eq!(world.minds(&args(&["config", "lobes", "add", "~/.other"])).exit, 0);
}

#[test]
fn a_dry_run_does_not_change_the_clone() {
    let world = World::new();
    world.skill("s");
    world.commit("src");
    let url = format!("file://{}", world.src().display());
    assert_eq!(world.minds(&args(&["meld", &url, "--yes"])).exit, 0);
    let commit = || world.minds(&args(&["recall", "--sources"])).sources()[0]["commit"].clone();
    let before = commit();
    world.skill("t");
    world.commit("src");
    assert_eq!(world.minds(&args(&["sync", "--dry-run"])).json()["outcome"], "dry-run");
    assert_eq!(commit(), before);
    assert_eq!(world.minds(&args(&["sync"])).exit, 0);
    assert_ne!(commit(), before);
}

#[test]
fn a_repository_inside_an_item_is_not_installed() {
    let world = World::new();
    world.skill("s");
    world.write("src/skills/s/.git/config", "[core]\n");
    world.write("src/skills/s/deep/.GIT/config", "[core]\n");
    world.write("src/skills/s/deep/.gitignore", "x\n");
    assert_eq!(world.minds(&args(&["meld", "./src", "--yes"])).exit, 0);
    let stored = world.home().join(".minds-home/store/skill/s");
    let found = [".git", "deep/.GIT", "deep/.gitignore"].map(|name| stored.join(name).exists());
    assert_eq!(found, [false, false, true]);
}

#[test]
fn the_configuration_selects_https_or_ssh() {
    let world = World::new();
    let program = world.write(
        "bin/git",
        "#!/bin/sh\ncase \"$*\" in *--version*) echo git version 2.47.3; exit;; \
         *ssh://git@h.example/o/r*) way=ssh;; *https://h.example/o/r*) way=https;; esac\n\
         case \"$*\" in *\" init \"*) for last; do :; done; mkdir -p \"$last\"; exit;; esac\necho \"fatal: by $way\" >&2\nexit 128\n",
    );
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    for (config, way) in [("ssh = false\n", "by https"), ("ssh = true\n", "by ssh")] {
        world.write("home/.minds-home/config.toml", config);
        let mut command = world.command(&args(&["meld", "https://h.example/o/r", "--json"]));
        let path = format!("{}:/usr/bin:/bin", world.path().join("bin").display());
        let output = command.env("PATH", path).output().unwrap();
        let printed = String::from_utf8(output.stdout).unwrap();
        assert!(output.status.code() == Some(1) && printed.contains(way), "{config}: {printed}");
    }
}
