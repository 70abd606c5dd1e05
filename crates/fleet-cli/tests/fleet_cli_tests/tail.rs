//! Following agents.

use std::io::{BufRead as _, BufReader};
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::support::{World, members};

const SCRIPT: &[&str] = &[r#"{"when":"one","text":"first"}"#, r#"{"when":"two","text":"second\n"}"#];

fn frames(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).expect("a frame")).collect()
}

#[test]
fn retained_frames_are_printed_also_of_an_agent_that_has_ended() {
    let world = World::new(&["zeus"], SCRIPT);
    world.succeed(&["send", "zeus", "--start", "--wait", "one"]);
    world.succeed(&["down"]);
    let printed = frames(&world.succeed(&["tail", "zeus", "--json"]));
    assert_eq!(printed[0]["offset"], 0);
    assert_eq!(members(&printed[0]), ["epoch", "event", "offset", "ts"], "a frame has no version");
    let types: Vec<&str> = printed.iter().map(|frame| frame["event"]["type"].as_str().unwrap()).collect();
    for expected in ["task.start", "token", "task.end", "state", "owner"] {
        assert!(types.contains(&expected), "{expected}: {types:?}");
    }
    let human = world.succeed(&["tail", "zeus"]);
    assert!(human.contains(" started\nfirst\n") && human.contains(" done\n"), "{human}");
    assert!(world.succeed(&["tail", "zeus", "--since", "now"]).is_empty());
    assert_eq!(frames(&world.succeed(&["tail", "zeus", "--json", "--since", "1h"])), printed);
    let time = |at: usize| printed[at]["ts"].as_f64().unwrap();
    let middle = printed.len() / 2;
    let later = frames(&world.succeed(&["tail", "zeus", "--json", "--since", &time(middle).to_string()]));
    assert!(later.iter().all(|frame| frame["ts"].as_f64().unwrap() >= time(middle)));
    assert_eq!(later.last(), printed.last());
}

#[test]
fn new_frames_are_printed_until_ctrl_c() {
    let world = World::new(&["zeus"], SCRIPT);
    world.succeed(&["up"]);
    let mut child = world
        .command(&["tail", "zeus", "--follow", "--since", "1h", "--json"])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    assert!(lines.next().unwrap().unwrap().contains("\"offset\":0"));
    world.succeed(&["send", "zeus", "two"]);
    assert!(lines.any(|line| line.unwrap().contains("task.end")), "the end of the work is printed");
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    for line in lines {
        serde_json::from_str::<Value>(&line.unwrap()).expect("every line is complete");
    }
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

#[test]
fn a_closed_pipe_is_not_an_error() {
    let world = World::new(&["zeus"], SCRIPT);
    world.succeed(&["up"]);
    let mut child = world
        .command(&["tail", "zeus", "--follow", "--since", "1h"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    world.succeed(&["send", "zeus", "one"]);
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), output.stderr.as_slice()), (Some(0), &b""[..]));
}

#[test]
fn offsets_are_printed_for_developers() {
    let world = World::new(&["zeus"], SCRIPT);
    world.succeed(&["up"]);
    world.succeed(&["send", "zeus", "--wait", "one"]);
    let output = world.command(&["tail", "zeus"]).env("ATEAM_DEBUG_TAIL", "1").output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.lines().next().unwrap().contains(" 0 recovered "), "{text}");
}
