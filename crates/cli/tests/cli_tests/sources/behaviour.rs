//! Attacks on terminals, on the stored state, and on time limits.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};

use crate::sources::consent::hook;
use crate::sources::world::{World, args, git};

#[test]
fn a_lock_file_is_reproduced_completely_or_not_at_all() {
    let world = World::new();
    world.skill("s");
    world.skill("t");
    assert_eq!(world.minds(&args(&["meld", "./src", "--yes"])).exit, 0);
    assert_eq!(world.minds(&args(&["dump", "--output", "./d"])).exit, 0);
    assert_eq!(world.minds(&args(&["unmeld", "src", "--yes"])).exit, 0);
    world.write("home/.claude/skills/t/SKILL.md", "mine");
    let run = world.minds(&args(&["meld", "--locked", "./d", "--yes"]));
    assert_eq!((run.exit, run.kind().as_str()), (1, "occupied"), "{}", run.stdout);
    assert_eq!(world.minds(&args(&["recall", "--sources"])).sources(), serde_json::json!([]));
    assert!(!world.home().join(".claude/skills/s").exists());
    let run = world.minds(&args(&["meld", "--locked", "./d", "--yes", "--force"]));
    assert_eq!((run.exit, world.home().join(".claude/skills/s").exists()), (0, true), "{}", run.stdout);
}

#[test]
fn a_hook_that_fails_leaves_nothing() {
    let world = World::new();
    hook(&world, "echo no; echo because >&2; exit 3", "install");
    let before = world.outside();
    let run = world.minds(&args(&["meld", "./src", "--yes", "--dangerously-skip-install-hook-check"]));
    assert_eq!((run.exit, run.kind().as_str()), (1, "hook-failed"), "{}", run.stdout);
    let message = run.json()["error"]["message"].as_str().unwrap().to_owned();
    assert!(message.ends_with("failed with exit code 3: because"), "{message}");
    assert_eq!(world.outside(), before);
    assert_eq!(world.minds(&args(&["recall", "--sources"])).sources(), serde_json::json!([]));
}

#[test]
fn a_nested_source_with_a_failing_hook_is_skipped_with_its_items() {
    for is_melded in [false, true] {
        let world = World::new();
        world.skill("s");
        if is_melded {
            assert_eq!(world.minds(&args(&["meld", "./src", "--yes"])).exit, 0);
        }
        world.write("n/skills/other/SKILL.md", "---\nname: other\ndescription: d\n---\n");
        world.write("n/mind.toml", "[[hooks]]\nrun = \"exit 3\"\n");
        world.write("src/mind.toml", "[discover]\nsources = [{ source = \"../n\", install = true }]\n");
        let plan = world.minds(&args(&["meld", "./src", "--dry-run"]));
        let hash = plan.json()["plan"]["hooks"][0]["hash"].as_str().unwrap().to_owned();
        let run = world.minds(&args(&["meld", "./src", "--yes", "--accept-hooks", &hash]));
        assert_eq!((run.exit, run.kind().as_str()), (1, "hook-failed"), "{}", run.stdout);
        let recalled = world.minds(&args(&["recall", "--sources"])).sources();
        assert_eq!(recalled.as_array().unwrap().len(), 1, "{recalled}");
        assert!(world.home().join(".claude/skills/s").exists());
        assert!(!world.home().join(".claude/skills/other").exists(), "{is_melded}");
        assert!(!world.home().join(".minds-home/store/skill/other").exists(), "{is_melded}");
    }
}

