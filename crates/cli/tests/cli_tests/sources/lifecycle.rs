//! The life cycle of sources and items.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::sources::world::{Run, World, args, git};

#[track_caller]
fn done(run: &Run, outcome: &str) {
    assert_eq!(run.exit, 0, "{}{}", run.stdout, run.stderr);
    assert_eq!(run.json()["outcome"], outcome, "{}", run.stdout);
}

#[track_caller]
fn assert_refused(run: &Run, kind: &str) {
    assert_eq!((run.exit, run.kind().as_str()), (1, kind), "{}{}", run.stdout, run.stderr);
}

fn offered_items(world: &World) -> Vec<(String, bool)> {
    let rows = world.minds(&args(&["probe"])).json()["items"].clone();
    let row = |row: &Value| {
        let key = format!("{}:{}", row["kind"].as_str().unwrap(), row["name"].as_str().unwrap());
        (key, row["installed"].as_bool().unwrap())
    };
    rows.as_array().unwrap().iter().map(row).collect()
}

/// Returns all files below a folder with their contents.
fn contents(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    fn enter(top: &Path, folder: &Path, found: &mut BTreeMap<PathBuf, Vec<u8>>) {
        for entry in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap()) {
            let path = entry.path();
            if path.is_dir() {
                enter(top, &path, found);
            } else {
                found.insert(path.strip_prefix(top).unwrap().to_owned(), fs::read(&path).unwrap());
            }
        }
    }
    let mut found = BTreeMap::new();
    enter(folder, folder, &mut found);
    found
}

#[test]
fn without_a_yes_a_source_is_registered_and_nothing_is_installed() {
    let world = World::new();
    world.skill("s");
    let run = world.minds(&args(&["meld", "./src"]));
    done(&run, "melded");
    assert!(run.json()["notes"][0].as_str().unwrap().contains("minds source install"), "{}", run.stdout);
    assert_eq!(offered_items(&world), [("skill:s".to_owned(), false)]);
    done(&world.minds(&args(&["learn", "s"])), "installed");
    let run = world.minds(&args(&["learn", "s"]));
    done(&run, "no-op");
    assert_eq!(run.json()["notes"], json!(["skill:s is already installed and up to date"]));
    done(&world.minds(&args(&["meld", "./src", "--yes"])), "already-melded");
    assert_eq!(offered_items(&world), [("skill:s".to_owned(), true)]);
}

#[test]
fn dependencies_are_installed_with_consent() {
    let world = World::new();
    world.write("src/skills/a/SKILL.md", "---\ndescription: a\nrequires: rule:r\n---\n");
    world.write("src/rules/r.md", "r\n");
    done(&world.minds(&args(&["meld", "./src", "--link-only"])), "melded");
    done(&world.minds(&args(&["learn", "skill:a"])), "cancelled");
    assert!(!world.home().join(".claude").exists());
    let run = world.minds(&args(&["learn", "skill:a", "--yes"]));
    done(&run, "installed");
    assert_eq!(run.json()["installed"][0]["name"], "r");
    assert_refused(&world.minds(&args(&["forget", "rule:r"])), "consent-required");
    assert_refused(&world.minds(&args(&["forget", "*"])), "consent-required");
    done(&world.minds(&args(&["forget", "*", "--yes"])), "removed");
    assert_eq!(contents(&world.home().join(".claude")), BTreeMap::new());
}

#[test]
fn another_prefix_gives_what_is_installed_other_names() {
    let world = World::new();
    world.write("src/skills/a/SKILL.md", "---\ndescription: a\n---\nSee {{ns:r}}.\n");
    world.write("src/rules/r.md", "r\n");
    done(&world.minds(&args(&["meld", "./src", "--yes"])), "melded");
    let run = world.minds(&args(&["meld", "./src", "--as", "x", "--yes"]));
    assert_eq!(run.exit, 0, "{}", run.stdout);
    assert!(run.json()["notes"][0].as_str().unwrap().ends_with("now has the prefix `x`"), "{}", run.stdout);
    assert_eq!(offered_items(&world), [("rule:x-r".to_owned(), true), ("skill:x-a".to_owned(), true)]);
    let text = fs::read_to_string(world.home().join(".claude/skills/x-a/SKILL.md")).unwrap();
    assert!(text.contains("See x-r."), "{text}");
    let linked = |path: &str| fs::symlink_metadata(world.home().join(".claude").join(path)).is_ok();
    assert!(!linked("skills/a") && !linked("rules/r.md") && linked("rules/x-r.md"));
}

