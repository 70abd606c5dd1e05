//! Agents with tools: what they are offered, what runs, and what a person accepts.

use std::fs;
use std::process::Stdio;

use serde_json::{Value, json};

use crate::support::World;
use crate::support::terminal::Terminal;

/// Makes a fleet with the agent `zeus`, whose file has these lines too.
fn fleet(lines: &str, script: &[Value]) -> World {
    let script: Vec<String> = script.iter().map(Value::to_string).collect();
    let script: Vec<&str> = script.iter().map(String::as_str).collect();
    let world = World::new(&["zeus"], &script);
    configure(&world, lines);
    world
}

fn configure(world: &World, lines: &str) {
    let text = format!("name: zeus\nmodel: small\nprompt: {{base: system_base.md}}\n{lines}");
    world.write(".ateam/agents/zeus/agent.yaml", &text);
}

fn set_script(world: &World, script: &[Value]) {
    let lines: Vec<String> = script.iter().map(Value::to_string).collect();
    world.write(".ateam/answers.jsonl", &(lines.join("\n") + "\n"));
}

fn call(name: &str, args: Value) -> Value {
    json!({ "tool_calls": [{ "name": name, "args": args }] })
}

/// Returns the lines of the history.
fn history(world: &World) -> Vec<Value> {
    let path = world.workspace().join(".ateam/agents/zeus/state/history.jsonl");
    let text = fs::read_to_string(path).unwrap_or_default();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Returns the results of the calls, as the model reads them.
fn results(world: &World) -> Vec<String> {
    let lines = history(world).into_iter().filter(|line| line["role"] == "tool");
    lines.map(|line| line["content"].as_str().unwrap().to_owned()).collect()
}

/// Returns the frames of a type.
fn frames(world: &World, kind: &str) -> Vec<Value> {
    let text = world.succeed(&["tail", "zeus", "--json"]);
    let frames = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    frames.map(|frame| frame["event"].clone()).filter(|event| event["type"] == kind).collect()
}

/// Returns the given tools of the document of `tools`.
fn given_tools(world: &World) -> Vec<String> {
    let document = world.document(&["tools", "zeus"], 0);
    let tools = document["tools"].as_array().unwrap().iter().filter(|tool| tool["given"] == true);
    tools.map(|tool| tool["name"].as_str().unwrap().to_owned()).collect()
}

fn read(world: &World, path: &str) -> String {
    fs::read_to_string(world.workspace().join(path)).unwrap_or_else(|_| "none".to_owned())
}

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
    let world = fleet("tools: {allow: [fs.read, fs.list]}\n", &[json!({"text": "one"})]);
    world.document(&["send", "zeus", "--start", "--wait", "go"], 0);
    assert_eq!(given_tools(&world), ["fs.list", "fs.read"]);
    let write =
        |name: &str| [call("fs_write", json!({"path": name, "content": "x"})), json!({"text": "tried"})];
    configure(&world, "tools: {allow: [fs.read, fs.write]}\n");
    for (attempt, is_restarted) in [(0, false), (1, true)] {
        if is_restarted {
            world.succeed(&["down"]);
        }
        let name = format!("effect{attempt}");
        set_script(&world, &write(&name));
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
    let printed = question + &format!("{:?}", terminal.end());
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

/// An agent of which a member of the team decides too has no tools in this version, because these lists cannot be applied.
#[test]
fn an_agent_with_a_member_has_no_tools() {
    let world = fleet(
        "member: ann\n",
        &[call("fs_write", json!({"path": "effect", "content": "x"})), json!({"text": "tried"})],
    );
    world
        .write(".minds/team.yaml", "member_defaults: {provider: p, model: m}\nmembers: {ann: {name: Ann}}\n");
    let mut command = world.command(&["send", "zeus", "--start", "--wait", "go"]);
    command.stdin(Stdio::null());
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(given_tools(&world), Vec::<String>::new());
    assert_eq!(read(&world, "effect"), "none");
}

/// Returns the result of a call as JSON.
#[track_caller]
fn result(world: &World, at: usize) -> Value {
    let results = results(world);
    serde_json::from_str(&results[at]).unwrap_or_else(|_| panic!("{}", results[at]))
}

#[test]
fn commands_run_in_the_working_folder() {
    let script = [
        call("os_exec", json!({"cmd": "echo out; echo err >&2; pwd; exit 3"})),
        call(
            "os_exec",
            json!({"cmd": "pwd; echo $GREETING-$ATEAM_TEST_KEY-$MINDS_HOME", "cwd": "sub", "env": {"GREETING": "hello"}}),
        ),
        call("os_exec", json!({"cmd": "sleep 60", "timeout": 1})),
        call("os_exec", json!({"cmd": "echo canary > ../home/escaped", "cwd": "."})),
        call("os_exec", json!({"cmd": "cat ../home/secret; touch \"$TMPDIR/t\" && echo written"})),
        call("os_exec", json!({"cmd": "touch effect", "cwd": "../home"})),
        call("os_exec", json!({"cmd": "touch effect", "cwd": "link"})),
        call("os_exec", json!({"cmd": "touch effect", "unsafe": true})),
        call("os_exec", json!({"cmd": "test -t 1 && echo terminal", "pty": true})),
        call("os_exec", json!({"cmd": "seq 1 100000"})),
        json!({"text": "done"}),
    ];
    let world = fleet("limits: {tool_output_bytes: 2048}\n", &script);
    fs::create_dir(world.workspace().join("sub")).unwrap();
    std::os::unix::fs::symlink(world.home(), world.workspace().join("link")).unwrap();
    fs::write(world.home().join("secret"), "canary").unwrap();
    let mut command = world.command(&["send", "zeus", "--start", "--wait", "go"]);
    command.env("ATEAM_TEST_KEY", "hidden");
    assert!(command.output().unwrap().status.success());
    let first = result(&world, 0);
    let workspace = world.workspace().canonicalize().unwrap();
    assert_eq!(first["stdout"], format!("out\n{}\n", workspace.display()));
    assert_eq!((&first["rc"], &first["stderr"]), (&json!(3), &json!("err\n")));
    let mut members = crate::support::members(&first);
    members.sort_unstable();
    assert_eq!(members, ["duration_ms", "rc", "stderr", "stdout", "timed_out", "truncated"]);
    assert_eq!(result(&world, 1)["stdout"], format!("{}/sub\nhello--\n", workspace.display()));
    assert_eq!(result(&world, 2)["timed_out"], true);
    let is_confined = world.document(&["tools", "zeus"], 0)["sandbox"] != "none";
    if is_confined {
        assert!(!world.home().join("escaped").exists());
        assert_eq!(result(&world, 4)["stdout"], "written\n");
    }
    let results = results(&world);
    for at in [5, 6, 7] {
        assert!(serde_json::from_str::<Value>(&results[at]).is_err(), "{}", results[at]);
    }
    assert!(!world.home().join("effect").exists() && read(&world, "effect") == "none");
    assert_eq!(result(&world, 8)["stdout"], "terminal\r\n");
    let long = result(&world, 9);
    assert_eq!(long["truncated"], true);
    assert!(results[9].len() <= 2048 + 100, "{}", results[9].len());
    let stdout = long["stdout"].as_str().unwrap();
    assert!(stdout.starts_with("1\n2\n") && stdout.ends_with("99999\n100000\n"), "{stdout}");
    // The complete output is in the frames.
    let tokens = frames(&world, "token");
    let text: String = tokens
        .iter()
        .filter(|token| token["model"] == "tool:os.exec" && token["stream"] == "stdout")
        .map(|token| token["text"].as_str().unwrap())
        .collect();
    assert!(text.contains("\n49999\n50000\n"), "the output is not complete");
    let codes: Vec<Value> =
        frames(&world, "tool.result").into_iter().map(|frame| frame["code"].clone()).collect();
    assert_eq!(codes[2], "timeout");
    assert_eq!(codes[5..8], [json!("tool.denied"), json!("tool.denied"), json!("tool.denied")]);
}

/// An agent that edits its own file gains nothing before a person accepts it, with and without a restart.
#[test]
fn a_command_that_edits_the_agent_file_gains_nothing() {
    const EDIT: &str = "sed -i 's/^tools:.*/tools: {allow: [os.exec, fs.write, fs.read]}/; s/^fs:.*//; s/^exec:.*//' .ateam/agents/zeus/agent.yaml; printf 'fs: {whitelist: [%s]}\\nexec: {write: [%s], inherit_env: true}\\n' \"$OUTSIDE\" \"$OUTSIDE\" >> .ateam/agents/zeus/agent.yaml; cat .ateam/agents/zeus/agent.yaml";
    let world = fleet("tools: {allow: [os.exec]}\n", &[]);
    let outside = tempfile::tempdir().unwrap();
    let outside_path = outside.path().canonicalize().unwrap();
    let outside_path = outside_path.to_str().unwrap();
    let attempts = |name: &str| {
        [
            call("fs_write", json!({"path": format!("{name}-file"), "content": "x"})),
            call("fs_write", json!({"path": format!("{outside_path}/{name}-file"), "content": "x"})),
            call(
                "os_exec",
                json!({"cmd": format!("touch {outside_path}/{name}-command; echo \"[$ATEAM_TEST_KEY]\"")}),
            ),
            json!({"text": "tried"}),
        ]
    };
    let send = |args: &[&str]| {
        let mut command = world.command(args);
        command.env("ATEAM_TEST_KEY", "hidden-value");
        let output = command.output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    };
    let mut script = vec![call("os_exec", json!({"cmd": EDIT, "env": {"OUTSIDE": outside_path}}))];
    script.extend(attempts("first"));
    set_script(&world, &script);
    send(&["send", "zeus", "--start", "--wait", "go"]);
    let edited = result(&world, 0);
    assert!(
        edited["stdout"].as_str().unwrap().contains("inherit_env: true"),
        "the file was edited: {edited}"
    );
    // Without a restart, and with one.
    world.succeed(&["down"]);
    set_script(&world, &attempts("second"));
    send(&["send", "zeus", "--start", "--wait", "go"]);
    let is_confined = world.document(&["tools", "zeus"], 0)["sandbox"] != "none";
    for name in ["first", "second"] {
        assert_eq!(read(&world, &format!("{name}-file")), "none");
        assert!(!outside.path().join(format!("{name}-file")).exists());
        assert!(!is_confined || !outside.path().join(format!("{name}-command")).exists());
    }
    let printed: Vec<Value> = [3, 6].map(|at| result(&world, at)["stdout"].clone()).into();
    assert_eq!(printed, [json!("[]\n"), json!("[]\n")]);
    assert_eq!(given_tools(&world), ["os.exec"]);
    let warnings = frames(&world, "warn");
    assert_eq!(warnings.len(), 2, "one for each start: {warnings:?}");
    // A person accepts it.
    world.document(&["up", "--accept"], 0);
    assert_eq!(given_tools(&world), ["fs.read", "fs.write", "os.exec"]);
    world.succeed(&["down"]);
    set_script(&world, &attempts("third"));
    send(&["send", "zeus", "--start", "--wait", "go"]);
    assert_eq!(read(&world, "third-file"), "x");
    assert!(outside.path().join("third-file").exists() && outside.path().join("third-command").exists());
    assert_eq!(result(&world, 9)["stdout"], "[hidden-value]\n");
}

/// A command cannot accept for its person: the accepted policy is outside of what it can write, and it has no terminal.
#[test]
fn a_command_cannot_accept() {
    let world = fleet("tools: {allow: [os.exec]}\n", &[]);
    let program = env!("CARGO_BIN_EXE_minds-fleet");
    let commands = [
        "sed -i 's/os.exec/os.exec, fs.write/' .ateam/agents/zeus/agent.yaml".to_owned(),
        format!("{program} up --accept"),
        format!("script -qec '{program} up' /dev/null </dev/null"),
        "find \"$POLICIES\" -name '*.json' -exec sh -c 'echo broken > {}' \\;".to_owned(),
        "rm -rf \"$POLICIES\"".to_owned(),
    ];
    let policies = world.home().canonicalize().unwrap().join("state");
    let policies = policies.to_str().unwrap();
    let env = json!({"POLICIES": policies, "MINDS_HOME": world.home(), "HOME": world.home(), "MINDS_FLEET": crate::support::FLEET});
    let mut script: Vec<Value> =
        commands.iter().map(|cmd| call("os_exec", json!({"cmd": cmd, "env": env, "timeout": 20}))).collect();
    script.push(call("fs_write", json!({"path": "effect", "content": "x"})));
    script.push(json!({"text": "tried"}));
    set_script(&world, &script);
    world.document(&["send", "zeus", "--start", "--wait", "go"], 0);
    if world.document(&["tools", "zeus"], 0)["sandbox"] == "none" {
        return;
    }
    assert_eq!(read(&world, "effect"), "none", "{:?}", results(&world));
    assert_eq!(given_tools(&world), ["os.exec"]);
}
