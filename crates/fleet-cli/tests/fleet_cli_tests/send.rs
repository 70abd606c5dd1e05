//! Giving agents work, and waiting for its end.

use serde_json::json;

use crate::support::{World, members};

const SCRIPT: &[&str] = &[
    r#"{"when":"one","text":"The first\nanswer","chunk":3}"#,
    r#"{"when":"escape","text":"a\u001b[2Jb"}"#,
    r#"{"when":"slow","text":"0123456789012345678901234567890123456789","chunk":1,"delay_ms":500}"#,
];

#[test]
fn an_input_is_queued_or_waited_for() {
    let world = World::new(&["zeus"], SCRIPT);
    let queued = world.document(&["send", "zeus", "--start", "--wait", "one"], 0);
    assert_eq!(
        members(&queued),
        ["duration_ms", "id", "ok", "qid", "queued", "reason", "text", "tools", "usage", "version"]
    );
    assert_eq!((&queued["id"], &queued["queued"]), (&"shop/zeus".into(), &true.into()));
    assert_eq!((&queued["ok"], &queued["reason"]), (&true.into(), &"done".into()));
    assert_eq!((&queued["text"], &queued["tools"]), (&"The first\nanswer".into(), &json!([])));
    assert!(queued["usage"]["tokens_out"].as_u64() > Some(0), "{queued}");
    let queued = world.document(&["send", "zeus", "--", "--not an option"], 0);
    assert_eq!(members(&queued), ["id", "qid", "queued", "version"]);
    assert!(queued["qid"].as_str().unwrap().starts_with("q-"));
}

#[test]
fn the_text_of_the_answer_is_printed_and_cannot_control_the_terminal() {
    let world = World::new(&["zeus"], SCRIPT);
    world.succeed(&["up"]);
    assert_eq!(world.succeed(&["send", "zeus", "--wait", "one"]), "The first\nanswer\n");
    assert_eq!(world.succeed(&["send", "zeus", "--wait", "escape"]), "a\\u{1b}[2Jb\n");
}

#[test]
fn work_that_does_not_succeed_is_exit_1() {
    let failure = r#"{"status":400}"#;
    let world = World::new(&["zeus"], &[failure, failure]);
    world.succeed(&["up"]);
    let ended = world.document(&["send", "zeus", "--wait", "hello"], 1);
    assert_eq!((&ended["ok"], &ended["reason"]), (&false.into(), &"model".into()));
    let ran = world.run(&["send", "zeus", "--wait", "hello"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (1, ""));
    assert!(ran.stderr.contains("did not succeed: model"), "{}", ran.stderr);
}

#[test]
fn the_text_can_come_from_stdin() {
    let world = World::new(&["zeus"], SCRIPT);
    world.succeed(&["up"]);
    let ran = world.run_with_input(&["send", "zeus", "--wait", "-"], "it's number \"one\"\n");
    assert_eq!((ran.code, ran.stdout.as_str()), (0, "The first\nanswer\n"), "{}", ran.stderr);
    let ran = world.run_with_input(&["send", "zeus", "-"], "\n");
    assert_eq!(ran.code, 2, "{}", ran.stderr);
    let items = world.document(&["send", "zeus", "don't `stop` $HOME"], 0);
    assert_eq!(items["queued"], true);
}

#[test]
fn waiting_can_have_an_end_and_the_work_goes_on() {
    let world = World::new(&["zeus"], SCRIPT);
    world.succeed(&["up"]);
    let error = &world.document(&["send", "zeus", "--wait", "--timeout", "0.5", "slow"], 1)["error"];
    assert_eq!(error["code"], "timeout");
    let interrupted = world.document(&["interrupt", "zeus"], 0);
    assert_eq!(members(&interrupted), ["id", "qid", "version"]);
    assert_eq!(interrupted["qid"], error["detail"]["qid"]);
}

#[test]
fn an_agent_that_ends_while_it_is_waited_for_is_noticed() {
    let world = World::new(&["zeus"], SCRIPT);
    let started = world.document(&["up"], 0);
    let pid = started["agents"][0]["pid"].as_u64().unwrap().to_string();
    let mut command = world.command(&["send", "zeus", "--wait", "slow", "--json"]);
    let child = command.stdout(std::process::Stdio::piped()).spawn().unwrap();
    while world.document(&["ps"], 0)["agents"][0]["state"] != "busy" {}
    assert!(std::process::Command::new("kill").args(["-KILL", &pid]).status().unwrap().success());
    let ran = crate::support::ran(&child.wait_with_output().unwrap());
    assert_eq!(ran.code, 4, "{}", ran.stdout);
    assert_eq!(world.document(&["ps"], 0)["agents"][0]["state"], "disconnected");
}

#[test]
fn the_readme_shows_the_actual_output() {
    let world = World::empty();
    let repository = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let readme = std::fs::read_to_string(repository.join("README.md")).unwrap();
    let block = readme.split("```shell-session\n").nth(1).unwrap().split("```").next().unwrap();
    let (command, shown) =
        block.strip_prefix("$ cargo run -q -p minds-fleet-cli -- -C ").unwrap().split_once('\n').unwrap();
    let (folder, command) = command.split_once(' ').unwrap();
    let example = repository.join(folder);
    for file in [
        ".ateam/project.yaml",
        ".ateam/models.yaml",
        ".ateam/tools.yaml",
        ".ateam/answers.jsonl",
        ".ateam/agents/editor/agent.yaml",
        ".ateam/agents/editor/system_base.md",
        ".ateam/agents/editor/system_overlay.md",
        ".ateam/agents/reporter/agent.yaml",
        ".ateam/agents/reporter/system_base.md",
        ".ateam/agents/reporter/system_overlay.md",
    ] {
        world.write(file, &std::fs::read_to_string(example.join(file)).unwrap());
    }
    let (words, text) = command.split_once(" \"").unwrap();
    let args: Vec<&str> = words.split(' ').chain([text.strip_suffix('"').unwrap()]).collect();
    assert_eq!(world.succeed(&args), shown);
    let started = world.document(&["up"], 0);
    assert_eq!(started["agents"].as_array().unwrap().len(), 2);
}
