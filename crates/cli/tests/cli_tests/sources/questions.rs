//! Questions on a terminal, and the effects of the answers.

use std::fs;

use serde_json::json;

use crate::sources::terminal::{End, Terminal, WIDTH};
use crate::sources::world::{World, args};

/// The questions for a plan and for a command.
const PLAN: &str = "register and install this? [y/N] ";
const HOOK: &str = "run this command for";
const ANSWER: &str = "[y/N] ";
const PROPOSED: &str = "or enter another prefix]: ";
const TAKEN: &str = "[none: do not install its items]: ";

/// A source with a skill, and a hook that creates a file.
fn with_hook() -> World {
    let world = World::new();
    world.skill("s");
    world.write("src/mind.toml", "[[hooks]]\nrun = \"touch $HOME/ran\"\n");
    world
}

fn has_run(world: &World) -> bool {
    world.home().join("ran").exists()
}

fn is_installed(world: &World, skill: &str) -> bool {
    world.home().join(".claude/skills").join(skill).exists()
}

fn count_sources(world: &World) -> usize {
    world.minds(&args(&["recall", "--sources"])).sources().as_array().unwrap().len()
}

#[track_caller]
fn ends(terminal: Terminal, exit: i32) -> End {
    let end = terminal.end();
    assert_eq!((end.exit, end.signal), (Some(exit), None), "{}", end.transcript);
    end
}

#[test]
fn nothing_happens_without_a_yes() {
    // Return, every kind of no, the end of the input, and three invalid answers.
    for keys in ["\n", "n\n", "NO\n", "\u{4}", "maybe\nwhat\n1\n"] {
        let world = with_hook();
        let before = world.outside();
        let mut terminal = world.terminal(&["meld", "./src"]);
        terminal.until(PLAN);
        terminal.types(keys);
        let end = ends(terminal, 0);
        assert!(end.transcript.contains("cancelled; nothing was changed"), "{keys:?}: {}", end.transcript);
        // The following output begins on a new line.
        assert!(end.transcript.contains("\ncancelled"), "{keys:?}: {}", end.transcript);
        assert_eq!(world.outside(), before, "{keys:?}");
        assert_eq!(count_sources(&world), 0, "{keys:?}");
    }
}

#[test]
fn an_interrupt_ends_it_and_the_next_command_finds_nothing_half_done() {
    let world = with_hook();
    world.commit("src");
    let url = format!("file://{}", world.src().display());
    let before = world.outside();
    for question in [PLAN, HOOK] {
        let mut terminal = world.terminal(&["meld", &url]);
        terminal.until(PLAN);
        if question == HOOK {
            terminal.types("y\n");
            terminal.until(HOOK);
            terminal.until(ANSWER);
        }
        terminal.types("\u{3}");
        let end = terminal.end();
        assert_eq!((end.exit, end.signal), (None, Some(2)), "{}", end.transcript);
        assert_eq!(world.outside(), before);
        assert_eq!(count_sources(&world), 0);
    }
    let run = world.minds(&args(&["meld", &url, "--yes"]));
    assert_eq!(run.exit, 0, "{}", run.stdout);
    assert!(is_installed(&world, "s") && !has_run(&world));
}

#[test]
fn the_plan_and_each_command_need_consent() {
    for (answer, runs) in
        [("y\n", true), ("YES\n", true), ("\n", false), ("\u{4}", false), ("what\ny\n", true)]
    {
        let world = with_hook();
        let mut terminal = world.terminal(&["meld", "./src"]);
        let plan = terminal.until(PLAN);
        for part in
            ["meld ", "install  skill:s", "command  touch $HOME/ran", "hash     sha256:", "required: ask"]
        {
            assert!(plan.contains(part), "{part}: {plan}");
        }
        terminal.types("y\n");
        terminal.until(HOOK);
        terminal.types(answer);
        let end = ends(terminal, 0);
        assert_eq!(
            (has_run(&world), is_installed(&world, "s")),
            (runs, true),
            "{answer:?}: {}",
            end.transcript
        );
        // Skipped hooks are reported after the results.
        let told = end.transcript.split_once("--accept-hooks sha256:");
        assert_eq!(told.is_none(), runs, "{answer:?}: {}", end.transcript);
        assert!(told.is_none_or(|(before, _)| before.contains("installed skill:s")), "{}", end.transcript);
    }
}

