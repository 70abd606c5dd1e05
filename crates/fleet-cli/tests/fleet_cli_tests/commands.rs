//! Agents that run commands: what these see and reach, and that they do not widen the rights of their agent.

use std::fs;

use serde_json::{Value, json};

use crate::support::tool_agent::{call, fleet, frames, given_tools, read, result, results, set_script};

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
    assert!(results[9].len() <= 2048, "{}", results[9].len());
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
    let printed = [3, 6].map(|at| result(&world, at)["stdout"].clone());
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
