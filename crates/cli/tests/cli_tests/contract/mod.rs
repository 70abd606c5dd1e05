//! The contract of all commands: JSON output and exit codes. The commands are taken from the declaration of the command line,
//! so new commands are tested without being listed here.
#![cfg(unix)]

pub(crate) mod documents;
mod rule_pages;
mod world;

use clap::{Arg, Command};
use serde_json::Value;

use crate::contract::world::World;

/// The values of arguments, by their names in the help.
const VALUES: &[(&str, &str)] = &[
    ("ANCHOR", "One"),
    ("CONTENT", "More"),
    ("DIR", "lobe"),
    ("END", "Last"),
    ("FILE", "notes.md"),
    ("FILE.md", "plan.md"),
    ("FROM", "notes.md"),
    ("ID", "1a2b3c4d"),
    ("ITEM", "skill:review"),
    ("LINE", "Be brief."),
    ("MEMBER", "coder"),
    ("NAME", "team_mgmt_list_dir"),
    ("OP", "read"),
    ("PATH", "notes.md"),
    ("RANGE", "1"),
    ("SELECTOR", "goals"),
    ("SHELL", "bash"),
    ("SOURCE", "agents"),
    ("START", "#"),
    ("TEXT", "line"),
    ("TO", "moved.md"),
];

/// Arguments for commands that need optional arguments, or specific values.
const ARGUMENTS: &[(&str, &[&str])] = &[
    ("access explain", &["coder", "read", "notes.md"]),
    ("config homes remove", &["~/.claude"]),
    ("files create", &["new.md", "Text"]),
    ("files mkdir", &["new"]),
    ("forget", &["skill:review"]),
    ("gateway call", &["demo_ping"]),
    ("gateway restart", &["demo"]),
    // It denies the event, which is empty, with exit code 0.
    ("hook", &["copilot"]),
    ("init", &["--dry-run", "--editor", "zed"]),
    ("init-source", &["../agents"]),
    ("learn", &["skill:other"]),
    ("meld", &["../agents"]),
    ("prompt append", &["Be brief."]),
    ("prompt edit", &["--from", ".ateam/agents/zeus/system_overlay.md"]),
    ("review", &["../agents"]),
    ("source add", &["../agents"]),
    ("source config homes remove", &["~/.claude"]),
    ("source init", &["../agents"]),
    ("source install", &["skill:other"]),
    ("source review", &["../agents"]),
    ("source uninstall", &["skill:review"]),
    ("task append", &["goals", "More"]),
    ("task new", &["other"]),
    ("task recall", &["checklist", "--category", "ux"]),
    ("task rm", &["checklist", "--category", "ux"]),
    ("task set", &["goals", "--clear"]),
];

/// Commands that print no data of their own: documents for other programs, or a protocol.
const WITHOUT_JSON: &[&str] =
    &["access decide", "completions", "gateway serve", "help", "hook", "man", "mcp"];

/// Commands that run until they are interrupted, or need one that runs. They have their own tests.
const SERVERS: &[&str] = &["gateway restart", "gateway serve", "mcp", "task view"];

/// Commands that fail with the arguments of this test, because these refer to nothing.
const FAILING: &[&str] = &["files apply"];

/// Returns all commands that can be run, with their names.
fn commands() -> Vec<(Vec<String>, Command)> {
    fn walk(command: &Command, names: &[String], found: &mut Vec<(Vec<String>, Command)>) {
        for inner in command.get_subcommands().filter(|inner| inner.get_name() != "help" || names.is_empty())
        {
            let names = [names, &[inner.get_name().to_owned()]].concat();
            if inner.has_subcommands() {
                walk(inner, &names, found);
            } else {
                found.push((names, inner.clone()));
            }
        }
    }
    let mut program = minds_cli::command();
    program.build();
    let mut found = Vec::new();
    walk(&program, &[], &mut found);
    assert!(found.len() > 60, "only {} commands were found", found.len());
    found
}

fn value_name(arg: &Arg) -> String {
    arg.get_value_names().and_then(|names| names.first()).map(ToString::to_string).unwrap_or_default()
}

/// Returns arguments with which a command succeeds in the world.
fn arguments(name: &str, command: &Command) -> Vec<String> {
    if let Some((_, args)) = ARGUMENTS.iter().find(|(known, _)| *known == name) {
        return args.iter().map(ToString::to_string).collect();
    }
    let mut args = Vec::new();
    for arg in command.get_arguments().filter(|arg| arg.is_required_set()) {
        let wanted = value_name(arg);
        let value = VALUES.iter().find(|(name, _)| *name == wanted);
        let (_, value) =
            value.unwrap_or_else(|| panic!("`{name}` takes `{wanted}`, of which nothing is known here"));
        args.extend(arg.get_long().map(|long| format!("--{long}")));
        args.push((*value).to_owned());
    }
    args
}