#[test]
fn edited_items_are_reported_and_kept() {
    let world = World::new();
    world.skill("s");
    world.skill("t");
    done(&world.minds(&args(&["meld", "./src", "--yes"])), "melded");
    let installed = world.home().join(".claude/skills/s/SKILL.md");
    fs::write(&installed, "mine").unwrap();
    world.write("src/skills/s/SKILL.md", "---\ndescription: new\n---\n");
    world.write("src/skills/t/SKILL.md", "---\ndescription: new\n---\n");
    let run = world.minds(&args(&["upgrade", "--yes"]));
    assert_refused(&run, "drifted");
    // The other source is still upgraded.
    assert_eq!(run.json()["installed"][0]["name"], "t", "{}", run.stdout);
    assert_eq!(fs::read_to_string(&installed).unwrap(), "mine");
    done(&world.minds(&args(&["upgrade", "--yes", "--force"])), "upgraded");
    assert!(fs::read_to_string(&installed).unwrap().contains("new"));
    done(&world.minds(&args(&["upgrade"])), "up-to-date");
}

#[test]
fn upgrade_restores_missing_links_and_fills_new_agent_homes() {
    let world = World::new();
    world.skill("s");
    done(&world.minds(&args(&["meld", "./src", "--yes"])), "melded");
    fs::remove_dir_all(world.home().join(".minds-home/store/skill/s")).unwrap();
    done(&world.minds(&args(&["upgrade", "--yes"])), "upgraded");
    assert!(world.home().join(".claude/skills/s/SKILL.md").exists());
    done(&world.minds(&args(&["config", "lobes", "add", "~/.other"])), "added");
    assert_refused(&world.minds(&args(&["upgrade"])), "consent-required");
    done(&world.minds(&args(&["upgrade", "--yes"])), "upgraded");
    assert!(world.home().join(".other/skills/s/SKILL.md").exists());
    done(&world.minds(&args(&["unmeld", "src", "--yes"])), "removed");
    assert_eq!(contents(&world.home().join(".other")), BTreeMap::new());
}

#[test]
fn a_home_may_have_copies() {
    let world = World::new();
    world.skill("s");
    world.write("home/.minds-home/config.toml", "mode = \"copy\"\n");
    done(&world.minds(&args(&["meld", "./src", "--yes"])), "melded");
    let copy = world.home().join(".claude/skills/s/SKILL.md");
    assert!(!fs::symlink_metadata(copy.parent().unwrap()).unwrap().is_symlink());
    fs::write(&copy, "mine").unwrap();
    world.write("src/skills/s/SKILL.md", "---\ndescription: new\n---\n");
    assert_refused(&world.minds(&args(&["upgrade", "--yes"])), "drifted");
    let run = world.minds(&args(&["forget", "s"]));
    done(&run, "removed");
    assert_eq!(fs::read_to_string(&copy).unwrap(), "mine");
}

#[test]
fn a_nested_source_is_read_once() {
    let world = World::new();
    world.skill("s");
    world.write("n1/skills/one/SKILL.md", "---\ndescription: 1\n---\n");
    world.write("n2/skills/two/SKILL.md", "---\ndescription: 2\n---\n");
    let sources = |list: &str| format!("[discover]\nsources = [{list}]\n");
    world.write("src/mind.toml", &sources("{ source = \"../n1\", install = true }, { source = \"../src\" }"));
    world.write(
        "n1/mind.toml",
        &sources("{ source = \"../n2\" }, { source = \"../src\" }, { source = \"../missing\" }"),
    );
    world.write("n2/mind.toml", &sources("{ source = \"../n1\" }"));
    let run = world.minds(&args(&["meld", "./src", "--yes"]));
    assert_refused(&run, "broken-source");
    assert_eq!(run.json()["sources"].as_array().unwrap().len(), 3, "{}", run.stdout);
    let expected = [("skill:one", true), ("skill:s", true), ("skill:two", false)];
    assert_eq!(offered_items(&world), expected.map(|(key, installed)| (key.to_owned(), installed)));
}

#[test]
fn an_export_is_reproduced_exactly_and_exports_itself() {
    let world = World::new();
    world.skill("s");
    world.skill("t");
    world.write("src/rules/r.md", "See {{ns:s}} at {{path:skill:s}}.\n");
    world.commit("src");
    world.write("n1/tools/w/w", "#!/bin/sh\n");
    world.write("n1/agents/a.md", "a\n");
    world.commit("n1");
    let url = |name: &str| format!("file://{}/{name}", world.path().display());
    done(&world.minds(&args(&["meld", &url("src"), "--as", "zz", "--link-only"])), "melded");
    done(&world.minds(&args(&["meld", &url("n1"), "--yes"])), "melded");
    done(&world.minds(&args(&["learn", "rule:zz-r", "--yes"])), "installed");
    let run = world.minds(&args(&["dump", "--output", "d"]));
    assert_eq!(run.exit, 0, "{}{}", run.stdout, run.stderr);
    let first = contents(&world.path().join("d"));
    let store = contents(&world.home().join(".minds-home/store"));
    assert!(first.len() == 2 && store.len() >= 4, "{first:?}");

    // The same home, without its files.
    fs::remove_dir_all(world.home().join(".minds-home")).unwrap();
    fs::remove_dir_all(world.home().join(".claude")).unwrap();
    done(&world.minds(&args(&["meld", "--locked", "./d", "--yes"])), "melded");
    assert_eq!(contents(&world.home().join(".minds-home/store")), store);
    let run = world.minds(&args(&["dump", "--output", "e"]));
    assert_eq!(run.exit, 0, "{}{}", run.stdout, run.stderr);
    assert_eq!(contents(&world.path().join("e")), first);
    assert_eq!(world.minds(&args(&["source", "verify"])).exit, 0);

    // Differences from the lock file are refused.
    fs::remove_dir_all(world.home().join(".minds-home")).unwrap();
    fs::remove_dir_all(world.home().join(".claude")).unwrap();
    let lock = world.path().join("d/mind.lock");
    let text = fs::read_to_string(&lock).unwrap();
    let (before, digits) = text.split_once("sha256:").unwrap();
    let other = if digits.starts_with('0') { "1" } else { "0" };
    let rest: String = digits.chars().skip(1).collect();
    fs::write(&lock, format!("{before}sha256:{other}{rest}")).unwrap();
    assert_refused(&world.minds(&args(&["meld", "--locked", "./d", "--yes"])), "locked");
    assert!(!world.home().join(".claude").exists());
    assert_eq!(world.minds(&args(&["recall", "--sources"])).sources(), json!([]));
}

