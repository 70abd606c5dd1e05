//! Interrupts, and the end of the agent.

use minds_fleet_protocol::methods::{AgentStop, Cancel, Interrupt, QueueClear};
use minds_fleet_protocol::{EndReason, ErrorCode, EventKind};
use serde_json::json;

use crate::client::Frames;
use crate::place::{Place, eventually};

/// An answer that takes a minute.
fn slow() -> serde_json::Value {
    json!({"text": "a".repeat(600), "chunk": 1, "delay_ms": 100})
}

fn text_begins(frames: &mut Frames) {
    frames.wait_for(|event| matches!(event.kind, EventKind::TaskStart(_)).then_some(()));
}

#[test]
fn an_interrupted_item_is_done_and_the_next_one_runs() {
    let place = Place::new(&[slow(), json!({"text": "next"})]);
    let _agent = place.start();
    let mut client = place.owner();
    assert_eq!(client.call(&Interrupt {}).unwrap().qid, None);
    let mut frames = Frames::all(&place.bus());
    let (first, second) = (client.input("a"), client.input("b"));
    text_begins(&mut frames);
    assert_eq!(client.call(&Interrupt {}).unwrap().qid, Some(first.clone()));
    assert_eq!(frames.end_of(&first), EndReason::Interrupted);
    assert_eq!(frames.end_of(&second), EndReason::Done);
}

#[test]
fn a_running_tool_is_stopped() {
    for (is_hard, reason, result) in
        [(false, EndReason::Interrupted, "terminated"), (true, EndReason::Cancelled, "killed")]
    {
        let place = Place::new(&[json!({"tool_calls": [{"name": "hang"}, {"name": "note"}]})]);
        let agent = place.start();
        let mut client = place.owner();
        let mut frames = Frames::all(&place.bus());
        let item = client.input("a");
        frames.wait_for(|event| matches!(event.kind, EventKind::ToolCall(_)).then_some(()));
        if is_hard {
            client.call(&Cancel { hard: true }).unwrap();
        } else {
            agent.signal("INT");
        }
        assert_eq!(frames.end_of(&item), reason);
        let results: Vec<String> = place
            .lines("history.jsonl")
            .iter()
            .filter(|line| line["role"] == "tool")
            .map(|line| line["content"].as_str().unwrap().to_owned())
            .collect();
        assert_eq!(results, [result, "the call did not run: the turn ended"]);
        assert!(place.effects().is_empty());
    }
}

#[test]
fn an_agent_ends_in_order() {
    for stop in ["request", "signal"] {
        let place = Place::new(&[slow()]);
        let agent = place.start();
        let mut client = place.owner();
        let mut frames = Frames::all(&place.bus());
        let (first, _second) = (client.input("a"), client.input("b"));
        text_begins(&mut frames);
        match stop {
            "signal" => agent.signal("TERM"),
            _ => drop(client.call(&AgentStop { hard: false }).unwrap()),
        }
        assert_eq!(agent.end(), (Some(0), String::new()), "{stop}");
        assert_eq!(frames.end_of(&first), EndReason::Interrupted);
        // Both items run after the next start.
        place.set_script(&[json!({"text": "first"}), json!({"text": "second"})]);
        let _agent = place.start();
        let mut client = place.owner();
        eventually("the items", || client.queue().is_empty().then_some(()));
        let ends = place.lines("history.jsonl");
        let texts: Vec<&str> = ends.iter().map(|line| line["content"].as_str().unwrap()).collect();
        assert_eq!(texts.iter().filter(|text| ["first", "second"].contains(text)).count(), 2, "{texts:?}");
    }
}

#[test]
fn an_agent_with_effects_parks_its_item_when_it_ends() {
    let place = Place::new(&[json!({"tool_calls": [{"name": "note"}, {"name": "hang"}]})]);
    let agent = place.start();
    let _item = place.owner().input("a");
    eventually("the effect", || (!place.effects().is_empty()).then_some(()));
    agent.signal("TERM");
    assert_eq!(agent.end(), (Some(0), String::new()));
    assert!(place.lines("queue.jsonl").last().unwrap()["park"].is_string());
}

#[test]
fn pending_items_can_be_removed() {
    let place = Place::new(&[slow()]);
    let _agent = place.start();
    let mut client = place.owner();
    let mut frames = Frames::all(&place.bus());
    let items = ["a", "b", "c"].map(|text| client.input(text));
    text_begins(&mut frames);
    assert_eq!(client.call(&QueueClear {}).unwrap().removed, 2);
    let left: Vec<_> = client.queue().into_iter().map(|item| item.qid).collect();
    assert_eq!(left, items[..1]);
}

#[test]
fn a_second_process_is_refused() {
    let place = Place::new(&[]);
    let _agent = place.start();
    let second = place.command().output().unwrap();
    assert_eq!(second.status.code(), Some(i32::from(ErrorCode::DuplicateInstance.exit_code())));
}

#[test]
fn files_with_errors_start_nothing() {
    let place = Place::new(&[]);
    place.write("ws/.ateam/agents/zeus/agent.yaml", "name: zeus\nmodle: m\nprompt: {base: system_base.md}\n");
    let output = place.command().output().unwrap();
    assert_eq!(output.status.code(), Some(12));
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert!(stderr.starts_with(".ateam/agents/zeus/agent.yaml:"), "{stderr}");
    assert!(!place.path("ws/.ateam/agents/zeus/state").exists());
}
