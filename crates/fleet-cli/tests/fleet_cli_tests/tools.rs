//! Agents with tools: what they are offered, what runs, and what a person accepts.

use std::fs;

use serde_json::{Value, json};

use crate::support::terminal::Terminal;
use crate::support::tool_agent::{
    call, configure, fleet, frames, given_tools, history, read, results, set_script,
};

#[test]
fn files_are_written_and_read() {
    let script = [
        call("fs_write", json!({"path": "a.txt", "content": "hello\n"})),
        call("fs_read", json!({"path": "a.txt"})),
        call("fs_read", json!({"path": "../home/secret"})),
        call("fs_list", json!({"path": "."})),
        json!({"text": "done"}),
    ];
    let world = fleet("tools: {allow: [fs.read, fs.write]}\n", &script);
    fs::write(world.home().join("secret"), "canary").unwrap();
    let ended = world.document(&["send", "zeus", "--start", "--wait", "go"], 0);
    assert_eq!(ended["text"], "done");
    assert_eq!(
        ended["tools"],
        json!([
            {"name": "fs.write", "ok": true}, {"name": "fs.read", "ok": true},
            {"name": "fs.read", "ok": false}, {"name": "fs.list", "ok": false},
        ])
    );
    assert_eq!(read(&world, "a.txt"), "hello\n");
    let results = results(&world);
    assert!(
        results[0].starts_with(r#"{"hash":"sha256:"#) || results[0].starts_with(r#"{"ok":true,"#),
        "{results:?}"
    );
    assert_eq!(serde_json::from_str::<Value>(&results[1]).unwrap()["content"], "hello\n");
    assert!(results[2].contains("outside") && !results[2].contains("canary"), "{results:?}");
    assert!(results[3].contains("not allowed by the agent"), "{results:?}");
    let codes: Vec<Value> =
        frames(&world, "tool.result").into_iter().map(|frame| frame["code"].clone()).collect();
    assert_eq!(codes, [json!(null), json!(null), json!("tool.denied"), json!("tool.denied")]);
    assert_eq!(given_tools(&world), ["fs.read", "fs.write"]);
    let tools = world.document(&["tools", "zeus"], 0);
    let reason = |name: &str| {
        let tools = tools["tools"].as_array().unwrap();
        tools.iter().find(|tool| tool["name"] == name).unwrap()["reason"].clone()
    };
    assert_eq!(reason("fs.list"), "not allowed by the agent");
    assert!(["full", "partial", "none"].contains(&tools["sandbox"].as_str().unwrap()));
    let row = &tools["tools"].as_array().unwrap()[0];
    assert_eq!(crate::support::members(row), ["confirm", "doc", "given", "model_name", "name", "reason"]);
}

/// A change that narrows counts from the next step on; one that widens does not, with and without a restart, until a person
/// accepts it.
#[test]
fn a_widened_file_waits_for_a_person() {
    let write =
        |name: &str| [call("fs_write", json!({"path": name, "content": "x"})), json!({"text": "tried"})];
    // A running agent has read its script.
    let script = [&[json!({"text": "one"})][..], &write("effect0")].concat();
    let world = fleet("tools: {allow: [fs.read, fs.list]}\n", &script);
    world.document(&["send", "zeus", "--start", "--wait", "go"], 0);
    assert_eq!(given_tools(&world), ["fs.list", "fs.read"]);
    configure(&world, "tools: {allow: [fs.read, fs.write]}\n");
    for (attempt, is_restarted) in [(0, false), (1, true)] {
        let name = format!("effect{attempt}");
        if is_restarted {
            world.succeed(&["down"]);
            set_script(&world, &write(&name));
        }
        // Without a terminal, the accepted rights count.
        world.document(&["up"], 0);
        world.document(&["send", "zeus", "--wait", "go"], 0);
        assert_eq!(read(&world, &name), "none");
        assert!(results(&world).last().unwrap().contains("not accepted"), "{:?}", results(&world));
        assert_eq!(given_tools(&world), ["fs.read"]);
        let warnings = frames(&world, "warn");
        assert_eq!(warnings.len(), attempt + 1, "{warnings:?}");
        assert!(
            warnings[attempt]["msg"].as_str().unwrap().contains("+ tools.allow: fs.write"),
            "{warnings:?}"
        );
    }
    // A dry run shows it and accepts nothing.
    let dry = world.run(&["up", "--dry-run", "--accept"]);
    assert!(dry.stderr.contains("+ tools.allow: fs.write"), "{}", dry.stderr);
    assert_eq!(given_tools(&world), ["fs.read"]);
    // It counts for the running agent.
    world.document(&["up", "--accept"], 0);
    assert_eq!(given_tools(&world), ["fs.read", "fs.write"]);
    set_script(&world, &write("effect"));
    world.succeed(&["down"]);
    world.document(&["send", "zeus", "--start", "--wait", "go"], 0);
    assert_eq!(read(&world, "effect"), "x");
}

#[test]
fn a_person_accepts_on_a_terminal() {
    let world = fleet("tools: {allow: [fs.read]}\n", &[json!({"text": "one"})]);
    world.succeed(&["up"]);
    configure(&world, "tools: {allow: [fs.read, fs.write]}\nfs: {whitelist: [/srv]}\n");
    for (key, expected) in [("n\n", vec!["fs.read"]), ("y\n", vec!["fs.read", "fs.write"])] {
        let mut terminal = Terminal::start(world.command(&["up"]));
        let question = terminal.until("accept them? [y/N] ");
        assert!(
            question.contains("+ tools.allow: fs.write") && question.contains("+ fs.whitelist: /srv"),
            "{question}"
        );
        terminal.types(key);
        assert_eq!(terminal.end().exit, Some(0));
        assert_eq!(given_tools(&world), expected, "{key:?}");
    }
    // Nothing is left to ask.
    let mut terminal = Terminal::start(world.command(&["up"]));
    assert!(!terminal.until("shop/zeus").contains("accept them?"));
    terminal.end();
}

/// An agent that could write its accepted policy does not start.
#[test]
fn a_policy_within_reach_is_refused() {
    let world = fleet("", &[]);
    let home = world.home().canonicalize().unwrap();
    for lines in [
        format!("fs: {{whitelist: ['{}']}}\n", home.display()),
        format!("exec: {{write: ['{}/state']}}\n", home.display()),
        "exec: {write: ['~/']}\n".to_owned(),
        "fs: {whitelist: [/]}\n".to_owned(),
        "cwd: ../home\n".to_owned(),
    ] {
        configure(&world, &lines);
        let started = world.document(&["up"], 1);
        assert_eq!(started["agents"][0]["error"]["code"], "config.invalid", "{lines}: {started}");
        let message = started["agents"][0]["error"]["message"].as_str().unwrap();
        assert!(message.contains("must not reach"), "{message}");
        let agent = world.run(&["agent", "zeus"]);
        assert_eq!(agent.code, 12, "{lines}: {}", agent.stderr);
    }
    assert!(!home.join("state").exists() || fs::read_dir(home.join("state")).unwrap().count() == 0);
}

/// The owner sees what a call would write, and decides.
#[test]
fn a_write_is_confirmed_with_its_diff() {
    let script = [
        call("fs_write", json!({"path": "a.txt", "content": "new\n"})),
        call("fs_write", json!({"path": "a.txt", "content": "newer\n"})),
        json!({"text": "done"}),
    ];
    let world = fleet("tools: {confirm: [fs.write]}\n", &script);
    world.write("a.txt", "old\n");
    world.succeed(&["up"]);
    let mut terminal = Terminal::start(world.command(&["send", "zeus", "--wait", "go"]));
    let question = terminal.until("write the file `a.txt`? [y/N] ");
    assert!(question.contains("-old") && question.contains("+new"), "{question}");
    terminal.types("y\n");
    let question = terminal.until("write the file `a.txt`? [y/N] ");
    assert!(question.contains("-new") && question.contains("+newer"), "{question}");
    terminal.types("n\n");
    assert_eq!(terminal.end().exit, Some(0));
    assert_eq!(read(&world, "a.txt"), "new\n");
    assert!(results(&world)[1].contains("refused"), "{:?}", results(&world));
}

/// Neither the names nor the arguments nor the results of calls carry a secret into frames or the history.
#[test]
fn secrets_do_not_appear() {
    let script = [
        call("hunter2", json!({"hunter3": "x", "n": 77_001, "text": "hunter4"})),
        call("fs_write", json!({"path": "a", "content": "a \"quoted\\secret\" b hunter5\n"})),
        call("fs_read", json!({"path": "a"})),
        json!({"text": "done"}),
    ];
    let world = fleet("tools: {confirm: [fs.write]}\n", &script);
    world.write(".ateam/tools.yaml", "redact: ['hunter[0-9]+', '77001', 'quoted.secret']\n");
    world.succeed(&["up"]);
    let mut terminal = Terminal::start(world.command(&["send", "zeus", "--wait", "go"]));
    let question = terminal.until("write the file `a`? [y/N] ");
    terminal.types("y\n");
    let printed = question + &terminal.end().transcript;
    let lines: Vec<String> = history(&world).iter().map(Value::to_string).collect();
    let shown = [printed, lines.join("\n"), world.succeed(&["tail", "zeus", "--json"])];
    for text in shown {
        for secret in ["hunter2", "hunter3", "hunter4", "hunter5", "77001", "quoted"] {
            assert!(!text.contains(secret), "{secret}: {text}");
        }
    }
    assert!(read(&world, "a").contains("hunter5"));
}

/// The list of the fleet is a tool.
#[test]
fn agents_are_listed() {
    let world =
        fleet("tools: {allow: [agents.list]}\n", &[call("agents_list", json!({})), json!({"text": "done"})]);
    world.document(&["send", "zeus", "--start", "--wait", "go"], 0);
    let listed: Value = serde_json::from_str(&results(&world)[0]).unwrap();
    assert_eq!(listed["agents"][0]["id"], "shop/zeus");
    assert_eq!(listed["agents"][0]["tools"], json!(["agents.list"]));
}

/// Files that cannot be read give nothing.
#[test]
fn an_unreadable_list_runs_nothing() {
    let world = fleet("tools: {allow: [fs.read]}\n", &[json!({"text": "one"})]);
    world.document(&["send", "zeus", "--start", "--wait", "go"], 0);
    set_script(
        &world,
        &[call("fs_write", json!({"path": "effect", "content": "x"})), json!({"text": "tried"})],
    );
    configure(&world, "tools: {allow: [fs.write], deny: 5}\n");
    let ended = world.document(&["send", "zeus", "--wait", "go"], 1);
    assert_eq!(ended["reason"], "error", "{ended}");
    assert_eq!(read(&world, "effect"), "none");
    assert!(frames(&world, "error").iter().any(|frame| frame["code"] == "config.invalid"));
    configure(&world, "tools: {allow: [fs.read]}\n");
}