#[test]
fn pins_are_kept_as_commits_and_declared_ones_count() {
    let world = World::new();
    world.skill("s");
    world.commit("src");
    git(&world.src(), &["tag", "v1"]);
    let commit = git(&world.src(), &["rev-parse", "HEAD"]);
    world.skill("later");
    world.write("src/mind.toml", "[source]\npin-tag = \"v1\"\n");
    world.commit("src");
    // The newest commit pins a tag, which is used from then on.
    done(&world.minds(&args(&["meld", "./src", "--link-only"])), "melded");
    assert_eq!(offered_items(&world), [("skill:s".to_owned(), false)]);
    let source = world.minds(&args(&["recall", "--sources"])).sources()[0].clone();
    assert_eq!(
        (source["commit"].as_str(), source["pin"].clone()),
        (Some(commit.as_str()), json!({"kind": "tag", "value": "v1"}))
    );
    done(&world.minds(&args(&["unmeld", "src", "--yes"])), "removed");
    // A movable name is replaced by a fixed commit.
    done(&world.minds(&args(&["meld", "./src", "--link-only", "--pin-ref", "v1"])), "melded");
    let source = world.minds(&args(&["recall", "--sources"])).sources()[0].clone();
    assert_eq!(source["pin"], json!({"kind": "ref", "value": commit}));
    assert_refused(&world.minds(&args(&["meld", "./n", "--pin-tag", "-x"])), "invalid-revision");
    done(&world.minds(&args(&["unmeld", "src", "--yes"])), "removed");
    assert_refused(&world.minds(&args(&["meld", "./src", "--pin-tag", "v9"])), "unknown-revision");
    assert_eq!(world.minds(&args(&["recall", "--sources"])).sources(), json!([]));
}

#[test]
fn every_verb_prints_one_document_in_every_case() {
    let world = World::new();
    world.skill("s");
    world.write("src/mind.toml", "[[hooks]]\nrun = \"echo {}\"\n");
    let cases: &[&[&str]] = &[
        &["meld", "./src", "--yes", "--dangerously-skip-install-hook-check"],
        &["meld", "notaspec"],
        &["meld", "./src", "--pin-tag", "a", "--pin-ref", "b"],
        &["learn", "nothing"],
        &["learn", "skill:s", "--dry-run"],
        &["probe"],
        &["probe", "--source", "nothing"],
        &["recall"],
        &["recall", "s"],
        &["recall", "--sources"],
        &["recall", "--tree"],
        &["recall", "nothing"],
        &["sync"],
        &["sync", "--upgrade", "--yes"],
        &["upgrade"],
        &["upgrade", "nothing"],
        &["introspect"],
        &["dump"],
        &["config", "show"],
        &["config", "lobes", "list"],
        &["config", "lobes", "remove", "/nowhere"],
        &["source", "verify"],
        &["review", "./src"],
        &["forget", "nothing"],
        &["forget", "s", "--dry-run"],
        &["unmeld", "nothing"],
        &["unmeld", "src", "--yes"],
    ];
    for case in cases {
        for json in [&["--json"][..], &["--format", "json"]] {
            let run = world.plain(&args(&[case, json].concat()));
            let mut documents = serde_json::Deserializer::from_str(&run.stdout).into_iter::<Value>();
            let document = documents.next().unwrap_or_else(|| panic!("{case:?}: {}", run.stderr)).unwrap();
            assert!(documents.next().is_none(), "{case:?}: {}", run.stdout);
            let is_array = document.is_array();
            assert!(
                is_array || document["version"] == 1 || document.get("kind").is_some(),
                "{case:?}: {document}"
            );
            if run.exit != 0 && !is_array && case[0] != "review" {
                assert!(document["error"]["kind"].is_string(), "{case:?}: {document}");
            }
        }
    }
}
