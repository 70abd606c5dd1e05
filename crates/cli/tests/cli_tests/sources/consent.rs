//! The consent that each operation needs.

use std::fs;

use crate::sources::world::{World, args};

pub(crate) fn hook(world: &World, run: &str, event: &str) {
    world.skill("s");
    world.write("src/mind.toml", &format!("[[hooks]]\nrun = {run:?}\nevent = \"{event}\"\n"));
}

#[test]
fn yes_never_covers_hooks_and_a_hash_covers_one_content() {
    let world = World::new();
    hook(&world, "touch $HOME/ran", "install");
    let plan = world.minds(&args(&["meld", "./src", "--dry-run"]));
    assert_eq!((plan.exit, world.home().join(".claude").exists()), (0, false), "{}", plan.stdout);
    let hash = plan.json()["plan"]["hooks"][0]["hash"].as_str().unwrap().to_owned();

    let run = world.minds(&args(&["meld", "./src", "--yes"]));
    assert_eq!((run.exit, world.home().join("ran").exists()), (0, false), "{}", run.stdout);
    assert_eq!(world.minds(&args(&["unmeld", "src", "--yes"])).exit, 0);

    // Another text results in another hash.
    hook(&world, "touch $HOME/ran $HOME/more", "install");
    let run = world.minds(&args(&["meld", "./src", "--yes", "--accept-hooks", &hash]));
    assert_eq!((run.exit, world.home().join("ran").exists()), (0, false), "{}", run.stdout);
    assert_eq!(world.minds(&args(&["unmeld", "src", "--yes"])).exit, 0);

    hook(&world, "touch $HOME/ran", "install");
    let run = world.minds(&args(&["meld", "./src", "--yes", "--accept-hooks", &hash]));
    assert_eq!((run.exit, world.home().join("ran").exists()), (0, true), "{}", run.stdout);
}

#[test]
fn a_flag_does_not_cover_the_hooks_of_nested_sources() {
    let world = World::new();
    world.skill("s");
    let curates = |source: &str, run: &str| {
        format!(
            "[[discover.sources]]\nsource = \"../{source}\"\n[[discover.sources.hooks]]\nrun = \"touch $HOME/{run}\"\n"
        )
    };
    for place in ["given", "deep"] {
        world.write(&format!("{place}/rules/{place}.md"), "");
    }
    let nested = format!("[[hooks]]\nrun = \"touch $HOME/nested\"\n\n{}", curates("deep", "deeper"));
    world.write("n/mind.toml", &nested);
    let own = format!(
        "[[hooks]]\nrun = \"touch $HOME/own\"\n\n[[discover.sources]]\nsource = \"../n\"\n\n{}",
        curates("given", "given-hook")
    );
    world.write("src/mind.toml", &own);
    let run = world.minds(&args(&["meld", "./src", "--yes", "--dangerously-skip-install-hook-check"]));
    assert_eq!(run.exit, 0, "{}", run.stdout);
    // The consent applies to all hooks in the file of the named source.
    let ran = ["own", "given-hook", "nested", "deeper"].map(|name| world.home().join(name).exists());
    assert_eq!(ran, [true, true, false, false], "{}", run.stdout);
}

#[test]
fn an_uninstall_hook_that_was_swapped_has_no_consent() {
    let world = World::new();
    hook(&world, "touch $HOME/tidy", "uninstall");
    assert_eq!(world.minds(&args(&["meld", "./src", "--yes"])).exit, 0);
    let plan = world.minds(&args(&["unmeld", "src", "--dry-run"]));
    let hash = plan.json()["plan"]["hooks"][0]["hash"].as_str().unwrap().to_owned();
    hook(&world, "touch $HOME/pwned", "uninstall");
    let run = world.minds(&args(&["unmeld", "src", "--yes", "--accept-hooks", &hash]));
    assert_eq!(run.exit, 0, "{}", run.stdout);
    assert!(!world.home().join("pwned").exists() && !world.home().join("tidy").exists());
}

#[test]
fn json_bypasses_no_consent() {
    let world = World::new();
    world.write("home/.claude/skills/mine/SKILL.md", "mine");
    let before = world.outside();
    let run = world.minds(&args(&["forget", "--unmanaged"]));
    assert_eq!((run.exit, run.kind().as_str()), (1, "consent-required"), "{}", run.stdout);
    assert_eq!(world.outside(), before);
}

/// Returns the hash of the only hook of a plan.
fn planned_hash(world: &World, words: &[&str]) -> String {
    let plan = world.minds(&args(&[words, &["--dry-run"]].concat()));
    plan.json()["plan"]["hooks"][0]["hash"].as_str().expect("there is a hook").to_owned()
}

