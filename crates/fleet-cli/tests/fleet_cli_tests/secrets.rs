//! Secrets of many forms in inputs, answers, errors and files appear in nothing that an agent writes or prints.
//!
//! `MINDS_TEST_SECRETS` is the number of secrets, 12 by default.

use std::fs;
use std::path::Path;

use serde_json::json;

use crate::numbers::number;
use crate::support::World;

/// Returns a secret of one of several forms, which contains its number.
fn secret(number: u64) -> String {
    let part = |part| u128::from(mix(number * 4 + part));
    let digits = format!("{:032x}", part(0) << 64 | part(1));
    let short = format!("{:024x}", part(2) << 32 | part(3) >> 32);
    match number % 6 {
        0 => format!("sk-ant-api03-{digits}{short}"),
        1 => format!("ghp_{digits}abcd"),
        2 => format!("sk-proj-{digits}{short}"),
        3 => format!("xoxb-1234567890-{short}"),
        // The value of a variable, and a pattern of the project.
        4 => format!("value-of-the-variable-{short}"),
        _ => format!("ACME{short}"),
    }
}

/// Returns a number that looks random (the generator `SplitMix64`).
fn mix(number: u64) -> u64 {
    let mixed = number.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

/// Returns the files below a directory that contain a string.
fn find(folder: &Path, text: &str, found: &mut Vec<String>) {
    for entry in fs::read_dir(folder).unwrap() {
        let entry = entry.unwrap();
        let path = entry.path();
        if entry.file_type().unwrap().is_dir() {
            find(&path, text, found);
        } else if entry.file_type().unwrap().is_file() {
            let bytes = fs::read(&path).unwrap();
            if bytes.windows(text.len()).any(|window| window == text.as_bytes()) {
                found.push(path.display().to_string());
            }
        }
    }
}

/// What the secret is in, and how the answer is cut.
fn check(world: &World, secret: &str, chunk: u64) {
    let script = [
        json!({"when": "text", "text": format!("it is {secret} and {secret}.\n{secret}"), "chunk": chunk}),
        json!({"when": "call", "tool_calls": [{"name": format!("t-{secret}"), "args": {"key": secret, "list": [secret]}}]}),
        json!({"text": "after the call"}),
        json!({"when": "fails", "status": 400, "text": secret}),
    ];
    let lines: Vec<String> = script.iter().map(ToString::to_string).collect();
    world.write(".ateam/answers.jsonl", &(lines.join("\n") + "\n"));
    let mut printed = Vec::new();
    for text in [format!("text {secret}"), format!("call {secret}"), format!("fails {secret}")] {
        for args in [&["send", "zeus", "--wait", &text][..], &["send", "zeus", "--wait", "--json", &text]] {
            let ran = world.run(args);
            printed.push((format!("{args:?}"), ran.stdout + &ran.stderr));
        }
    }
    for args in [
        &["tail", "zeus"][..],
        &["tail", "zeus", "--json"],
        &["ps", "--json"],
        &["who", "zeus", "--json"],
        &["queue", "zeus", "--json"],
        &["tools", "zeus", "--json"],
        &["models", "--json"],
        &["doctor", "--json"],
    ] {
        let ran = world.run(args);
        printed.push((format!("{args:?}"), ran.stdout + &ran.stderr));
    }
    for (command, output) in printed {
        // Only the secret itself is searched for: the command contains it.
        assert!(!output.contains(secret), "{} prints {secret}:\n{output}", command.replace(secret, "…"));
    }
    let mut found = Vec::new();
    find(&world.home(), secret, &mut found);
    find(&world.workspace().join(".ateam/agents"), secret, &mut found);
    // The queue keeps the input as it is: it has to be performed after a restart.
    found.retain(|path| !path.ends_with("/queue.jsonl"));
    assert_eq!(found, [""; 0]);
}

#[test]
fn secrets_appear_in_nothing_that_an_agent_writes_or_prints() {
    let world = World::new(&["zeus"], &[]);
    world.write(".ateam/tools.yaml", "redact: ['ACME[0-9a-f]+']\n");
    let model = "{provider: scripted, context_window_size: 800000, model_settings: {script: .ateam/answers.jsonl, api_key_env: TEST_KEY}}";
    world.write(".ateam/models.yaml", &format!("models:\n  small: {model}\n"));
    for number in 0..number("MINDS_TEST_SECRETS", 12) {
        let secret = secret(number);
        let started = world.command(&["up"]).env("TEST_KEY", &secret).output().unwrap();
        assert!(started.status.success(), "{}", String::from_utf8_lossy(&started.stderr));
        check(&world, &secret, 1 + number % 7);
        world.succeed(&["down"]);
    }
}