#[test]
fn yes_covers_the_plan_and_no_hook() {
    for (answer, runs) in [("\n", false), ("y\n", true)] {
        let world = with_hook();
        let mut terminal = world.terminal(&["meld", "./src", "--yes"]);
        let before = terminal.until(HOOK);
        assert!(!before.contains(ANSWER), "{before}");
        terminal.types(answer);
        ends(terminal, 0);
        assert_eq!((has_run(&world), is_installed(&world, "s")), (runs, true), "{answer:?}");
    }
    // An option replaces the question.
    let world = with_hook();
    let end = ends(world.terminal(&["meld", "./src", "-y", "--dangerously-skip-install-hook-check"]), 0);
    assert!(has_run(&world) && !end.transcript.contains(ANSWER), "{}", end.transcript);
}

/// Asserts that the terminal received only text, and carriage returns only to erase the progress line.
#[track_caller]
fn is_text(printed: &str) {
    let printed = printed.replace("\r\n", "\n");
    let hidden = |c: char| (c.is_control() && c != '\n') || matches!(c, '\u{202a}'..='\u{202e}');
    assert!(!printed.chars().any(hidden), "{printed:?}");
}

#[test]
fn file_contents_cannot_control_the_terminal() {
    // A command of two lines, which would clear the screen.
    let world = World::new();
    world.skill("s");
    world.write("src/mind.toml", "[[hooks]]\nrun = \"touch $HOME/ran\\nprintf '\\\\033[2J\\\\rdone'\"\n");
    let mut terminal = world.terminal(&["meld", "./src"]);
    let plan = terminal.until(PLAN);
    assert!(plan.contains("command  touch $HOME/ran") && plan.contains("033[2J"), "{plan}");
    terminal.types("y\n");
    terminal.until(HOOK);
    let question = terminal.until(ANSWER);
    assert!(question.contains("touch $HOME/ran") && question.contains("033[2J"), "{question}");
    assert!(!question.contains('\n'), "not on one line: {question:?}");
    terminal.types("y\n");
    let end = ends(terminal, 0);
    assert!(has_run(&world) && end.transcript.contains("stdout | "), "{}", end.transcript);
    is_text(&end.transcript);

    // A command that would hide the text in front of it.
    let world = World::new();
    world.skill("s");
    let hidden = "touch $HOME/ran\r\u{1b}[2Kmake build\u{202e}\u{9b}2J";
    let mut terminal = world.terminal(&["meld", "./src", "--install-hook", hidden]);
    let plan = terminal.until(PLAN);
    assert!(plan.contains("command  touch $HOME/ran") && plan.contains("make build"), "{plan:?}");
    terminal.types("y\n");
    terminal.until(HOOK);
    let question = terminal.until(ANSWER);
    assert!(question.contains("touch $HOME/ran") && question.contains("make build"), "{question:?}");
    terminal.types("\n");
    is_text(&ends(terminal, 0).transcript);
    assert!(!has_run(&world));

    // In a file of a source such characters are refused.
    let world = World::new();
    world.skill("s");
    world.write("src/mind.toml", "[[hooks]]\nrun = \"rm -rf ~\\r\\u001b[2Kmake build\\u202e\"\n");
    let end = ends(world.terminal(&["meld", "./src"]), 1);
    assert!(end.transcript.contains("invisible character U+"), "{}", end.transcript);
    is_text(&end.transcript);
}