#[test]
fn an_item_whose_hook_fails_is_unchanged() {
    let world = World::new();
    world.skill("s");
    let manifest = |run: &str| {
        let text =
            format!("[[items]]\nkind = \"skill\"\nname = \"s\"\npath = \"skills/s\"\ninstall = {run:?}\n");
        world.write("src/mind.toml", &text);
    };
    manifest("true");
    let skip = "--dangerously-skip-install-hook-check";
    assert_eq!(world.minds(&args(&["meld", "./src", "--yes", skip])).exit, 0);
    let before = world.outside();
    world.write("src/skills/s/SKILL.md", "---\ndescription: new\n---\n");
    manifest("false");
    let run = world.minds(&args(&["upgrade", "s", "--yes", skip]));
    assert_eq!((run.exit, run.kind().as_str()), (1, "hook-failed"), "{}", run.stdout);
    let installed = fs::read_to_string(world.home().join(".claude/skills/s/SKILL.md")).unwrap();
    assert!(installed.contains("description: d"), "{installed}");
    let home = |path: &std::path::PathBuf| path.starts_with(world.home());
    let after = world.outside();
    assert!(after.iter().filter(|(path, _)| home(path)).eq(before.iter().filter(|(path, _)| home(path))));
    // The next command finds no partial changes.
    manifest("true");
    let run = world.minds(&args(&["upgrade", "s", "--yes", skip]));
    assert_eq!((run.exit, run.json()["outcome"].as_str()), (0, Some("upgraded")), "{}", run.stdout);
}

#[test]
fn text_of_a_source_is_escaped_on_a_terminal() {
    let world = World::new();
    world.skill("s");
    let run = "rm -rf ~\\r\\u001b[2Kmake build\\u202e";
    world.write(
        "src/mind.toml",
        &format!(
            "[source]\ndescription = \"\\u001b[2J\"\n[[hooks]]\nname = \"x\\u001b]0;t\"\nrun = \"{run}\"\n"
        ),
    );
    for verb in [
        &["meld", "./src", "--dry-run"][..],
        &["meld", "./src", "--yes"],
        &["recall", "--sources"],
        &["probe"],
    ] {
        let run = world.plain(&args(verb));
        for text in [&run.stdout, &run.stderr] {
            let hidden = |c: char| (c.is_control() && c != '\n') || matches!(c, '\u{202a}'..='\u{202e}');
            assert!(!text.chars().any(hidden), "{verb:?}: {text:?}");
        }
    }
}

#[test]
fn files_in_place_of_links_are_kept() {
    let world = World::new();
    world.skill("s");
    world.skill("t");
    assert_eq!(world.minds(&args(&["meld", "./src", "--yes"])).exit, 0);
    let place = world.home().join(".claude/skills/s");
    fs::remove_file(&place).unwrap();
    world.write("home/.claude/skills/s/SKILL.md", "mine");
    world.write("src/skills/s/SKILL.md", "---\ndescription: new\n---\n");
    let run = world.minds(&args(&["upgrade", "--yes"]));
    assert_eq!((run.exit, run.kind().as_str()), (1, "occupied"), "{}", run.stdout);
    let run = world.minds(&args(&["forget", "s"]));
    assert_eq!(run.exit, 0, "{}", run.stdout);
    assert_eq!(fs::read_to_string(place.join("SKILL.md")).unwrap(), "mine");
    assert!(world.home().join(".claude/skills/t").exists());
}

#[test]
fn an_item_of_another_source_is_not_replaced() {
    let world = World::new();
    world.skill("victim");
    assert_eq!(world.minds(&args(&["meld", "./src", "--yes"])).exit, 0);
    world.write("b/skills/victim/SKILL.md", "---\ndescription: other\n---\n");
    world.write("b/rules/x.md", "x\n");
    let before = world.outside();
    let run = world.minds(&args(&["meld", "./b", "--yes"]));
    assert_eq!((run.exit, run.kind().as_str()), (1, "name-taken"), "{}", run.stdout);
    let message = run.json()["error"]["message"].as_str().unwrap().to_owned();
    assert!(message.starts_with("skill:victim is already installed from another source"), "{message}");
    assert_eq!(world.outside(), before);
    // It is still registered, and items without a conflict can be installed.
    assert_eq!(world.minds(&args(&["learn", "rule:x"])).exit, 0);
    // Refusals are reported in the plan, with the other steps.
    world.write("c/rules/y.md", "y\n");
    assert_eq!(world.minds(&args(&["meld", "./c", "--link-only"])).exit, 0);
    let run = world.minds(&args(&["learn", "--all", "--dry-run"]));
    assert_eq!((run.exit, run.kind().as_str()), (1, "name-taken"), "{}", run.stdout);
    assert_eq!(run.json()["plan"]["items"][0]["name"], "y", "{}", run.stdout);
}

