//! Events and frames: their JSON form, unknown ones, split text.

use minds_fleet_protocol::limits::MAX_FRAME_TEXT_BYTES;
use minds_fleet_protocol::{Event, EventKind, Frame, Json, Token, split_text};
use proptest::prelude::*;

const SAMPLES: &[&str] = &[
    r#"{"type":"token","text":"ok","model":"gpt-5-nano","qid":"q-1","trace_id":"t-00000001"}"#,
    r#"{"type":"token","text":"ok","model":"tool:os.exec","stream":"stderr"}"#,
    r#"{"type":"tool","name":"os.exec","input":{"cmd":"make","z":1,"a":2},"call_id":"c1","qid":"q-1"}"#,
    r#"{"type":"tool.result","call_id":"c1","name":"os.exec","ok":false,"rc":-9,"duration_ms":12,"code":"tool.denied"}"#,
    r#"{"type":"tool.result","call_id":"c1","name":"fs.read","ok":true,"duration_ms":12}"#,
    r#"{"type":"task.start","id":"q-1","prompt_id":"ab12"}"#,
    r#"{"type":"task.end","id":"q-1","ok":true,"reason":"max_steps"}"#,
    r#"{"type":"task.end","id":"q-1","ok":true}"#,
    r#"{"type":"task.recover","summaries_loaded":2,"raw_turns_loaded":3,"parked":["q-1"]}"#,
    r#"{"type":"warn","msg":"m"}"#,
    r#"{"type":"error","msg":"m","code":"handler.error","trace":"at"}"#,
    r#"{"type":"error","msg":"m"}"#,
    r#"{"type":"state","state":"busy","ctx_pct":0.25,"tokens_in_ctx":32000}"#,
    r#"{"type":"confirm.request","id":"k1","kind":"tool","title":"t","body":"b","expires_at":1790000600.25}"#,
    r#"{"type":"confirm.done","id":"k1","answer":true,"by":"console:s-1"}"#,
    r#"{"type":"owner","event":"takeover","owner":"console:s-1"}"#,
    r#"{"type":"gap","from":3,"to":9}"#,
];

#[test]
fn every_kind_is_written_as_it_was_read() {
    let mut names = Vec::new();
    for sample in SAMPLES {
        let event: Event = serde_json::from_str(sample).unwrap();
        assert_eq!(serde_json::to_string(&event).unwrap(), *sample);
        names.extend(event.kind.name());
    }
    names.dedup();
    assert_eq!(names, EventKind::NAMES);
}

#[test]
fn a_frame_has_the_documented_form() {
    let line = r#"{"offset":41,"epoch":7,"ts":1790000001.5,"event":{"type":"token","text":"ok","model":"gpt-5-nano","qid":"q-1","trace_id":"t-1"}}"#;
    let frame: Frame = serde_json::from_str(line).unwrap();
    assert_eq!((frame.offset, frame.epoch), (41, 7));
    assert_eq!(serde_json::to_string(&frame).unwrap(), line);
}

#[test]
fn events_of_later_versions_are_read_and_never_written() {
    let event: Event = serde_json::from_str(r#"{"type":"of.later","text":[1],"qid":"q-1"}"#).unwrap();
    assert_eq!(event.kind, EventKind::Unknown);
    assert!(serde_json::to_string(&event).is_err());
    let text = r#"{"type":"token","text":"a","model":"m","later":{"x":1}}"#;
    assert!(serde_json::from_str::<Event>(text).is_ok());
    for invalid in [
        r#"{"type":"token","text":"a"}"#,
        r#"{"type":"token","text":1,"model":"m"}"#,
        r#"{"type":"token","text":"a","text":"b","model":"m"}"#,
        r#"{"text":"a","model":"m"}"#,
        r#"{"type":"task.start","id":"","prompt_id":"p"}"#,
        "[]",
        "{}",
    ] {
        assert!(serde_json::from_str::<Event>(invalid).is_err(), "{invalid}");
    }
}

proptest! {
    /// Parts joined are the text, and no part exceeds the limit or is empty.
    #[test]
    fn text_is_split_and_never_truncated(text in "[a-zé漢🦀]{0,9000}") {
        let parts: Vec<&str> = split_text(&text).collect();
        prop_assert_eq!(parts.concat(), text.clone());
        prop_assert!(parts.iter().all(|part| (1..=MAX_FRAME_TEXT_BYTES).contains(&part.len())));
        let fewest = text.len().div_ceil(MAX_FRAME_TEXT_BYTES);
        prop_assert!(parts.len() <= fewest + 1);
    }

    /// Frames with any text survive the wire.
    #[test]
    fn frames_survive_the_wire(text in any::<String>(), offset in any::<u64>(), seconds in 0.0_f64..4e9) {
        let token = Token { text: text.clone(), model: "m".to_owned(), stream: None };
        let line = format!(
            r#"{{"offset":{offset},"epoch":1,"ts":{},"event":{}}}"#,
            serde_json::to_string(&seconds).unwrap(),
            serde_json::to_string(&Event::new(token)).unwrap(),
        );
        let frame: Frame = serde_json::from_str(&line).unwrap();
        prop_assert_eq!(serde_json::to_string(&frame).unwrap(), line);
        let EventKind::Token(token) = frame.event.kind else { panic!("a token") };
        prop_assert_eq!(token.text, text);
    }

    /// An input of a tool keeps the order of its members.
    #[test]
    fn inputs_of_tools_are_passed_on_unchanged(names in proptest::collection::btree_set("[a-z]{1,8}", 0..8)) {
        let input = names.iter().rev().map(|name| format!("\"{name}\":1.0")).collect::<Vec<_>>().join(",");
        let line = format!(r#"{{"type":"tool","name":"t","input":{{{input}}},"call_id":"c"}}"#);
        let event: Event = serde_json::from_str(&line).unwrap();
        let EventKind::ToolCall(call) = &event.kind else { panic!("a call") };
        prop_assert_eq!(&call.input, &Json::parse(&format!("{{{input}}}")).unwrap());
        prop_assert_eq!(serde_json::to_string(&event).unwrap(), line);
    }
}
