//! The layout rules against what they say in plain words, for any tree of names.
#![allow(
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::unwrap_used,
    reason = "a test may stop at once"
)]

use std::collections::BTreeSet;

use minds_diagnostics::Contents;
use minds_document::{FileMode, Snapshot, SnapshotEntry};
use minds_paths::{Location, MountId, WorkspacePath};
use minds_taskdoc::{Home, check};
use proptest::prelude::*;

const TOP: [&str; 3] = ["goals.md", "constraints.md", "progress.md"];
const BEAR: [&str; 6] =
    ["contracts.md", "acceptance.md", "grants.md", "runbook.md", "decisions.md", "risks.md"];

/// Names that mean something, and some that do not, in several letter cases.
fn name() -> impl Strategy<Value = String> {
    prop_oneof![
        6 => prop::sample::select(vec![
            "goals.md", "Goals.md", "constraints.md", "progress.md", "PROGRESS.MD", "risks.md", "Risks.md", "grants.md",
            "bearinmind", "BearInMind", "ux", "UX", "notes", "check.list.md", "2nd.md", "a b.md", ".hidden.md", ".history",
            "journal.jsonl", "x.tsk", "Y.TSK", ".tsk", "data.bin", "goals", "\u{e9}.md", ".gitattributes",
        ]).prop_map(str::to_owned),
        1 => "[a-zA-Z.!é\u{130}ſ]{1,6}(\\.md)?".prop_filter("a name", |name| name != "." && name != ".."),
    ]
}

fn entry() -> impl Strategy<Value = SnapshotEntry> {
    let file = |bytes: &[u8]| SnapshotEntry::File { bytes: Contents::from(bytes), mode: FileMode::Regular };
    prop_oneof![
        4 => Just(file(b"text\n")),
        1 => Just(file(b"\xff")),
        1 => Just(SnapshotEntry::Unread),
        1 => Just(SnapshotEntry::SeveralNames),
        1 => Just(SnapshotEntry::Special),
        1 => Just(SnapshotEntry::Link { target: "x".to_owned() }),
        1 => Just(SnapshotEntry::TooLarge { most: 7 }),
        1 => Just(SnapshotEntry::Unreadable { reason: "permission denied".to_owned() }),
    ]
}

/// A package: paths below it with what stands there; what is above each is a directory.
fn package() -> impl Strategy<Value = Vec<(String, SnapshotEntry)>> {
    let path = prop::collection::vec(name(), 1..4).prop_map(|names| names.join("/"));
    prop::collection::vec((path, entry()), 0..12)
}

fn location(path: &str) -> Option<Location> {
    Some(Location::new(MountId::WORKSPACE, WorkspacePath::parse(path).ok()?))
}

/// Builds the snapshot, and returns the paths below the package that are in it.
fn snapshot(entries: &[(String, SnapshotEntry)]) -> (Snapshot, BTreeSet<String>) {
    let mut snapshot = Snapshot::new();
    snapshot.insert(location("tasks/p.tsk").unwrap(), SnapshotEntry::Directory);
    let mut paths = BTreeSet::new();
    for (below, entry) in entries {
        let Some(place) = location(&format!("tasks/p.tsk/{below}")) else { continue };
        snapshot.insert(place, entry.clone());
        paths.insert(below.clone());
    }
    for (below, _) in entries {
        for (end, _) in below.match_indices('/') {
            let Some(place) = location(&format!("tasks/p.tsk/{}", &below[..end])) else { continue };
            snapshot.insert(place, SnapshotEntry::Directory);
            paths.insert(below[..end].to_owned());
        }
    }
    (snapshot, paths)
}

fn found(snapshot: &Snapshot) -> Vec<(String, &'static str)> {
    let home = WorkspacePath::parse("tasks").unwrap();
    let found = check(snapshot, Some(&Home { path: &home, is_chosen: false })).into_sorted();
    let place =
        |found: &minds_diagnostics::Diagnostic| found.primary.as_ref().unwrap().source.name().to_owned();
    found.iter().map(|found| (place(found), found.rule.code)).collect()
}