#[test]
fn a_broken_source_stops_no_other() {
    let world = World::new();
    world.skill("s");
    world.write("b/rules/x.md", "x\n");
    assert_eq!(world.minds(&args(&["meld", "./src", "--yes"])).exit, 0);
    assert_eq!(world.minds(&args(&["meld", "./b", "--link-only"])).exit, 0);
    world.write("src/mind.toml", "nonsense = 1\n");
    let run = world.minds(&args(&["learn", "rule:x"]));
    assert_eq!(run.exit, 0, "{}", run.stdout);
    let run = world.minds(&args(&["sync"]));
    assert_eq!((run.exit, run.kind().as_str()), (1, "invalid-manifest"), "{}", run.stdout);
    fs::remove_dir_all(world.src()).unwrap();
    assert_eq!(world.minds(&args(&["unmeld", "src", "--yes"])).exit, 0);
    assert!(!world.home().join(".claude/skills/s").exists());
}

#[test]
fn a_file_of_state_that_names_another_place_is_refused() {
    let world = World::new();
    world.skill("s");
    assert_eq!(world.minds(&args(&["meld", "./src", "--yes"])).exit, 0);
    let before = world.outside();
    let manifest = world.home().join(".minds-home/manifest.json");
    let text = fs::read_to_string(&manifest).unwrap();
    for (from, to) in
        [("store/skill/s", "store/skill/../../../precious"), (".claude/skills/s", "precious/repo")]
    {
        fs::write(&manifest, text.replace(from, to)).unwrap();
        let run = world.minds(&args(&["forget", "s"]));
        assert_eq!((run.exit, run.kind().as_str()), (1, "invalid-state"), "{}", run.stdout);
        assert_eq!(world.outside(), before);
    }
    fs::write(&manifest, text).unwrap();
    assert_eq!(world.minds(&args(&["forget", "s"])).exit, 0);
}

#[test]
fn links_and_submodules_of_a_repository_are_refused_by_their_mode() {
    let world = World::new();
    world.skill("s");
    world.skill("t");
    symlink("/etc/passwd", world.src().join("skills/s/passwd")).unwrap();
    world.commit("src");
    let before = world.outside();
    let url = format!("file://{}", world.src().display());
    let run = world.minds(&args(&["meld", &url, "--yes"]));
    assert_eq!((run.exit, run.kind().as_str()), (1, "bad-content"), "{}", run.stdout);
    assert_eq!(world.outside(), before);
    let run = world.minds(&args(&["learn", "t"]));
    assert_eq!(run.exit, 0, "{}", run.stdout);

    let other = World::new();
    other.skill("s");
    other.commit("src");
    let id = git(&other.src(), &["rev-parse", "HEAD"]);
    git(&other.src(), &["update-index", "--add", "--cacheinfo", &format!("160000,{id},skills/s/sub")]);
    git(&other.src(), &["commit", "--quiet", "-m", "sub"]);
    let url = format!("file://{}", other.src().display());
    let run = other.minds(&args(&["meld", &url, "--yes"]));
    assert_eq!((run.exit, run.kind().as_str()), (1, "bad-content"), "{}", run.stdout);
}