/// Removes colors from text.
fn plain(printed: &str) -> String {
    let mut parts = printed.split('\u{1b}');
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |text, part| text + part.split_once('m').map_or(part, |(_, rest)| rest))
}

#[test]
fn help_and_progress_fit_the_terminal() {
    let width = usize::from(WIDTH);
    let world = World::new();
    for verb in ["meld", "learn", "forget", "unmeld", "sync", "upgrade", "probe", "recall", "source"] {
        let end = ends(world.terminal(&[verb, "--help"]), 0);
        let printed = plain(&end.transcript);
        let wide: Vec<&str> = printed.lines().filter(|line| line.chars().count() > width).collect();
        assert!(wide.is_empty(), "{verb}: {wide:#?}");
    }
    world.skill("s");
    let long = format!("src/{}", "long/".repeat(20));
    world.write(&format!("{long}/skills/s/SKILL.md"), "---\ndescription: d\n---\n");
    world.commit(&long);
    let url = format!("file://{}/{long}", world.path().display());
    let end = ends(world.terminal(&["meld", url.trim_end_matches('/'), "--yes"]), 0);
    let progress: Vec<&str> =
        end.transcript.split(['\r', '\n']).filter(|line| line.starts_with("fetched")).collect();
    assert!(
        !progress.is_empty() && progress.iter().all(|line| line.chars().count() < width),
        "{progress:#?}"
    );
}

#[test]
fn a_prefix_that_a_source_suggests_is_offered() {
    for (answer, installed) in [
        ("\n", "jk-s"),
        ("y\n", "jk-s"),
        ("n\n", "s"),
        ("zz\n", "zz-s"),
        ("a/b\nzz\n", "zz-s"),
        (" own \n", "own-s"),
    ] {
        let world = World::new();
        world.skill("s");
        world.write("src/mind.toml", "[source]\nprefix = \"jk\"\n");
        let mut terminal = world.terminal(&["meld", "./src"]);
        terminal.until("proposes the prefix `jk`");
        terminal.until(PROPOSED);
        terminal.types(answer);
        let plan = terminal.until(PLAN);
        assert!(plan.contains(&format!("skill:{installed} ")), "{answer:?}: {plan}");
        assert_eq!(plan.contains("invalid prefix"), answer.contains('/'), "{plan}");
        terminal.types("y\n");
        ends(terminal, 0);
        assert!(is_installed(&world, installed), "{answer:?}");
    }
    // Without an answer nothing is done; with `--yes` or without a terminal nothing is asked.
    let world = World::new();
    world.skill("s");
    world.write("src/mind.toml", "[source]\nprefix = \"jk\"\n");
    let mut terminal = world.terminal(&["meld", "./src"]);
    terminal.until(PROPOSED);
    terminal.types("\u{4}");
    assert!(ends(terminal, 0).transcript.contains("cancelled"));
    assert_eq!(count_sources(&world), 0);
    let end = ends(world.terminal(&["meld", "./src", "--dry-run"]), 0);
    assert!(!end.transcript.contains("proposes"), "{}", end.transcript);
    let end = ends(world.terminal(&["meld", "./src", "--yes", "--as", ""]), 0);
    assert!(!end.transcript.contains("proposes") && is_installed(&world, "s"), "{}", end.transcript);
}