#[test]
fn consent_to_a_command_does_not_cover_another_script() {
    for is_repository in [true, false] {
        let world = World::new();
        hook(&world, "sh build.sh", "install");
        let script = |text: &str| {
            world.write("src/build.sh", text);
            if is_repository {
                world.commit("src");
            }
        };
        script("touch $HOME/ran\n");
        let place =
            if is_repository { format!("file://{}", world.src().display()) } else { "./src".to_owned() };
        let hash = planned_hash(&world, &["meld", &place]);
        script("touch $HOME/ran $HOME/pwned\n");
        let meld = ["meld", place.as_str(), "--yes", "--accept-hooks", hash.as_str()];
        let run = world.minds(&args(&meld));
        assert_eq!(run.exit, 0, "{}", run.stdout);
        let exists = |name: &str| world.home().join(name).exists();
        assert!(!exists("ran") && !exists("pwned"), "{is_repository}: {}", run.stdout);
        assert!(run.stdout.contains("does not match any hook"), "{}", run.stdout);
        // The current hash is accepted.
        let hash = planned_hash(&world, &["meld", &place]);
        let run = world.minds(&args(&["meld", &place, "--yes", "--accept-hooks", &hash]));
        assert_eq!((run.exit, exists("pwned")), (0, true), "{}", run.stdout);
    }
}

#[test]
fn consent_to_the_hook_of_an_item_covers_its_files() {
    for event in ["install", "build"] {
        let world = World::new();
        let kind = if event == "build" { "tool" } else { "skill" };
        let (folder, head) = if event == "build" { ("tools/s", "TOOL.md") } else { ("skills/s", "SKILL.md") };
        world.write(&format!("src/{folder}/{head}"), "---\nname: s\ndescription: d\n---\n");
        world.write(&format!("src/{folder}/build.sh"), "touch $HOME/ran\n");
        world.write(
            "src/mind.toml",
            &format!(
                "[[items]]\nkind = \"{kind}\"\nname = \"s\"\npath = \"{folder}\"\n{event} = \"sh build.sh\"\n"
            ),
        );
        let hash = planned_hash(&world, &["meld", "./src"]);
        world.write(&format!("src/{folder}/build.sh"), "touch $HOME/pwned\n");
        let run = world.minds(&args(&["meld", "./src", "--yes", "--accept-hooks", &hash]));
        assert_eq!((run.exit, world.home().join("pwned").exists()), (0, false), "{event}: {}", run.stdout);
        world.write(&format!("src/{folder}/build.sh"), "touch $HOME/ran\n");
        let hash = planned_hash(&world, &["upgrade", "s", "--force"]);
        assert!(!hash.is_empty());
    }
}

#[test]
fn a_script_that_is_replaced_during_the_question_does_not_run() {
    let world = World::new();
    hook(&world, "sh build.sh", "install");
    world.write("src/build.sh", "touch $HOME/ran\n");
    let mut terminal = world.terminal(&["meld", "./src"]);
    terminal.until("register and install this? [y/N] ");
    terminal.types("y\n");
    terminal.until("run this command for");
    world.write("src/build.sh", "touch $HOME/pwned\n");
    terminal.types("y\n");
    let end = terminal.end();
    assert!(end.transcript.contains("has changed since the plan was made"), "{}", end.transcript);
    assert!(!world.home().join("pwned").exists() && !world.home().join("ran").exists());
}

#[test]
fn a_hook_has_only_the_named_variables() {
    let world = World::new();
    hook(&world, "env > $HOME/environment", "install");
    let skip = "--dangerously-skip-install-hook-check";
    for (flags, has) in [(&["--hook-env", "WANTED"][..], true), (&[], false)] {
        let words = args(&[&["meld", "./src", "--yes", skip, "--json"], flags].concat());
        let output = world.command(&words).env("WANTED", "w").env("GITHUB_TOKEN", "t").output().unwrap();
        assert!(output.status.success(), "{output:?}");
        let environment = fs::read_to_string(world.home().join("environment")).unwrap();
        assert_eq!(environment.contains("WANTED=w"), has, "{environment}");
        assert!(!environment.contains("GITHUB_TOKEN") && environment.contains("HOME="), "{environment}");
        assert_eq!(world.minds(&args(&["unmeld", "src", "--yes"])).exit, 0);
    }
    let plan = world.plain(&args(&["meld", "./src", "--dry-run", "--hook-env", "WANTED"]));
    assert!(plan.stdout.contains("WANTED") && plan.stdout.contains("files sha256:"), "{}", plan.stdout);
}