/// The hard rules of the format as sentences: which paths below a package are misplaced or foreign.
fn forbidden(below: &str) -> Option<&'static str> {
    let segments: Vec<&str> = below.split('/').collect();
    let (name, above) = segments.split_last().unwrap();
    let folded = minds_paths::portable::fold(name);
    let is_top = TOP.contains(&folded.as_str());
    let is_bear = BEAR.contains(&folded.as_str());
    let is_in = |directory: &str| above == [directory];
    if above.first().is_some_and(|first| *first != "bearinmind" && first.eq_ignore_ascii_case("bearinmind")) {
        return None;
    }
    let is_package = minds_paths::portable::is_encapsulated(name);
    match (is_top, is_bear) {
        _ if is_package && !is_in("bearinmind") => None,
        (true, _) if !above.is_empty() && (above[0] != "bearinmind" || above.len() == 1) => {
            Some("task/misplaced-section")
        }
        (_, true) if !is_in("bearinmind") && above.first() != Some(&"bearinmind") => {
            Some("task/misplaced-section")
        }
        (false, false) if is_in("bearinmind") => Some("task/foreign-entry"),
        _ => None,
    }
}

fn is_looked_at(below: &str) -> bool {
    let above = below.rsplit_once('/').map_or("", |(above, _)| above);
    !above.split('/').any(minds_paths::portable::is_encapsulated)
        && above.split('/').next() != Some(".history")
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    /// Each path that the format forbids is found, once, and no other; each section that is not there is said.
    #[test]
    fn what_the_format_forbids_is_found_and_nothing_else(entries in package()) {
        let (snapshot, paths) = snapshot(&entries);
        let found = found(&snapshot);
        let of = |rules: &[&str]| -> BTreeSet<(String, &str)> {
            found.iter().filter(|(_, code)| rules.contains(code)).cloned().collect()
        };
        let expected: BTreeSet<(String, &str)> = paths
            .iter()
            .filter(|below| is_looked_at(below))
            .filter_map(|below| Some((format!("tasks/p.tsk/{below}"), forbidden(below)?)))
            .collect();
        prop_assert_eq!(of(&["task/misplaced-section", "task/foreign-entry"]), expected);
        let is_there = |name: &str| paths.iter().any(|below| minds_paths::portable::same(below, name));
        let missing = TOP.iter().filter(|name| !is_there(name)).count();
        prop_assert_eq!(found.iter().filter(|(_, code)| *code == "task/missing-section").count(), missing);
    }

    /// Every finding is about something that is there, and the same tree gives the same findings.
    #[test]
    fn findings_are_about_what_is_there(entries in package()) {
        let (snapshot, paths) = snapshot(&entries);
        let first = found(&snapshot);
        for (place, code) in &first {
            let below = place.strip_prefix("tasks/p.tsk").unwrap();
            let is_there = below.is_empty() || paths.contains(&below[1..]);
            prop_assert!(is_there, "{code} at {place}");
            prop_assert!(below.is_empty() || is_looked_at(&below[1..]), "{code} at {place}");
        }
        prop_assert_eq!(first, found(&snapshot));
    }

    /// What can be a section of a category is never said to be anything else than what stands there.
    #[test]
    fn sections_are_in_peace(category in "[a-z]{1,3}", selector in "[a-z]{1,3}") {
        let below = format!("{category}/{selector}.md");
        let text = SnapshotEntry::File { bytes: Contents::from(&b"x"[..]), mode: FileMode::Regular };
        let tops = TOP.map(|name| (name.to_owned(), text.clone()));
        let (snapshot, _) = snapshot(&[tops.as_slice(), &[(below, text.clone())]].concat());
        // Some short names are those of devices, which no system may have.
        let is_name = minds_taskdoc::Section::parse(&selector, Some(&category)).is_ok();
        prop_assert_eq!(found(&snapshot).is_empty(), is_name);
    }
}
