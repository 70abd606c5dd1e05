//! Hooks of registered sources: when they are offered again, and the effects of a failure.

use std::collections::BTreeSet;
use std::fs;

use serde_json::Value;

use crate::sources::world::{Run, World, args};

const SKIP: &str = "--dangerously-skip-install-hook-check";

/// A repository with a skill and a hook that counts its runs, added by its URL.
fn add_source() -> World {
    let world = World::new();
    change(&world, "one", "echo x >> $HOME/ran");
    let run = world.minds(&args(&["meld", &url(&world, "src"), "--yes", SKIP]));
    assert_eq!(run.exit, 0, "{}", run.stdout);
    assert_eq!(times(&world), 1);
    world
}

/// Makes a commit with another description of the skill, and a hook.
fn change(world: &World, text: &str, run: &str) {
    world.write("src/skills/s/SKILL.md", &format!("---\ndescription: {text}\n---\n"));
    world.write("src/mind.toml", &format!("[[hooks]]\nrun = {run:?}\n"));
    world.commit("src");
}

fn url(world: &World, folder: &str) -> String {
    format!("file://{}/{folder}", world.path().display())
}

/// Returns how often the hook ran.
fn times(world: &World) -> usize {
    fs::read_to_string(world.home().join("ran")).unwrap_or_default().lines().count()
}

fn read_installed(world: &World) -> String {
    fs::read_to_string(world.home().join(".claude/skills/s/SKILL.md")).unwrap()
}

#[track_caller]
fn outcome(run: &Run, expected: &str) -> Value {
    assert_eq!(run.exit, 0, "{}{}", run.stdout, run.stderr);
    let document = run.json();
    assert_eq!(document["outcome"], expected, "{document}");
    document
}

/// Returns the hooks of a plan: what each would run, and its hash.
fn planned_hooks(document: &Value) -> Vec<(String, String)> {
    let text = |hook: &Value, key: &str| hook[key].as_str().unwrap().to_owned();
    let hooks = document["plan"]["hooks"].as_array().unwrap();
    hooks.iter().map(|hook| (text(hook, "run"), text(hook, "hash"))).collect()
}

#[test]
fn a_hook_is_offered_again_when_the_commit_of_its_source_changed() {
    let world = add_source();
    let plan = outcome(&world.minds(&args(&["upgrade", "--dry-run"])), "dry-run");
    assert_eq!(planned_hooks(&plan), []);
    change(&world, "two", "echo x >> $HOME/ran");
    outcome(&world.minds(&args(&["sync"])), "synced");
    let recalled = world.plain(&args(&["recall"]));
    assert!(recalled.stdout.contains(", 1 hook did not run"), "{}", recalled.stdout);

    let plan = outcome(&world.minds(&args(&["upgrade", "--dry-run"])), "dry-run");
    let hooks = planned_hooks(&plan);
    assert_eq!((hooks.len(), hooks[0].0.as_str()), (1, "echo x >> $HOME/ran"));
    // Consent to the plan does not include hooks, and the option applies to named sources.
    for flags in [&["--yes"][..], &["--yes", SKIP]] {
        let run = world.minds(&args(&[&["upgrade"], flags].concat()));
        assert_eq!((run.exit, times(&world)), (0, 1), "{}", run.stdout);
        let notes = run.json()["notes"].to_string();
        assert!(notes.contains(&format!("--accept-hooks {}", hooks[0].1)), "{notes}");
        assert_eq!(
            notes.contains("covers hooks of sources that the command line names"),
            flags.contains(&SKIP)
        );
    }
    assert!(read_installed(&world).contains("two"));
    // It is offered until it ran.
    let run = world.minds(&args(&["upgrade", "--accept-hooks", &hooks[0].1]));
    outcome(&run, "upgraded");
    assert_eq!(times(&world), 2);
    outcome(&world.minds(&args(&["upgrade", "--accept-hooks", &hooks[0].1])), "up-to-date");
    assert_eq!(times(&world), 2);
    let recalled = world.plain(&args(&["recall"]));
    assert!(!recalled.stdout.contains("did not run"), "{}", recalled.stdout);

    // The option applies to a named source, not to the source of a named item.
    change(&world, "three", "echo x >> $HOME/ran");
    outcome(&world.minds(&args(&["sync"])), "synced");
    outcome(&world.minds(&args(&["upgrade", "s", "--yes", SKIP])), "upgraded");
    assert_eq!(times(&world), 2);
    outcome(&world.minds(&args(&["upgrade", "src#*", "--yes", SKIP])), "upgraded");
    assert_eq!(times(&world), 3);
}