fn has(command: &Command, id: &str) -> bool {
    command.get_arguments().any(|arg| arg.get_id() == id)
}

fn join<'a>(parts: &[&'a [String]]) -> Vec<&'a str> {
    parts.iter().flat_map(|part| part.iter().map(String::as_str)).collect()
}

fn words(text: &str) -> Vec<String> {
    text.split_whitespace().map(str::to_owned).collect()
}

/// Returns the only document that a command printed.
#[track_caller]
fn document(args: &[&str], stdout: &str) -> Value {
    let document: Value =
        serde_json::from_str(stdout).unwrap_or_else(|error| panic!("{args:?}: {error}: {stdout}"));
    assert_eq!(document["version"], 1, "{args:?}: {stdout}");
    assert_eq!(stdout.matches("\"version\":1,").count().min(1), 1, "{args:?}: {stdout}");
    document
}

#[test]
fn every_command_that_prints_data_prints_one_versioned_document() {
    let world = World::new();
    let mut without = Vec::new();
    for (names, command) in commands() {
        let name = names.join(" ");
        if !has(&command, "json") || !has(&command, "format") {
            assert_eq!(has(&command, "json"), has(&command, "format"), "{name}");
            without.push(name);
            continue;
        }
        if SERVERS.contains(&name.as_str()) {
            continue;
        }
        let args = arguments(&name, &command);
        // At the end, in front of all arguments, in the long form, and in front of the command.
        for line in [
            join(&[&names, &args, &words("--json")]),
            join(&[&names, &words("--json"), &args]),
            join(&[&names, &words("--format json"), &args]),
            join(&[&words("--json"), &names, &args]),
        ] {
            let done = world.run("app", &line);
            let document = document(&line, &done.stdout);
            let fails = FAILING.contains(&name.as_str());
            assert_eq!(done.code != 0, fails, "{line:?}: {}{}", done.stdout, done.stderr);
            assert_eq!(document.get("error").is_some(), fails, "{line:?}: {}", done.stdout);
        }
    }
    without.sort();
    assert_eq!(without, WITHOUT_JSON);
}

#[test]
fn commands_without_data_refuse_json_as_an_option() {
    let world = World::new();
    for (names, command) in commands().into_iter().filter(|(_, command)| !has(command, "json")) {
        let args = arguments(&names.join(" "), &command);
        for line in [join(&[&names, &args, &words("--json")]), join(&[&words("--json"), &names, &args])] {
            let done = world.run("app", &line);
            assert_eq!(done.code, 2, "{line:?}: {}", done.stdout);
            assert_eq!(document(&line, &done.stdout)["error"]["kind"], "usage", "{line:?}");
        }
    }
}

#[test]
fn json_and_another_format_exclude_each_other() {
    let world = World::new();
    for line in [
        "check --json --format human",
        "--json check --format concise",
        "task --json ls --format human",
        "--json task --format human ls",
        "probe --json --format human",
    ] {
        let line = words(line);
        let done = world.run("app", &join(&[&line]));
        let message = document(&[], &done.stdout)["error"]["message"].as_str().unwrap().to_owned();
        assert_eq!(done.code, 2, "{line:?}");
        assert!(message.contains("--json") && message.contains("--format"), "{line:?}: {message}");
    }
}

#[test]
fn a_missing_argument_is_named() {
    let world = World::new();
    for (names, command) in commands() {
        let required: Vec<Arg> =
            command.get_arguments().filter(|arg| arg.is_required_set()).cloned().collect();
        if required.is_empty() {
            continue;
        }
        let human = world.run("app", &join(&[&names]));
        for arg in &required {
            let name = value_name(arg);
            assert!(human.stderr.contains(&name), "{names:?} lacks `{name}`: {}", human.stderr);
        }
        if !has(&command, "json") {
            continue;
        }
        let json = words("--json");
        let line = join(&[&names, &json]);
        let machine = world.run("app", &line);
        let message = document(&line, &machine.stdout)["error"]["message"].as_str().unwrap().to_owned();
        assert_eq!((human.code, machine.code), (2, 2), "{names:?}");
        for arg in required {
            let name = value_name(&arg);
            assert!(message.contains(&name), "{names:?} lacks `{name}`: {message}");
            assert!(!message.contains('\n') && !message.contains("Usage"), "{names:?}: {message}");
        }
    }
}

/// Each row is a command, each column a situation. The table is a contract.
#[test]
fn exit_codes_mean_the_same_for_every_command() {
    let world = World::new();
    let mut table = String::from("empty  no folder  usage  command\n");
    for (names, command) in commands() {
        let name = names.join(" ");
        if SERVERS.contains(&name.as_str()) {
            continue;
        }
        let args = arguments(&name, &command);
        let empty = world.run("empty", &join(&[&names, &args]));
        let nowhere = world.run("app", &join(&[&words("-C nowhere"), &names, &args]));
        let usage = world.run("app", &join(&[&names, &words("--no-such-option")]));
        table
            .push_str(&format!("{}      {}          {}      {name}\n", empty.code, nowhere.code, usage.code));
        for (what, done) in [("no folder", &nowhere), ("usage", &usage)] {
            assert_eq!(done.code, 2, "{what}: {name}: {}{}", done.stdout, done.stderr);
        }
        for (what, done) in [("empty", &empty), ("no folder", &nowhere), ("usage", &usage)] {
            errors_have_one_style(&format!("{what}: {name}"), done);
        }
    }
    insta::assert_snapshot!(table);
}

