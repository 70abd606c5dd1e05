//! What the model reads, and failures of the model.

use std::io::{Read as _, Write as _};

use minds_fleet_protocol::methods::{HistoryClear, HistoryRead, MemoryStats, PromptGet, Tail};
use minds_fleet_protocol::{EndReason, ErrorCode, EventKind};
use serde_json::json;

use crate::client::Frames;
use crate::place::{Place, eventually, id};

#[test]
fn a_model_that_fails_before_its_answer_is_asked_again() {
    let place = Place::new(&[
        json!({"status": 503}),
        json!({"text": "ok"}),
        json!({"status": 401}),
        json!({"text": "half", "cut": 2}),
    ]);
    let _agent = place.start();
    let mut client = place.owner();
    let mut frames = Frames::all(&place.bus());
    for (text, reason) in [("a", EndReason::Done), ("b", EndReason::Model), ("c", EndReason::Model)] {
        let item = client.input(text);
        assert_eq!(frames.end_of(&item), reason, "{text}");
    }
    let last = place.lines("history.jsonl").pop().unwrap();
    assert_eq!((&last["content"], &last["partial"]), (&json!("ha"), &json!(true)));
    let error = client.status().unwrap().last_error.unwrap();
    assert_eq!(
        error,
        "the model provider `scripted` failed: the connection ended before the answer was complete"
    );
}

#[test]
fn a_model_without_a_provider_of_this_version_is_unavailable() {
    let place = Place::new(&[]);
    place.write("ws/.ateam/models.yaml", "models:\n  m: {provider: openai, context_window_size: 1000}\n");
    let _agent = place.start();
    let item = place.owner().input("a");
    let mut frames = Frames::all(&place.bus());
    assert_eq!(frames.end_of(&item), EndReason::Model);
    let code = frames.wait_for(|event| match &event.kind {
        EventKind::Error(error) => error.code.clone(),
        _ => None,
    });
    assert_eq!(String::from(code), ErrorCode::ModelUnavailable.as_str());
}

#[test]
fn turns_are_summarized_when_the_context_is_full() {
    let long = "word ".repeat(2_600);
    let place = Place::with_window(
        &[
            json!({"when": "Summarize the conversation", "text": "The user said a."}),
            json!({"when": "a ", "text": long}),
            json!({"when": "b", "text": "short"}),
        ],
        4_000,
    );
    let _agent = place.start();
    let mut client = place.owner();
    let item = client.input("a ");
    let mut frames = Frames::all(&place.bus());
    assert_eq!(frames.end_of(&item), EndReason::Done);
    let summary = eventually("the summary", || place.lines("summary.jsonl").pop());
    assert_eq!((&summary["summary"], &summary["window"]), (&json!("The user said a."), &json!([1, 2])));
    let stats = eventually("space in the context", || {
        client.call(&MemoryStats {}).ok().filter(|stats| stats.ctx_pct < 0.5)
    });
    assert!((stats.summarize_threshold - 0.75).abs() < 1e-9);
    let item = client.input("b");
    assert_eq!(frames.end_of(&item), EndReason::Done);
}

#[test]
fn history_frames_and_prompt_can_be_read() {
    let place = Place::new(&[json!({"text": "one"}), json!({"text": "two"})]);
    let _agent = place.start();
    let mut client = place.owner();
    let mut frames = Frames::all(&place.bus());
    for text in ["a", "b"] {
        let item = client.input(text);
        frames.end_of(&item);
    }
    let read = client.call(&HistoryRead { n: 2, before: None }).unwrap();
    assert_eq!((read.turns.len(), read.first), (2, Some(3)));
    let tail = client.call(&Tail { from_offset: Some(1), limit: Some(2) }).unwrap();
    let offsets: Vec<u64> = tail.events.iter().map(|frame| frame.offset).collect();
    assert_eq!((offsets, tail.next_offset, tail.more, tail.gap), (vec![1, 2], 3, true, false));
    let prompt = client.call(&PromptGet {}).unwrap();
    assert_eq!(prompt.base, "You help.\n");
    assert!(prompt.effective.starts_with("You help."));
    let other = HistoryClear { agent: minds_fleet_protocol::AgentId::parse("app/hera").unwrap() };
    assert_eq!(client.call(&other).unwrap_err().code(), Some(ErrorCode::ArgsInvalid));
    eventually("the removal", || client.call(&HistoryClear { agent: id() }).ok());
    assert!(place.lines("history.jsonl").is_empty());
}

#[test]
fn the_number_of_steps_follows_the_file() {
    let call = json!({"tool_calls": [{"name": "read"}]});
    let place = Place::new(&[call.clone(), call.clone(), call]);
    place.write(
        "ws/.ateam/agents/zeus/agent.yaml",
        "name: zeus\nmodel: m\nprompt: {base: system_base.md}\nlimits: {max_steps: 2}\n",
    );
    let _agent = place.start();
    let item = place.owner().input("a");
    assert_eq!(Frames::all(&place.bus()).end_of(&item), EndReason::MaxSteps);
    let answers = place.lines("history.jsonl").iter().filter(|line| line["role"] == "assistant").count();
    assert_eq!(answers, 2);
}

#[test]
fn the_duration_of_a_turn_follows_the_file() {
    let place = Place::new(&[json!({"text": "late", "stall_ms": 600_000}), json!({"text": "next"})]);
    place.write(
        "ws/.ateam/agents/zeus/agent.yaml",
        "name: zeus\nmodel: m\nprompt: {base: system_base.md}\nlimits: {turn_seconds: 1}\n",
    );
    let _agent = place.start();
    let (mut client, mut frames) = (place.owner(), Frames::all(&place.bus()));
    let item = client.input("a");
    assert_eq!(frames.end_of(&item), EndReason::Interrupted);
    let lines = frames.describe().concat();
    assert!(lines.contains("interrupted after 1 s (`limits.turn_seconds`)"), "{lines}");
    let item = client.input("b");
    assert_eq!(frames.end_of(&item), EndReason::Done);
}

#[test]
fn metrics_are_served_on_the_loopback_address() {
    let place = Place::new(&[json!({"text": "ok"})]);
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    place.write(
        "ws/.ateam/agents/zeus/agent.yaml",
        &format!(
            "name: zeus\nmodel: m\nprompt: {{base: system_base.md}}\ntelemetry: {{prometheus_port: {port}}}\n"
        ),
    );
    let _agent = place.start();
    let item = place.owner().input("a");
    Frames::all(&place.bus()).end_of(&item);
    let ask = |path: &str| {
        let mut stream = std::net::TcpStream::connect(("127.0.0.1", port)).unwrap();
        stream.write_all(format!("GET {path} HTTP/1.1\r\nhost: localhost\r\n\r\n").as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    };
    let answer = ask("/metrics");
    assert!(answer.starts_with("HTTP/1.1 200 OK\r\n"), "{answer}");
    assert!(answer.contains("\nateam_queue_depth{agent=\"app/zeus\"} 0\n"), "{answer}");
    assert!(answer.contains("\nateam_tail_latency_ms_count{agent=\"app/zeus\"} 1\n"), "{answer}");
    assert!(!answer.contains("ateam_agent_tokens_total{agent=\"app/zeus\"} 0\n"), "{answer}");
    assert!(ask("/").starts_with("HTTP/1.1 404 "));
}