#[test]
fn only_current_items_of_a_source_are_offered() {
    let world = add_source();
    change(&world, "two", "echo new >> $HOME/ran");
    outcome(&world.minds(&args(&["sync"])), "synced");
    let plan = outcome(&world.minds(&args(&["upgrade", "--dry-run"])), "dry-run");
    assert_eq!(
        planned_hooks(&plan).iter().map(|hook| hook.0.as_str()).collect::<Vec<_>>(),
        ["echo new >> $HOME/ran"]
    );
    outcome(
        &world.minds(&args(&["upgrade", "--yes", "--accept-hooks", &planned_hooks(&plan)[0].1])),
        "upgraded",
    );
    let sources = world.minds(&args(&["recall", "--sources"])).sources();
    let records = sources[0]["install_hooks"].as_array().unwrap();
    assert_eq!(records.len(), 1, "{sources}");
    assert_eq!(records[0]["ran_at"], sources[0]["commit"], "{sources}");
}

#[test]
fn a_failing_hook_affects_only_the_items_of_its_source() {
    let world = add_source();
    world.write("b/rules/r.md", "one\n");
    world.commit("b");
    assert_eq!(world.minds(&args(&["meld", &url(&world, "b"), "--yes"])).exit, 0);
    change(&world, "two", "exit 3");
    world.write("b/rules/r.md", "two\n");
    world.commit("b");
    let commit = |world: &World| world.minds(&args(&["recall", "--sources"])).sources()[0]["commit"].clone();
    let earlier = commit(&world);

    // In one step with the fetch: the source keeps its commit.
    let plan = outcome(&world.minds(&args(&["sync", "--upgrade", "--dry-run"])), "dry-run");
    let items = plan["plan"]["items"].as_array().unwrap();
    let names: BTreeSet<&str> = items.iter().map(|item| item["name"].as_str().unwrap()).collect();
    assert_eq!(names, BTreeSet::from(["r", "s"]), "{plan}");
    let hash = planned_hooks(&plan)[0].1.clone();
    let run = world.minds(&args(&["sync", "--upgrade", "--yes", "--accept-hooks", &hash]));
    assert_eq!((run.exit, run.kind().as_str()), (1, "hook-failed"), "{}", run.stdout);
    assert_eq!(run.json()["sources"].as_array().unwrap().len(), 1, "{}", run.stdout);
    assert!(read_installed(&world).contains("one"));
    assert_eq!(commit(&world), earlier);
    assert_eq!(fs::read_to_string(world.home().join(".claude/rules/r.md")).unwrap(), "two\n");

    // In two steps.
    outcome(&world.minds(&args(&["sync"])), "synced");
    assert_ne!(commit(&world), earlier);
    let run = world.minds(&args(&["upgrade", "--yes", "--accept-hooks", &hash]));
    assert_eq!((run.exit, run.kind().as_str()), (1, "hook-failed"), "{}", run.stdout);
    assert!(read_installed(&world).contains("one"));
    // The consent applies to this text of the hook, not to the next one.
    change(&world, "two", "true");
    let run = world.minds(&args(&["sync", "--upgrade", "--yes", "--accept-hooks", &hash]));
    outcome(&run, "upgraded");
    assert!(
        read_installed(&world).contains("two") && run.json()["hooks"] == serde_json::json!([]),
        "{}",
        run.stdout
    );
    assert_eq!(world.minds(&args(&["source", "verify"])).exit, 0);
}