#[test]
fn a_hanging_source_is_aborted_and_the_remaining_ones_continue() {
    let world = World::new();
    world.skill("s");
    world.commit("src");
    world.write("b/rules/x.md", "x\n");
    world.commit("b");
    for source in ["src", "b"] {
        let url = format!("file://{}/{source}", world.path().display());
        assert_eq!(world.minds(&args(&["meld", &url, "--yes"])).exit, 0);
    }
    world.write("b/rules/x.md", "y\n");
    world.commit("b");
    // A program in place of git that never answers for one of the two sources.
    let real = git(world.path(), &["--exec-path"]);
    let real = std::path::Path::new(&real).join("git");
    let fake = world.write(
        "bin/git",
        &format!(
            "#!/bin/sh\ncase \"$*\" in *{}/src*) sleep 600 ;; esac\nexec {} \"$@\"\n",
            world.path().display(),
            real.display()
        ),
    );
    fs::set_permissions(&fake, fs::Permissions::from_mode(0o755)).unwrap();
    let mut command = world.command(&args(&["sync", "--timeout", "2", "--json"]));
    command.env("PATH", format!("{}:/usr/bin:/bin", world.path().join("bin").display()));
    let started = std::time::Instant::now();
    let output = command.output().unwrap();
    assert!(started.elapsed().as_secs() < 60);
    let document: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(document["error"]["kind"], "timeout", "{document}");
    assert_eq!(document["sources"].as_array().unwrap().len(), 1, "{document}");
    let run = world.minds(&args(&["upgrade", "--yes"]));
    assert_eq!((run.exit, run.json()["outcome"].as_str()), (0, Some("upgraded")), "{}", run.stdout);
}

#[test]
fn a_source_that_vanishes_rewinds_or_restarts_is_followed() {
    let world = World::new();
    world.skill("s");
    world.commit("src");
    let first = git(&world.src(), &["rev-parse", "HEAD"]);
    world.write("src/skills/s/SKILL.md", "---\ndescription: two\n---\n");
    world.commit("src");
    let url = format!("file://{}", world.src().display());
    assert_eq!(world.minds(&args(&["meld", &url, "--yes"])).exit, 0);
    let installed = || fs::read_to_string(world.home().join(".claude/skills/s/SKILL.md")).unwrap();
    assert!(installed().contains("two"));
    // It rewinds.
    git(&world.src(), &["reset", "--quiet", "--hard", &first]);
    let run = world.minds(&args(&["sync", "--upgrade", "--yes"]));
    assert_eq!(run.exit, 0, "{}", run.stdout);
    assert!(!installed().contains("two"));
    // It restarts with another history.
    git(&world.src(), &["checkout", "--quiet", "--orphan", "other"]);
    world.write("src/skills/s/SKILL.md", "---\ndescription: three\n---\n");
    world.commit("src");
    git(&world.src(), &["branch", "-M", "main"]);
    assert_eq!(world.minds(&args(&["sync", "--upgrade", "--yes"])).exit, 0);
    assert!(installed().contains("three"));
    // It has vanished: installed items and its commit are kept.
    fs::rename(world.src(), world.path().join("gone")).unwrap();
    let run = world.minds(&args(&["sync"]));
    assert_eq!(run.exit, 1, "{}", run.stdout);
    assert!(installed().contains("three"));
    assert_eq!(world.minds(&args(&["upgrade"])).exit, 0);
}

#[test]
fn two_processes_at_once_leave_both_results() {
    let world = World::new();
    let names: Vec<String> = (0..6).map(|number| format!("r{number}")).collect();
    for name in &names {
        world.write(&format!("{name}/rules/{name}.md"), "x\n");
    }
    let children: Vec<_> = names
        .iter()
        .map(|name| {
            world
                .command(&args(&["meld", &format!("./{name}"), "--yes"]))
                .stdout(std::process::Stdio::null())
                .spawn()
                .unwrap()
        })
        .collect();
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
    let sources = world.minds(&args(&["recall", "--sources"])).sources();
    assert_eq!(sources.as_array().unwrap().len(), names.len());
    for name in &names {
        assert!(world.home().join(format!(".claude/rules/{name}.md")).exists(), "{name}");
    }
}

#[test]
fn an_unknown_kind_is_reported() {
    let world = World::new();
    world.write("src/mind.toml", "[[items]]\nkind = \"widget\"\nname = \"x\"\npath = \"x\"\n");
    let run = world.minds(&args(&["meld", "./src", "--yes"]));
    let message = run.json()["error"]["message"].as_str().unwrap().to_owned();
    assert!(run.exit == 1 && message.contains("not `widget`"), "{message}");
}
