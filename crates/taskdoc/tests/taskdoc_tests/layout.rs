//! The layout rules compared with a simple specification, for arbitrary trees of names.

use std::collections::BTreeSet;

use minds_diagnostics::Contents;
use minds_taskdoc::{Home, check};
use minds_vfs::{FileMode, Location, MountId, Snapshot, SnapshotEntry, WorkspacePath};
use proptest::prelude::*;

const TOP: [&str; 3] = ["goals.md", "constraints.md", "progress.md"];
const BEAR: [&str; 6] =
    ["contracts.md", "acceptance.md", "grants.md", "runbook.md", "decisions.md", "risks.md"];

/// Names with and without a meaning in the format, in several letter cases.
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
        1 => Just(SnapshotEntry::HardLinked),
        1 => Just(SnapshotEntry::Special),
        1 => Just(SnapshotEntry::Link { target: "x".to_owned() }),
        1 => Just(SnapshotEntry::TooLarge { limit: 7 }),
        1 => Just(SnapshotEntry::Unreadable { reason: "permission denied".to_owned() }),
    ]
}

/// A package: paths below it with their entries; parents are directories.
fn package() -> impl Strategy<Value = Vec<(String, SnapshotEntry)>> {
    let path = prop::collection::vec(name(), 1..4).prop_map(|names| names.join("/"));
    prop::collection::vec((path, entry()), 0..12)
}

fn location(path: &str) -> Option<Location> {
    Some(Location::new(MountId::WORKSPACE, WorkspacePath::parse(path).ok()?))
}

/// Builds the snapshot, and returns the paths below the package that it contains.
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

fn check_snapshot(snapshot: &Snapshot) -> Vec<(String, &'static str)> {
    let home = WorkspacePath::parse("tasks").unwrap();
    let found = check(snapshot, Some(&Home { path: &home, is_chosen: false })).into_sorted();
    let place =
        |found: &minds_diagnostics::Diagnostic| found.primary.as_ref().unwrap().source.name().to_owned();
    found.iter().map(|found| (place(found), found.rule.code)).collect()
}

/// The rules for misplaced and foreign entries as a specification.
fn expected_rule(below: &str) -> Option<&'static str> {
    let segments: Vec<&str> = below.split('/').collect();
    let (name, above) = segments.split_last().unwrap();
    let folded = minds_vfs::portable::fold(name);
    let is_top = TOP.contains(&folded.as_str());
    let is_bear = BEAR.contains(&folded.as_str());
    let is_in = |directory: &str| above == [directory];
    if above.first().is_some_and(|first| *first != "bearinmind" && first.eq_ignore_ascii_case("bearinmind")) {
        return None;
    }
    let is_package = minds_vfs::portable::is_encapsulated(name);
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

fn is_checked(below: &str) -> bool {
    let above = below.rsplit_once('/').map_or("", |(above, _)| above);
    !above.split('/').any(minds_vfs::portable::is_encapsulated) && above.split('/').next() != Some(".history")
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    /// Each forbidden path is reported once, and no other path; each missing section is reported.
    #[test]
    fn exactly_the_forbidden_paths_are_reported(entries in package()) {
        let (snapshot, paths) = snapshot(&entries);
        let found = check_snapshot(&snapshot);
        let of = |rules: &[&str]| -> BTreeSet<(String, &str)> {
            found.iter().filter(|(_, code)| rules.contains(code)).cloned().collect()
        };
        let expected: BTreeSet<(String, &str)> = paths
            .iter()
            .filter(|below| is_checked(below))
            .filter_map(|below| Some((format!("tasks/p.tsk/{below}"), expected_rule(below)?)))
            .collect();
        prop_assert_eq!(of(&["task/misplaced-section", "task/foreign-entry"]), expected);
        let exists = |name: &str| paths.iter().any(|below| minds_vfs::portable::is_same_name(below, name));
        let missing = TOP.iter().filter(|name| !exists(name)).count();
        prop_assert_eq!(found.iter().filter(|(_, code)| *code == "task/missing-section").count(), missing);
    }

    /// Every finding refers to an existing path, and the same tree gives the same findings.
    #[test]
    fn findings_refer_to_existing_paths(entries in package()) {
        let (snapshot, paths) = snapshot(&entries);
        let first = check_snapshot(&snapshot);
        for (place, code) in &first {
            let below = place.strip_prefix("tasks/p.tsk").unwrap();
            let exists = below.is_empty() || paths.contains(&below[1..]);
            prop_assert!(exists, "{code} at {place}");
            prop_assert!(below.is_empty() || is_checked(&below[1..]), "{code} at {place}");
        }
        prop_assert_eq!(first, check_snapshot(&snapshot));
    }

    /// A valid section of a category is never reported.
    #[test]
    fn valid_sections_are_not_reported(category in "[a-z]{1,3}", selector in "[a-z]{1,3}") {
        let below = format!("{category}/{selector}.md");
        let text = SnapshotEntry::File { bytes: Contents::from(&b"x"[..]), mode: FileMode::Regular };
        let tops = TOP.map(|name| (name.to_owned(), text.clone()));
        let (snapshot, _) = snapshot(&[tops.as_slice(), &[(below, text.clone())]].concat());
        // Some short names are device names, which are not portable.
        let is_name = minds_taskdoc::Section::parse(&selector, Some(&category)).is_ok();
        prop_assert_eq!(check_snapshot(&snapshot).is_empty(), is_name);
    }
}