/// Asserts that a command that exits with 2 reports an error on stderr, with a code in brackets.
#[track_caller]
fn errors_have_one_style(what: &str, done: &world::CommandResult) {
    if done.code != 2 {
        return;
    }
    // Tools always print a JSON document.
    let is_reported = done.stderr.lines().any(|line| {
        let code = line.strip_prefix("error[").and_then(|rest| rest.split_once("]: "));
        code.is_some_and(|(code, message)| !code.is_empty() && !message.is_empty())
    });
    assert!(is_reported || done.stdout.contains("\"error\":{"), "{what}: {}{}", done.stdout, done.stderr);
}

/// Arguments whose values must exist.
const NAMED: &[&str] = &[
    "AGENT", "CHANGE", "CODE", "COMMAND", "FILE", "FILE.md", "FROM", "ID", "ITEM", "KIND", "MEMBER", "NAME",
    "PATH", "SELECTOR", "SHELL", "SOURCE", "TOOLSET", "TOPIC",
];

#[test]
fn missing_things_have_the_same_exit_code_in_every_command() {
    let world = World::new();
    let mut table = String::new();
    for (names, command) in commands() {
        let name = names.join(" ");
        if ["gateway serve", "task view"].contains(&name.as_str()) {
            continue;
        }
        for arg in command.get_arguments().filter(|arg| NAMED.contains(&value_name(arg).as_str())) {
            let mut args = arguments(&name, &command);
            let long = arg.get_long().map(|long| format!("--{long}"));
            if let Some(long) = long {
                match args.iter().position(|word| *word == long) {
                    Some(at) => args[at + 1] = "nope".to_owned(),
                    None => args.extend([long, "nope".to_owned()]),
                }
            } else {
                let at = command.get_positionals().position(|known| known.get_id() == arg.get_id()).unwrap();
                let options = args.chunks(2).take_while(|pair| pair[0].starts_with("--")).count();
                let at = at + 2 * options;
                if at < args.len() {
                    args[at] = "nope".to_owned();
                } else {
                    args.push("nope".to_owned());
                }
            }
            let line = join(&[&names, &args]);
            let done = world.run("app", &line);
            table.push_str(&format!("{}  {}\n", done.code, line.join(" ")));
            errors_have_one_style(&name, &done);
        }
    }
    insta::assert_snapshot!(table);
}

#[test]
fn quiet_prints_only_results_and_errors_and_verbose_what_is_read() {
    let world = World::new();
    let run = |folder: &str, line: &str| world.run(folder, &join(&[&words(line)]));
    assert!(run("empty", "check").stderr.starts_with("minds: nothing to check"));
    for line in
        ["check -q", "-q check", "--quiet check", "fmt --quiet", "-q task ls", "clean -q", "-q source probe"]
    {
        let done = run("empty", line);
        assert_eq!((done.code, done.stdout.as_str(), done.stderr.as_str()), (0, "", ""), "{line}");
    }
    let failed = run("app", "-q task show nope");
    assert_eq!(failed.code, 2);
    assert!(failed.stderr.starts_with("error[TASKDOC_NOT_FOUND]: "), "{}", failed.stderr);
    let verbose = run("app", "-v check").stderr;
    assert!(verbose.starts_with("minds: the workspace is `.`"), "{verbose}");
    assert!(verbose.contains("minds: read `.minds/team.yaml` ("), "{verbose}");
    assert!(!run("app", "check").stderr.contains("read `"));
    let both = run("app", "-q -v check");
    assert_eq!(both.code, 2, "{}", both.stderr);
    // JSON documents do not change.
    assert_eq!(run("app", "-v check --json").stdout, run("app", "check --json").stdout);
}

#[test]
fn help_is_a_command_too() {
    let world = World::new();
    let run = |line: &str| world.run("app", &join(&[&words(line)]));
    assert_eq!(run("help").stdout, run("--help").stdout);
    for (names, _) in commands() {
        let asked = run(&format!("help {}", names.join(" ")));
        assert_eq!(asked.code, 0, "{names:?}: {}", asked.stderr);
        assert_eq!(asked.stdout, run(&format!("{} --help", names.join(" "))).stdout, "{names:?}");
    }
    let unknown = run("help chekc");
    assert_eq!(unknown.code, 2);
    assert_eq!(unknown.stderr, "error[usage]: no such command: `chekc`; did you mean `check`?\n");
}
