//! The list of offered items.

use minds_inventory::{InstallRequest, ProbeFilter, probe, probe_unmanaged};
use minds_sources::{ItemKind, Refusal, RefusalKind};

use crate::sample::{Sample, identity, key, source};

fn sample() -> Sample {
    let mut sample = Sample::new(vec![
        source("h/o/one", "", &[("skill:s agent:b", "1"), ("agent:b", "")]),
        source("h/o/two", "", &[("skill:s", "2"), ("tool:t", "")]),
    ]);
    let request = InstallRequest::all_of_source(&sample.context(), &identity("h/o/one"), false);
    let plan = sample.plan(&request);
    sample.apply(&plan);
    sample
}

#[test]
fn rows_look_like_this() {
    let rows = probe(&sample().context(), &ProbeFilter::default()).unwrap();
    insta::assert_snapshot!(serde_json::to_string_pretty(&rows).unwrap());
}

#[test]
fn rows_are_filtered() {
    let sample = sample();
    let names = |filter: ProbeFilter| -> Vec<String> {
        let rows = probe(&sample.context(), &filter).unwrap();
        rows.iter().map(|row| format!("{}#{}:{}", row.source, row.kind, row.name)).collect()
    };
    let query = |text: &str| ProbeFilter { query: Some(text.to_owned()), ..ProbeFilter::default() };
    assert_eq!(names(query("ABOUT TOOL")), ["h/o/two#tool:t"]);
    assert_eq!(names(query("zzz")), [""; 0]);
    let kind = ProbeFilter { kind: Some(ItemKind::Agent), ..ProbeFilter::default() };
    assert_eq!(names(kind), ["h/o/one#agent:b"]);
    let source = ProbeFilter { source: Some("two".to_owned()), ..ProbeFilter::default() };
    assert_eq!(names(source), ["h/o/two#skill:s", "h/o/two#tool:t"]);
    let wrong = ProbeFilter { source: Some("three".to_owned()), ..ProbeFilter::default() };
    assert!(probe(&sample.context(), &wrong).is_err());
}

#[test]
fn an_item_that_cannot_be_read_has_no_hash() {
    let mut sample = sample();
    let mut sources = sample.inventory.sources().to_vec();
    sources[1].items[0].content = Err(Refusal::new(RefusalKind::BadContent, "a pipe"));
    sources[1].items[0].hash = None;
    sample.offer(sources);
    let rows = probe(&sample.context(), &ProbeFilter::default()).unwrap();
    let row = rows.iter().find(|row| row.source == "h/o/two" && row.name == "s").unwrap();
    assert_eq!((row.hash.as_deref(), row.installed), (None, false));
    assert!(sample.installed.get(&key("skill:s")).is_some());
}

#[test]
fn an_unmanaged_item_is_listed_once_without_a_source() {
    let keys = || ["skill:u", "rule:w", "skill:u", "agent:v"].map(key);
    let names = |filter: &ProbeFilter| -> Vec<String> {
        let rows = probe_unmanaged(keys(), filter);
        assert!(rows.iter().all(|row| row.unmanaged && !row.installed && row.source.is_empty()));
        rows.iter().map(|row| format!("{}:{}", row.kind, row.name)).collect()
    };
    assert_eq!(names(&ProbeFilter::default()), ["agent:v", "rule:w", "skill:u"]);
    let query = ProbeFilter { query: Some("U".to_owned()), ..ProbeFilter::default() };
    assert_eq!(names(&query), ["skill:u"]);
    let kind = ProbeFilter { kind: Some(ItemKind::Rule), ..ProbeFilter::default() };
    assert_eq!(names(&kind), ["rule:w"]);
    let source = ProbeFilter { source: Some("one".to_owned()), ..ProbeFilter::default() };
    assert_eq!(names(&source), [""; 0]);
}
