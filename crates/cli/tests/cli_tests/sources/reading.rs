//! Limits of what is read from a source.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};

use crate::sources::world::{World, args};

#[test]
fn a_directory_with_too_many_files_is_refused() {
    let world = World::new();
    world.skill("many");
    world.skill("few");
    for number in 0..10_000 {
        fs::write(world.src().join(format!("skills/many/{number}")), "").unwrap();
    }
    assert_eq!(world.minds(&args(&["meld", "./src", "--link-only"])).exit, 0);
    let run = world.minds(&args(&["learn", "skill:many"]));
    assert_eq!((run.exit, run.kind().as_str()), (1, "bad-content"), "{}", run.stdout);
    assert!(!world.home().join(".claude/skills/many").exists());
    fs::remove_file(world.src().join("skills/many/0")).unwrap();
    let run = world.minds(&args(&["learn", "skill:many"]));
    assert_eq!(run.exit, 0, "{}", run.stdout);
    assert_eq!(fs::read_dir(world.home().join(".claude/skills/many")).unwrap().count(), 10_000);
}

#[test]
fn files_are_installed_completely() {
    let world = World::new();
    // Front matter is read from the first 64 KiB.
    for (name, more) in [("short", 1), ("exact", 65_536), ("long", 100_000)] {
        let head = format!("---\nname: {name}\ndescription: d\n---\n");
        let text = format!("{head}{}", "x".repeat(more - head.len().min(more - 1)));
        let file = world.write(&format!("src/skills/{name}/SKILL.md"), &text);
        fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).unwrap();
    }
    assert_eq!(world.minds(&args(&["meld", "./src", "--yes"])).exit, 0);
    for name in ["short", "exact", "long"] {
        let inside = format!("skills/{name}/SKILL.md");
        let installed = world.home().join(".claude").join(&inside);
        assert_eq!(fs::read(&installed).unwrap(), fs::read(world.src().join(&inside)).unwrap(), "{name}");
        assert_eq!(fs::metadata(&installed).unwrap().permissions().mode() & 0o100, 0o100, "{name}");
    }
}

#[test]
fn whether_an_item_is_current_depends_on_the_tools_that_it_names() {
    let world = World::new();
    world.skill("other");
    world.write("src/skills/s/SKILL.md", "---\nname: s\ndescription: d\n---\nRun {{tools:t}}.\n");
    world.write("src/tools/t/t", "#!/bin/sh\n");
    assert_eq!(world.minds(&args(&["meld", "./src", "--link-only"])).exit, 0);
    assert_eq!(world.minds(&args(&["learn", "skill:s"])).exit, 0);
    let marks = || {
        let listed = world.plain(&args(&["recall"])).stdout;
        let marks = listed.lines().filter_map(|line| line.strip_prefix("  ")).map(str::to_owned);
        marks.collect::<Vec<_>>()
    };
    assert_eq!(marks(), ["- skill:other  d", "+ skill:s  d", "- tool:t"]);
    assert_eq!(world.minds(&args(&["introspect"])).json()["issues"], serde_json::json!([]));
    // The skill is kept, and its target is removed.
    fs::remove_file(world.src().join("tools/t/t")).unwrap();
    assert_eq!(marks()[1], "^ skill:s  d");
    assert_eq!(world.minds(&args(&["introspect"])).json()["issues"][0]["kind"], "outdated");
}

#[test]
fn hooks_are_known_of_a_source_whose_items_are_broken() {
    let world = World::new();
    world.skill("s");
    let hook = "[[hooks]]\nrun = \"touch $HOME/tidy\"\nevent = \"uninstall\"\n";
    world.write("src/mind.toml", hook);
    assert_eq!(world.minds(&args(&["meld", "./src", "--yes"])).exit, 0);
    world.write("src/mind.toml", &format!("[source]\nroots = [\"nowhere\"]\n\n{hook}"));
    assert_eq!(world.minds(&args(&["probe"])).exit, 1);
    let run = world.minds(&args(&["unmeld", "src", "--yes", "--dangerously-skip-install-hook-check"]));
    assert_eq!((run.exit, world.home().join("tidy").exists()), (0, true), "{}", run.stdout);
}

#[test]
fn unmanaged_files_are_reported_through_a_link_in_the_agent_home() {
    let world = World::new();
    world.write("home/.claude/mine/own/SKILL.md", "");
    symlink("mine", world.home().join(".claude/skills")).unwrap();
    world.write("home/.claude/rules/own.md", "");
    let listed = world.plain(&args(&["recall"])).stdout;
    let home = world.home().join(".claude").display().to_string();
    let expected = ["unmanaged: not installed by minds", "  @/skills/own", "  @/rules/own.md"];
    assert_eq!(listed.replace(&home, "@").lines().collect::<Vec<_>>(), expected);
    let listed = world.plain(&args(&["recall", "--kind", "rule"])).stdout;
    assert_eq!(listed.replace(&home, "@").lines().collect::<Vec<_>>(), [expected[0], expected[2]]);
}
