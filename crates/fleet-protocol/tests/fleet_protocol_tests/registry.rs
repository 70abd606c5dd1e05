//! Registry entries, and timestamps in the form of RFC 3339.

use minds_fleet_protocol::{AgentInfo, RegistryChange, RegistryEvent, TakeoverNotice, Timestamp};
use proptest::prelude::*;

const ENTRY: &str = r#"{"id":"demo/zeus","name":"zeus","project":"demo","model":"gpt-5-nano","cwd":"/work","host":"box","pid":42,"started_at":"2026-09-21T14:13:20.250Z","state":"idle","ctx_pct":0.25,"tools":["fs.read"],"engine":"llm","epoch":7,"version":"0.1.0","sandbox":"full","queue":{"pending":1,"parked":0},"server_capabilities":["tail.offsets","confirm"]}"#;

#[test]
fn a_registry_entry_is_written_as_it_was_read() {
    let entry: AgentInfo = serde_json::from_str(ENTRY).unwrap();
    assert_eq!(serde_json::to_string(&entry).unwrap(), ENTRY);
    assert!(entry.has_capability("confirm"));
    assert!(!entry.has_capability("kb.copy.selective"));
}

#[test]
fn an_entry_of_a_draft_or_a_later_version_is_read() {
    let text = r#"{"id":"demo/zeus","name":"zeus","project":"demo","model":"m","cwd":"/w","host":"h","pid":1,"started_at":"2026-09-21T14:13:20Z","state":"running","later":{"a":1}}"#;
    let entry: AgentInfo = serde_json::from_str(text).unwrap();
    assert_eq!(entry.state.as_str(), "idle");
    assert_eq!((entry.epoch, entry.queue.pending), (0, 0));
}

#[test]
fn notifications_have_the_documented_form() {
    let line = r#"{"event":"join","id":"demo/zeus","ts":1790000000.5}"#;
    let change: RegistryChange = serde_json::from_str(line).unwrap();
    assert_eq!(serde_json::to_string(&change).unwrap(), line);
    let later = line.replace("join", "renamed");
    assert_eq!(serde_json::from_str::<RegistryChange>(&later).unwrap().event, RegistryEvent::Unknown);
    let line = r#"{"event":"request","by":"console:s-1"}"#;
    let notice: TakeoverNotice = serde_json::from_str(line).unwrap();
    assert_eq!(serde_json::to_string(&notice).unwrap(), line);
}

#[test]
fn timestamps_of_rfc_3339_are_read() {
    for (text, expected) in [
        ("1970-01-01T00:00:00Z", Some(0.0)),
        ("2026-09-21T14:13:20Z", Some(1_790_000_000.0)),
        ("2026-09-21t16:13:20.25+02:00", Some(1_790_000_000.25)),
        ("2026-09-21 09:43:20-04:30", Some(1_790_000_000.0)),
        ("2000-02-29T00:00:00Z", Some(951_782_400.0)),
        ("1900-02-29T00:00:00Z", None),
        ("2026-13-01T00:00:00Z", None),
        ("2026-09-31T00:00:00Z", None),
        ("2026-09-21T24:00:00Z", None),
        ("2026-09-21T14:13:20", None),
        ("2026-09-21T14:13:20.Z", None),
        ("2026-09-21T14:13:20+2:00", None),
        ("+026-09-21T14:13:20Z", None),
        ("2026-09-21T14:13:2éZ", None),
        ("", None),
    ] {
        assert_eq!(Timestamp::parse_rfc3339(text).map(Timestamp::as_seconds), expected, "{text}");
    }
    assert_eq!(Timestamp::from_seconds(1e300).unwrap().to_rfc3339(), None);
}

proptest! {
    /// What is written is read again, in every year of four digits.
    #[test]
    fn timestamps_of_rfc_3339_survive(milliseconds in -62_167_219_200_000_i64..253_402_300_800_000) {
        let time = Timestamp::from_seconds(milliseconds as f64 / 1e3).unwrap();
        let text = time.to_rfc3339().unwrap();
        prop_assert_eq!(text.len(), 24);
        let read = Timestamp::parse_rfc3339(&text).unwrap();
        let difference = read.as_seconds() * 1e3 - milliseconds as f64;
        prop_assert!(difference.abs() < 0.5, "{} {}", text, milliseconds);
    }

    #[test]
    fn any_text_is_a_timestamp_or_refused(text in "[0-9T:.Z+é-]{0,30}") {
        let _ = Timestamp::parse_rfc3339(&text);
    }
}
