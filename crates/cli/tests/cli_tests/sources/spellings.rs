//! Options in front of a verb, and other names of verbs.

use serde_json::Value;

use crate::sources::world::{Run, World, args};

fn run(world: &World, words: &[&str]) -> Run {
    world.plain(&args(words))
}

#[test]
fn json_yes_and_ascii_are_accepted_before_and_after_a_verb() {
    let world = World::new();
    let long = "long ".repeat(30);
    world.write("src/skills/s/SKILL.md", &format!("---\nname: s\ndescription: {long}\n---\n"));
    // The output is the same for every position of the options.
    for (verb, rest) in [
        ("meld", &["./src", "--dry-run"][..]),
        ("probe", &[]),
        ("recall", &[]),
        ("sync", &[]),
        ("upgrade", &[]),
        ("learn", &["--all", "--dry-run"]),
        ("forget", &["--unmanaged"]),
        ("introspect", &[]),
        ("dump", &[]),
        ("review", &["./src"]),
        ("init-source", &["./src", "-n"]),
        ("config", &["show"]),
    ] {
        let behind = run(&world, &[&[verb], rest, &["--json", "--yes", "--ascii"]].concat());
        assert_eq!(behind.exit, 0, "{verb}: {}{}", behind.stdout, behind.stderr);
        for before in [
            &["--json", "-y", "--ascii", verb][..],
            &["source", "--json", "--yes", "--ascii", verb],
            &["--json", "--yes", "source", "--ascii", verb],
        ] {
            let early = run(&world, &[before, rest].concat());
            assert_eq!((early.exit, &early.stdout), (0, &behind.stdout), "{before:?}: {}", early.stderr);
            let _: Value = early.json();
        }
    }
    let verified = run(&world, &["source", "--json", "verify"]);
    assert_eq!(verified.json()["action"], "verify");
    for words in [
        &["config", "--json", "show"][..],
        &["config", "--json", "lobes", "list"],
        &["config", "lobes", "--json", "list"],
    ] {
        let _: Value = run(&world, words).json();
    }
    // `--yes` is effective.
    let melded = run(&world, &["--yes", "meld", "./src"]);
    assert_eq!(melded.exit, 0, "{}", melded.stderr);
    assert!(world.home().join(".claude/skills/s").exists());
    let (plain, ascii) = (run(&world, &["probe"]).stdout, run(&world, &["--ascii", "probe"]).stdout);
    assert!(plain.contains('…') && ascii.is_ascii() && ascii.contains("..."), "{plain}{ascii}");
}

#[test]
fn options_of_sources_are_refused_before_other_commands() {
    let world = World::new();
    for (flag, command) in [("-y", "fmt"), ("--ascii", "init"), ("--yes", "man")] {
        let run = run(&world, &[flag, command]);
        assert_eq!(run.exit, 2, "{flag} {command}: {}{}", run.stdout, run.stderr);
        let printed = format!("{}{}", run.stdout, run.stderr);
        assert!(printed.contains("only the verbs of `minds source` accept"), "{flag} {command}: {printed}");
    }
    assert!(!world.path().join(".minds").exists());
}

#[test]
fn verbs_and_flags_of_mind_are_accepted() {
    let world = World::new();
    world.write("src/skills/a/SKILL.md", "---\ndescription: a\nrequires: rule:r\n---\n");
    world.write("src/rules/r.md", "r\n");
    assert_eq!(run(&world, &["meld", "./src", "--link-only"]).exit, 0);
    let all = run(&world, &["learn", "src", "--all", "--yes", "--json"]);
    assert_eq!(all.json()["installed"].as_array().map(Vec::len), Some(2), "{}", all.stdout);
    let wrong = run(&world, &["learn", "src#a", "--all"]);
    assert_eq!(wrong.exit, 2, "{}", wrong.stderr);
    assert_eq!(run(&world, &["probe", "-n"]).stdout, run(&world, &["probe", "--no-tui"]).stdout);
    assert_eq!(run(&world, &["status"]).stdout, run(&world, &["recall"]).stdout);
    assert_eq!(
        run(&world, &["config", "target", "list"]).stdout,
        run(&world, &["config", "lobes", "list"]).stdout
    );
    // The tree of an item has the item and its dependencies.
    let tree = |item: &[&str]| run(&world, &[&["recall", "--tree"], item].concat()).stdout;
    assert!(tree(&["rule:r"]).starts_with("- rule:r") && !tree(&["rule:r"]).contains("skill:a"));
    assert!(tree(&["skill:a"]).contains("rule:r"), "{}", tree(&["skill:a"]));
    assert_eq!(tree(&[]), "- skill:a\n  - rule:r\n");
    let unknown = run(&world, &["recall", "--tree", "nothing", "--json"]);
    assert_eq!((unknown.exit, unknown.kind().as_str()), (1, "not-found"));
    assert_eq!(run(&world, &["unlearn", "*", "--yes"]).exit, 0);
    assert_eq!(run(&world, &["detach", "src", "--yes"]).exit, 0);
}

#[test]
fn an_empty_home_prints_how_to_add_a_source() {
    let world = World::new();
    for words in [&["probe"][..], &["recall"], &["recall", "--sources"], &["sync"], &["learn", "--all"]] {
        let run = run(&world, words);
        assert_eq!(run.exit, 0, "{words:?}: {}", run.stderr);
        assert!(
            run.stderr.contains("`minds source add REPO` adds one"),
            "{words:?}: {}{}",
            run.stdout,
            run.stderr
        );
    }
}

#[test]
fn every_verb_reports_its_result_or_what_it_needs() {
    let world = World::new();
    world.skill("s");
    let expect_output = |words: &[&str], stdout: &str, stderr: &str| {
        let run = run(&world, words);
        assert!(run.stdout.contains(stdout), "{words:?}: {}", run.stdout);
        assert!(run.stderr.contains(stderr), "{words:?}: {}", run.stderr);
    };
    expect_output(&["meld", "./src", "--yes"], "installed skill:s from local/", "");
    expect_output(&["meld", "./src"], "is already added", "");
    expect_output(&["meld", "./src", "--as", "x"], "renamed skill:x-s", "now has the prefix `x`");
    expect_output(&["learn", "x-s"], "nothing to do", "skill:x-s is already installed and up to date");
    expect_output(&["probe", "zzz"], "", "no item matches");
    expect_output(
        &["learn", "zzz"],
        "",
        "no item matches `zzz`: one source is registered; `minds source search`",
    );
    expect_output(&["dump", "--output", "d"], "wrote d/mind.toml\nwrote d/mind.lock\n", "");
    expect_output(&["meld", "--locked", "./d"], "nothing to do", "");
    world.write("b/rules/r.md", "r\n");
    expect_output(&["meld", "./b"], "added local/", "`minds source install 'local/");
    expect_output(
        &["unmeld", "*"],
        "",
        "removing 2 sources and one item needs consent; confirm with `--yes`",
    );
    std::fs::remove_file(world.home().join(".claude/skills/x-s")).unwrap();
    expect_output(&["introspect", "--fix"], "skill:x-s", "");
    expect_output(&["recall", "--tree"], "- skill:x-s\n", "");
    expect_output(&["unmeld", "*", "--yes"], "removed local/", "");
    expect_output(&["recall", "--tree"], "", "no item is installed");
}