#[test]
fn hooks_of_sources_added_by_sync_are_offered() {
    let world = add_source();
    world.write("n/rules/x.md", "x\n");
    let nested = |run: &str| world.write("n/mind.toml", &format!("[[hooks]]\nrun = {run:?}\n"));
    nested("exit 4");
    world.commit("n");
    let list = format!("[discover]\nsources = [{{ source = {:?} }}]\n", url(&world, "n"));
    world.write("src/mind.toml", &list);
    world.commit("src");
    let accepted = |world: &World| {
        let plan = outcome(&world.minds(&args(&["sync", "--dry-run"])), "dry-run");
        let [(_, hash)] = planned_hooks(&plan).try_into().unwrap();
        hash
    };
    // A failing nested source is not registered; its parent is still fetched.
    let run = world.minds(&args(&["sync", "--accept-hooks", &accepted(&world)]));
    assert_eq!((run.exit, run.kind().as_str()), (1, "hook-failed"), "{}", run.stdout);
    let names = |world: &World| {
        let sources = world.minds(&args(&["recall", "--sources"])).sources();
        sources.as_array().unwrap().iter().map(|source| source["name"].clone()).collect::<Vec<_>>()
    };
    assert_eq!(names(&world).len(), 1);
    // Without consent it is registered, and its hook stays pending.
    nested("touch $HOME/nested");
    world.commit("n");
    let hash = accepted(&world);
    let run = world.minds(&args(&["sync", SKIP, "--yes"]));
    outcome(&run, "synced");
    assert!(run.json()["notes"].to_string().contains(&hash), "{}", run.stdout);
    assert_eq!((names(&world).len(), world.home().join("nested").exists()), (2, false));
    outcome(&world.minds(&args(&["upgrade", "--accept-hooks", &hash])), "upgraded");
    assert!(world.home().join("nested").exists());
    // With consent it runs at once.
    assert_eq!(world.minds(&args(&["unmeld", "n", "--yes"])).exit, 0);
    fs::remove_file(world.home().join("nested")).unwrap();
    outcome(&world.minds(&args(&["sync", "--accept-hooks", &hash])), "synced");
    assert!(world.home().join("nested").exists() && names(&world).len() == 2);
}

#[test]
fn upgrade_without_yes_installs_nothing_that_sync_fetched() {
    let world = add_source();
    change(&world, "two", "echo x >> $HOME/ran");
    let before = world.minds(&args(&["recall", "--sources"])).sources();
    let run = world.minds(&args(&["sync", "--upgrade"]));
    assert_eq!((run.exit, run.kind().as_str()), (1, "consent-required"), "{}", run.stdout);
    assert_eq!(world.minds(&args(&["recall", "--sources"])).sources(), before);
    assert!(read_installed(&world).contains("one"));
}

#[test]
fn hooks_of_a_directory_without_commits_are_offered_until_they_ran() {
    let world = World::new();
    world.skill("s");
    world.write("src/mind.toml", "[[hooks]]\nrun = \"echo x >> $HOME/ran\"\n");
    assert_eq!(world.minds(&args(&["meld", "./src", "--yes"])).exit, 0);
    let plan = outcome(&world.minds(&args(&["upgrade", "--dry-run"])), "dry-run");
    let hash = &planned_hooks(&plan)[0].1;
    outcome(&world.minds(&args(&["upgrade", "--accept-hooks", hash])), "upgraded");
    outcome(&world.minds(&args(&["upgrade", "--accept-hooks", hash])), "up-to-date");
    assert_eq!(times(&world), 1);
}

#[test]
fn the_lock_names_a_new_source_though_a_hook_changed_its_item() {
    let world = World::new();
    world.skill("s");
    world.write(
        "src/mind.toml",
        "[[items]]\nkind = \"skill\"\nname = \"s\"\npath = \"skills/s\"\ninstall = \"echo more >> SKILL.md\"\n",
    );
    assert_eq!(world.minds(&args(&["meld", "./src", "--yes", SKIP])).exit, 0);
    assert!(read_installed(&world).ends_with("more\n"), "{}", read_installed(&world));
    let run = world.plain(&args(&["source", "verify"]));
    assert_eq!(run.exit, 0, "{}", run.stdout);
}
