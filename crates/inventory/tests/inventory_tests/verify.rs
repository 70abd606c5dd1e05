//! Differences between the state and the disk or the lock file.

use minds_inventory::plan::{AgentHome, Occupant};
use minds_inventory::{FindingKind, LobeMode, Lock, lock, verify, verify_places};
use minds_vfs::ContentHash;

use crate::sample::{Sample, at, identity, key, source};

fn sample() -> Sample {
    let mut sample = Sample::new(vec![source("h/o/r", "p", &[("rule:a", "1"), ("rule:b", "2")])]);
    sample.lobes.push(AgentHome { path: at("/mnt/x"), mode: LobeMode::Copy });
    sample.install_all();
    sample
}

fn kinds(sample: &Sample, lock: &Lock) -> Vec<(FindingKind, String)> {
    let places = sample.occupants(verify_places(&sample.context()));
    let findings = verify(&sample.context(), Some(lock), &places);
    findings.into_iter().map(|finding| (finding.kind, finding.subject)).collect()
}

#[test]
fn an_unmodified_installation_has_no_findings() {
    let sample = sample();
    assert_eq!(kinds(&sample, &lock(&sample.context(), false)), []);
}

#[test]
fn every_change_on_disk_is_reported() {
    let other = || Occupant::Content(ContentHash::of(b"other"));
    let (store, link, copy) =
        ("/home/u/.minds/store/rule/p-a", "/home/u/.claude/rules/p-a.md", "/mnt/x/rules/p-a.md");
    let cases = [
        (store, other(), FindingKind::Drifted),
        (store, Occupant::Nothing, FindingKind::MissingStore),
        (store, Occupant::Link("/etc".to_owned()), FindingKind::Drifted),
        (link, Occupant::Nothing, FindingKind::MissingLink),
        (link, other(), FindingKind::ForeignLink),
        (link, Occupant::Link(format!("{store}x")), FindingKind::ForeignLink),
        (copy, other(), FindingKind::DriftedCopy),
        (copy, Occupant::Nothing, FindingKind::MissingLink),
        (copy, Occupant::Link(store.to_owned()), FindingKind::ForeignLink),
    ];
    for (place, occupant, expected) in cases {
        let mut sample = sample();
        let lock = lock(&sample.context(), false);
        sample.put(place, occupant.clone());
        assert_eq!(kinds(&sample, &lock), [(expected, "rule:p-a".to_owned())], "{place} {occupant:?}");
    }
}

#[test]
fn every_difference_from_the_lock_is_reported() {
    let complete = sample();
    let locked = lock(&complete.context(), false);
    let subject = |kind, name: &str| vec![(kind, name.to_owned())];

    let mut other = locked.clone();
    other.sources[0].commit = None;
    assert_eq!(kinds(&complete, &other), subject(FindingKind::OtherCommit, "h/o/r"));
    let mut other = locked.clone();
    other.sources[0].tree = None;
    assert_eq!(kinds(&complete, &other), subject(FindingKind::OtherTree, "h/o/r"));
    let mut other = locked.clone();
    other.sources[0].items.remove(&key("rule:a"));
    assert_eq!(kinds(&complete, &other), subject(FindingKind::NotLocked, "rule:p-a"));
    let mut other = locked.clone();
    other.sources[0].items.get_mut(&key("rule:a")).unwrap().hash = ContentHash::of(b"x");
    assert_eq!(kinds(&complete, &other), subject(FindingKind::OtherContent, "rule:p-a"));
    let mut other = locked.clone();
    let item = other.sources[0].items[&key("rule:a")];
    other.sources[0].items.insert(key("tool:t"), item);
    assert_eq!(kinds(&complete, &other), subject(FindingKind::NotInstalled, "tool:t"));
    let mut other = locked.clone();
    other.sources[0].identity = identity("h/o/x");
    let all = kinds(&complete, &other);
    assert_eq!(
        all[..2],
        [
            (FindingKind::SourceNotMelded, "h/o/x".to_owned()),
            (FindingKind::SourceNotLocked, "h/o/r".to_owned()),
        ]
    );
}