#[test]
fn a_prefix_is_requested_if_names_are_in_use() {
    for (answer, expected) in [
        ("zz\n", Some("zz-s")),
        ("y\nzz\n", Some("zz-s")),
        // Another prefix in use is not accepted either.
        ("p\nzz\n", Some("zz-s")),
        ("\n", None),
    ] {
        let world = World::new();
        world.skill("s");
        world.write("b/skills/s/SKILL.md", "---\ndescription: other\n---\n");
        world.write("b/skills/p-s/SKILL.md", "---\ndescription: other\n---\n");
        assert_eq!(world.minds(&args(&["meld", "./b", "--yes"])).exit, 0);
        let mut terminal = world.terminal(&["meld", "./src"]);
        let asked = terminal.until(TAKEN);
        assert!(asked.contains("skill:s is already installed from another source"), "{asked}");
        terminal.types(answer);
        terminal.until(PLAN);
        terminal.types("y\n");
        ends(terminal, i32::from(expected.is_none()));
        let text = fs::read_to_string(world.home().join(".claude/skills/s/SKILL.md")).unwrap();
        assert!(text.contains("other"), "{text}");
        assert_eq!(expected.is_some_and(|name| is_installed(&world, name)), expected.is_some(), "{answer:?}");
        assert_eq!(count_sources(&world), 2);
    }
    // Without installed items, no name is in use.
    let world = World::new();
    world.skill("s");
    world.write("b/skills/s/SKILL.md", "---\ndescription: other\n---\n");
    assert_eq!(world.minds(&args(&["meld", "./b", "--yes"])).exit, 0);
    let mut terminal = world.terminal(&["meld", "./src", "--link-only"]);
    assert!(!terminal.until(PLAN).contains("prefix"));
    terminal.types("y\n");
    ends(terminal, 0);
}

#[test]
fn upgrade_and_sync_ask_for_commands_that_did_not_run_at_a_commit() {
    let world = with_hook();
    world.commit("src");
    let skip = "--dangerously-skip-install-hook-check";
    assert_eq!(world.minds(&args(&["meld", "./src", "--yes", skip])).exit, 0);
    let end = ends(world.terminal(&["upgrade"]), 0);
    assert!(
        end.transcript.contains("everything is up to date") && !end.transcript.contains(ANSWER),
        "{}",
        end.transcript
    );
    fs::remove_file(world.home().join("ran")).unwrap();
    world.commit("src");
    for (answer, runs) in [("\n", false), ("y\n", true)] {
        let mut terminal = world.terminal(&["upgrade"]);
        let plan = terminal.until("upgrade this? [y/N] ");
        assert!(plan.contains("command  touch $HOME/ran"), "{plan}");
        terminal.types("y\n");
        terminal.until(HOOK);
        terminal.types(answer);
        ends(terminal, 0);
        assert_eq!(has_run(&world), runs);
    }
    // It ran at this commit.
    let end = ends(world.terminal(&["upgrade"]), 0);
    assert!(!end.transcript.contains(ANSWER), "{}", end.transcript);

    // New nested sources are confirmed once, and only if they have hooks.
    world.write("n1/rules/x.md", "x\n");
    world.write("src/mind.toml", "[discover]\nsources = [{ source = \"../n1\" }]\n");
    let end = ends(world.terminal(&["sync"]), 0);
    assert!(!end.transcript.contains(ANSWER) && count_sources(&world) == 2, "{}", end.transcript);
    world.write("n2/mind.toml", "[[hooks]]\nrun = \"touch $HOME/nested\"\n");
    world.write("src/mind.toml", "[discover]\nsources = [{ source = \"../n1\" }, { source = \"../n2\" }]\n");
    let mut terminal = world.terminal(&["sync"]);
    terminal.until("fetch and register this? [y/N] ");
    terminal.types("n\n");
    assert!(ends(terminal, 0).transcript.contains("cancelled"));
    assert_eq!(count_sources(&world), 2);
    let mut terminal = world.terminal(&["sync"]);
    let plan = terminal.until("fetch and register this? [y/N] ");
    assert!(plan.contains("command  touch $HOME/nested"), "{plan}");
    terminal.types("y\n");
    terminal.until(HOOK);
    terminal.types("y\n");
    ends(terminal, 0);
    assert!(world.home().join("nested").exists());
    let sources = world.minds(&args(&["recall", "--sources"])).sources();
    assert_eq!(sources[2]["install_hooks"][0]["ran_at"], json!(""), "{sources}");
}
