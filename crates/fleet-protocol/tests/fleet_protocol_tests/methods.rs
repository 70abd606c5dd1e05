//! Methods: their table, and the limits of their parameters.

use std::collections::BTreeSet;

use minds_fleet_protocol::methods::{Access, Call, Duplicates, InputValue, KbSearch, Method, StatusValue};
use minds_fleet_protocol::{AgentId, Caller, ErrorCode, ItemId, Json, RequestId, TraceId};
use proptest::prelude::*;

/// Valid parameters of each method.
const PARAMS: &[(&str, &str)] = &[
    ("status", "{}"),
    ("tail", r#"{"from_offset":0,"limit":512}"#),
    ("input", r#"{"text":"t","meta":{"source":"console","trace_id":"t-1"}}"#),
    ("interrupt", "{}"),
    ("cancel", r#"{"hard":true}"#),
    ("prompt.get", "{}"),
    ("prompt.set", r#"{"overlay":"o","overlay_hash":"h"}"#),
    ("prompt.append", r#"{"line":"be brief"}"#),
    ("prompt.reload", "{}"),
    ("kb.ingest", r#"{"scope":"agent","paths":["docs"]}"#),
    ("kb.search", r#"{"query":"q","scope":"user","k":100}"#),
    ("kb.get_items", r#"{"ids":["a-b.md"]}"#),
    ("kb.list_recent", r#"{"n":20}"#),
    ("kb.copy_from", r#"{"source_agent_id":"p/a","ids":["a"]}"#),
    ("memory.stats", "{}"),
    ("history.read", r#"{"n":20}"#),
    ("history.clear", r#"{"agent":"p/a"}"#),
    ("model.use", r#"{"model":"m"}"#),
    ("config.save", "{}"),
    ("plan.read", "{}"),
    ("plan.list", "{}"),
    ("plan.write", r#"{"text":""}"#),
    ("plan.append", r#"{"text":"a"}"#),
    ("plan.delete", r#"{"n":1}"#),
    ("tools.list", "{}"),
    ("queue.list", "{}"),
    ("queue.clear", "{}"),
    ("queue.retry", r#"{"qid":"q-1"}"#),
    ("queue.drop", r#"{"qid":"q-1"}"#),
    ("confirm.answer", r#"{"id":"k","answer":false}"#),
    ("offload.propose", "{}"),
    ("agent.stop", "{}"),
];

#[test]
fn every_method_has_a_name_and_accepts_valid_parameters() {
    let names: Vec<&str> = Method::ALL.iter().map(|method| method.name()).collect();
    assert_eq!(names, PARAMS.iter().map(|(name, _)| *name).collect::<Vec<_>>());
    assert_eq!(names.iter().collect::<BTreeSet<_>>().len(), names.len());
    for (name, params) in PARAMS {
        let method = Method::parse(name).unwrap();
        let params = Json::parse(params).unwrap();
        assert_eq!(method.check(&params), Ok(()), "{name}");
        // Every method that changes something needs the owner, and recognizes duplicates.
        assert_eq!(method.access() == Access::Owner, method.duplicates() != Duplicates::Repeat, "{name}");
        let seconds = method.default_timeout().as_seconds();
        let expected = if ["kb.ingest", "kb.copy_from"].contains(name) { 120.0 } else { 15.0 };
        assert!((seconds - expected).abs() < f64::EPSILON, "{name}: {seconds}");
        assert_eq!(method.is_limited(), *name == "input", "{name}");
    }
    let failure = Method::parse("inptu").unwrap_err();
    assert_eq!(failure.code(), Some(ErrorCode::NoSuchMethod));
    assert_eq!(failure.message, "unknown method `inptu`");
}

#[test]
fn parameters_outside_of_their_limits_are_refused() {
    let many = |number: usize| {
        Json::from_value(&serde_json::json!({ "scope": "agent", "urls": vec!["u"; number] })).unwrap()
    };
    assert_eq!(Method::KbIngest.check(&many(512)), Ok(()));
    assert!(Method::KbIngest.check(&many(513)).is_err());
    for (name, params) in [
        ("tail", r#"{"limit":0}"#),
        ("tail", r#"{"limit":513}"#),
        ("tail", r#"{"from_offset":-1}"#),
        ("input", "{}"),
        ("input", r#"{"text":"t"}"#),
        ("input", r#"{"text":"t","text":"u","meta":{"source":"console"}}"#),
        ("input", r#"{"text":1,"meta":{"source":"console"}}"#),
        ("prompt.set", "{}"),
        ("prompt.set", r#"{"overlay_hash":"h"}"#),
        ("prompt.append", r#"{"line":" "}"#),
        ("prompt.append", r#"{"line":"a\nb"}"#),
        ("kb.ingest", r#"{"paths":["a"]}"#),
        ("kb.ingest", r#"{"scope":"agent"}"#),
        ("kb.ingest", r#"{"scope":"machine","paths":["a"]}"#),
        ("kb.search", r#"{"query":"q","scope":"user","k":0}"#),
        ("kb.search", r#"{"query":"q","scope":"user","k":101}"#),
        ("kb.get_items", r#"{"ids":[]}"#),
        ("kb.copy_from", r#"{"source_agent_id":"p/a","ids":[]}"#),
        ("kb.copy_from", r#"{"source_agent_id":"a","ids":["x"]}"#),
        ("history.clear", "{}"),
        ("confirm.answer", r#"{"id":"k","answer":"yes"}"#),
        ("cancel", r#"{"hard":1}"#),
    ] {
        let failure = Method::parse(name).unwrap().check(&Json::parse(params).unwrap()).unwrap_err();
        assert_eq!(failure.code(), Some(ErrorCode::ArgsInvalid), "{name} {params}");
        assert!(!failure.message.is_empty());
    }
    let search = KbSearch::decode(&Json::parse(r#"{"query":"q","scope":"project"}"#).unwrap()).unwrap();
    assert_eq!(search.k, 8);
    assert!(KbSearch { k: 0, ..search }.encode().is_err());
}

#[test]
fn values_have_the_documented_members() {
    let status = r#"{"state":"idle","ctx_pct":0.5,"tokens_in_ctx":1,"model":null,"cwd":"w","pid":1,"host":"h","engine":"llm","epoch":7,"owner":{"caller":"cli:s-1","since":1.5},"queue":{"pending":0,"parked":1},"last_error":null}"#;
    let value: StatusValue = serde_json::from_str(status).unwrap();
    assert_eq!(serde_json::to_string(&value).unwrap(), status);
    let input = r#"{"queued":true,"qid":"q-001"}"#;
    let value: InputValue = serde_json::from_str(input).unwrap();
    assert_eq!(serde_json::to_string(&value).unwrap(), input);
    assert!(serde_json::from_str::<InputValue>(r#"{"queued":false,"qid":"q-001"}"#).is_err());
}

#[test]
fn ids_have_their_form() {
    for (text, is_valid) in [
        ("p/a", true),
        ("my-proj_1/Zeus", true),
        ("a", false),
        ("/a", false),
        ("p/", false),
        ("p/a/b", false),
        ("p:x/a", false),
        ("p*/a", false),
        ("../a", false),
        ("p/a\n", false),
        ("pé/a", false),
    ] {
        assert_eq!(AgentId::parse(text).is_ok(), is_valid, "{text}");
    }
    let longest = format!("{}/{}", "p".repeat(64), "a".repeat(64));
    assert!(AgentId::parse(&longest).is_ok());
    assert!(AgentId::parse(&format!("{longest}a")).is_err());
    let id = AgentId::parse("proj/zeus").unwrap();
    assert_eq!((id.project(), id.name()), ("proj", "zeus"));
    assert!(Caller::parse(&"c".repeat(160)).is_ok());
    assert!(Caller::parse(&"c".repeat(161)).is_err());
    assert_eq!(RequestId::new(0x51c0_aa17).as_str(), "r-0000000051c0aa17");
    assert_eq!(ItemId::new(1_790_000_000_260, 0).as_str(), "q-1790000000260-000");
    assert_eq!(TraceId::new(255).as_str(), "t-000000ff");
    assert_eq!(
        AgentId::parse("a\u{1b}").unwrap_err().to_string(),
        "invalid agent id `a\\u{1b}`: expected `project/agent`, each 1 to 64 characters of `A-Za-z0-9_-`"
    );
}

proptest! {
    /// Ids that agents and clients make are read, and item ids sort by time and counter.
    #[test]
    fn own_ids_are_read_and_sorted(a in (1_000_000_000_000_u64..9_999_999_999_999, 0_u16..4096),
                                   b in (1_000_000_000_000_u64..9_999_999_999_999, 0_u16..4096)) {
        let (first, second) = (ItemId::new(a.0, a.1), ItemId::new(b.0, b.1));
        prop_assert_eq!(ItemId::parse(first.as_str()).unwrap(), first.clone());
        prop_assert_eq!(first.cmp(&second), a.cmp(&b));
        prop_assert!(RequestId::parse(RequestId::new(a.0).as_str()).is_ok());
    }

    /// No parameters make a method panic.
    #[test]
    fn any_parameters_are_accepted_or_invalid(index in 0_usize..32, text in r#"\{("(text|ids|k|n|limit)":([0-9]|"a"|\[\]|null))?\}"#) {
        let result = Method::ALL[index].check(&Json::parse(&text).unwrap());
        prop_assert!(result.is_ok_and(|()| true) || Method::ALL[index].check(&Json::parse(&text).unwrap()).unwrap_err().code() == Some(ErrorCode::ArgsInvalid));
    }
}
