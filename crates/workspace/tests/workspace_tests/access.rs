//! The steps of explanations reverse decisions, and the matrix agrees with decisions.

use minds_vfs::{Location, MountId, Snapshot, SnapshotEntry, WorkspacePath};
use minds_workspace::access::{Access, Change, MatrixFilter, Obstacle, Right, Step, TeamAccess};
use proptest::prelude::*;
use serde_json::{Value, json};

fn team(text: &str) -> TeamAccess {
    let file = WorkspacePath::parse(".minds/team.yaml").unwrap();
    TeamAccess::load(&Snapshot::new().with_file(file, text)).expect("there is a team")
}

const LISTS: [&str; 4] = ["no_write_dirs", "no_write_file_ext_names", "write_dirs", "write_file_ext_names"];

/// The lists for writing of member `a` and of the defaults.
fn lists() -> impl Strategy<Value = Value> {
    let pattern = prop::sample::select(vec![
        json!("a"),
        json!("b"),
        json!("a/b"),
        json!("*"),
        json!("**/b"),
        json!("."),
        json!("c*"),
        json!("../x"),
        json!(""),
        json!(5),
    ]);
    let extension = prop::sample::select(vec![json!("rs"), json!(".MD"), json!("a/b"), json!(null)]);
    let list = |entry: BoxedStrategy<Value>| {
        prop_oneof![
            3 => Just(None),
            6 => prop::collection::vec(entry, 0..4).prop_map(|entries| Some(Value::from(entries))),
            1 => Just(Some(json!("a"))),
        ]
    };
    let lists = (
        list(pattern.clone().boxed()),
        list(extension.clone().boxed()),
        list(pattern.boxed()),
        list(extension.boxed()),
    );
    lists.prop_map(|(a, b, c, d)| {
        let given = LISTS.into_iter().zip([a, b, c, d]);
        given
            .filter_map(|(name, list)| Some((name.to_owned(), list?)))
            .collect::<serde_json::Map<_, _>>()
            .into()
    })
}

fn file(team: &Value) -> String {
    // Removed entries are skipped.
    let mut team = team.clone();
    for place in ["/member_defaults", "/members/a"] {
        for list in team.pointer_mut(place).unwrap().as_object_mut().unwrap().values_mut() {
            if let Value::Array(entries) = list {
                entries.retain(|entry| entry != "removed");
            }
        }
    }
    team.to_string()
}

/// Applies a step to the original file.
fn apply(team: &mut Value, step: &Step) {
    let other = json!("zz");
    let place = step.entry.at.as_ref().map(|at| at.pointer.as_str());
    match (step.action, place) {
        (Change::Remove, Some(place)) => {
            *team.pointer_mut(place).expect("the entry exists") = json!("removed");
        }
        (Change::Repair, Some(place)) => {
            let broken = team.pointer_mut(place).expect("the entry to repair exists");
            let is_entry = place.rsplit('/').next().unwrap().parse::<usize>().is_ok();
            *broken = if is_entry { other } else { json!([other]) };
        }
        (Change::Add, Some(place)) => {
            let list = team.pointer_mut(place).expect("the list exists").as_array_mut().unwrap();
            list.push(json!(step.entry.entry));
        }
        (Change::Add, None) => team["members"]["a"][step.entry.list.as_str()] = json!([step.entry.entry]),
        (action, None) => panic!("{action:?} without a place"),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    /// Each step, applied to the file, leads to the predicted decision, and the last one reverses it.
    #[test]
    fn applied_steps_reverse_the_decision(
        defaults in lists(),
        own in lists(),
        path in prop::sample::select(vec!["", "a", "a/b", "a/b/x.rs", "b/x.md", "c1/x.", "d", "x.tsk/a", ".minds/a", "a**b", "**", "a/b*"]),
    ) {
        let mut file_value = json!({"member_defaults": defaults, "members": {"a": own}});
        let first = team(&file(&file_value));
        let explanation = first.member("a").unwrap().explain(Access::Write, path);
        let before = explanation.decision.reason;
        prop_assert_eq!(before, first.member("a").unwrap().decide(Access::Write, path).reason);
        for step in &explanation.steps {
            apply(&mut file_value, step);
            let after = team(&file(&file_value)).member("a").unwrap().decide(Access::Write, path).reason;
            prop_assert_eq!(after, step.then, "{:?} in {}", step, file_value);
        }
        let last = explanation.steps.last().map_or(before, |step| step.then);
        match explanation.obstacle {
            None => prop_assert_ne!(last.is_allowed(), before.is_allowed()),
            Some(Obstacle::Package | Obstacle::Minds) => prop_assert!(path.contains(".tsk") || path.contains(".minds")),
            Some(Obstacle::Git) => prop_assert!(path.contains("git")),
            Some(Obstacle::Unnameable) => prop_assert!(path.contains('*')),
            Some(other) => prop_assert!(false, "{:?} cannot be in the way", other),
        }
    }

    /// A right is the decision about the directory, and is partial if a decision below differs.
    #[test]
    fn the_matrix_agrees_with_decisions(
        defaults in lists(),
        own in lists(),
        below in prop::collection::vec(prop::sample::select(vec!["a", "b", "c1", "x.rs", "x.md", "y"]), 1..4),
    ) {
        let team = team(&json!({"member_defaults": defaults, "members": {"a": own}}).to_string());
        let mut member = team.member("a").unwrap();
        let matrix = team.matrix(&MatrixFilter::default()).unwrap();
        prop_assert_eq!(matrix.members(), &["a", "fuxi", "pangu"]);
        for row in matrix.rows().filter(|row| !row.directory.contains('*') && row.directory != ".minds") {
            let Right { allowed, partial, reason } = row.cells[0].write.unwrap();
            let judged = member.decide(Access::Write, row.directory).reason;
            prop_assert_eq!((allowed, reason), (judged.is_allowed(), judged));
            let path = format!("{}/{}", row.directory, below.join("/"));
            let differs = member.decide(Access::Write, &path).reason.is_allowed() != allowed;
            prop_assert!(partial || !differs, "{} differs below {}", path, row.directory);
        }
    }
}

#[track_caller]
fn cell(lists: &str, directory: &str, read: (bool, bool), write: (bool, bool)) {
    let matrix = team(&format!("members: {{a: {{{lists}}}}}\n")).matrix(&MatrixFilter::default()).unwrap();
    let row = matrix.rows().find(|row| row.directory == directory).expect("the directory is named");
    let cell = row.cells[0];
    let found =
        [cell.read, cell.write].map(|right| right.map(|right| (right.allowed, right.partial)).unwrap());
    assert_eq!(found, [read, write], "{lists} about {directory}");
}

#[test]
fn a_directory_is_partial_if_a_decision_below_differs() {
    let yes = (true, false);
    let no = (false, false);
    cell("write_dirs: [src]", ".", yes, (false, true));
    cell("write_dirs: [src]", "src", yes, yes);
    cell("no_read_dirs: [src/gen], write_dirs: [src]", "src", (true, true), yes);
    cell("no_read_dirs: ['**/secret'], write_dirs: [src]", "src", (true, true), yes);
    cell("no_read_dirs: ['**/secret']", "**/secret", no, yes);
    cell("no_write_dirs: [src/*]", "src/*", yes, no);
    cell("write_dirs: [src/*, src/*/b]", "src/*", yes, yes);
    cell("write_dirs: [src], no_write_file_ext_names: [md]", "src", yes, (true, true));
    cell("read_file_ext_names: [md], write_dirs: [src]", "src", (true, true), yes);
    cell("write_dirs: [src, ..]", "src", yes, no);
    cell("read_dirs: [src]", ".minds", no, no);
    // Reserved areas are the same for all members.
    cell("no_write_dirs: [.minds, '*.tsk'], no_read_dirs: ['**/*.tsk']", ".", yes, yes);
    cell("no_read_dirs: [src], read_dirs: [src/gen]", "src", no, yes);
}

#[test]
fn there_is_no_team_without_a_file() {
    let path = |path: &str| WorkspacePath::parse(path).unwrap();
    assert!(TeamAccess::load(&Snapshot::new()).is_none());
    assert!(TeamAccess::load(&Snapshot::new().with_file(path(".minds/llm.yaml"), "[")).is_none());
}

#[test]
fn if_the_directory_cannot_be_listed_all_access_is_denied() {
    let mut snapshot = Snapshot::new();
    let folder = Location::new(MountId::WORKSPACE, WorkspacePath::parse(".minds").unwrap());
    snapshot.insert(folder, SnapshotEntry::Unreadable { reason: "permission denied".to_owned() });
    let team = TeamAccess::load(&snapshot).expect("a team may exist");
    assert_eq!(team.errors(), 1);
    for access in [Access::Read, Access::Write] {
        let reason = team.member("a").unwrap().decide(access, "src").reason;
        assert_eq!(reason.code(), "invalid-policy");
    }
}

#[test]
fn the_number_of_steps_is_limited() {
    let entries = ["src", "../x"].map(|entry| vec![entry; 1_000].join(", "));
    for entries in entries {
        let team = team(&format!("members: {{a: {{no_write_dirs: [{entries}]}}}}\n"));
        let explanation = team.member("a").unwrap().explain(Access::Write, "src");
        assert_eq!((explanation.steps.len(), explanation.obstacle), (100, Some(Obstacle::TooMany)));
    }
}

/// Each step compiles all entries again, and repairing looks for the next invalid one.
#[test]
fn very_long_lists_have_fewer_steps() {
    for (entry, last) in [("src", "src"), ("src", "../x"), ("other", "src")] {
        let mut entries = vec![entry; 20_000];
        entries.push(last);
        let team = team(&format!("members: {{a: {{no_write_dirs: [{}]}}}}\n", entries.join(", ")));
        let explanation = team.member("a").unwrap().explain(Access::Write, "src");
        let expected = if entry == "other" { (1, None) } else { (4, Some(Obstacle::TooMany)) };
        assert_eq!((explanation.steps.len(), explanation.obstacle), expected, "{entry}, {last}");
    }
}

#[test]
fn an_entry_that_would_allow_more_than_the_path_is_not_proposed() {
    let team = team("members: {a: {write_dirs: [src]}}\n");
    let proposed = |path: &str| {
        let explanation = team.member("a").unwrap().explain(Access::Write, path);
        explanation.steps.first().and_then(|step| step.entry.entry.clone())
    };
    assert_eq!(proposed("docs/a.md").as_deref(), Some("docs"));
    assert_eq!(proposed("docs/a*.md").as_deref(), Some("docs"));
    assert_eq!(proposed("README.md").as_deref(), Some("README.md"));
    assert_eq!(proposed("**/a"), None);
    assert_eq!(proposed("").as_deref(), Some("."));
}

#[test]
fn a_filter_selects_members_directories_and_operations() {
    let team = team("members:\n  a: {write_dirs: [src, docs/x]}\n  b: {no_read_dirs: [docs, src/gen]}\n");
    let mut filter =
        MatrixFilter { members: vec!["b".to_owned()], access: Some(Access::Read), ..MatrixFilter::default() };
    filter.add_path("./docs//").unwrap();
    filter.add_path("src/none").unwrap();
    assert!(filter.add_path("../x").is_err());
    let matrix = team.matrix(&filter).unwrap();
    assert_eq!(matrix.members(), ["b"]);
    let rows: Vec<&str> = matrix.directories().collect();
    assert_eq!(rows, ["docs", "docs/x", "src/none"]);
    assert!(matrix.rows().all(|row| row.cells.len() == 1 && row.cells[0].write.is_none()));
    let allowed: Vec<bool> = matrix.rows().map(|row| row.cells[0].read.unwrap().allowed).collect();
    assert_eq!(allowed, [false, false, true]);
}

fn with_own_directories(members: usize) -> TeamAccess {
    let members: Vec<String> =
        (0..members).map(|at| format!("  m{at}: {{write_dirs: [dir-{at}]}}\n")).collect();
    team(&format!("members:\n{}", members.concat()))
}

#[test]
fn a_matrix_that_is_too_large_is_refused_with_its_size() {
    let team = with_own_directories(1_500);
    let size = team.matrix(&MatrixFilter::default()).unwrap_err();
    assert!(size.directories > 1_500 && size.members >= 1_500, "{size}");
    let filter = MatrixFilter { members: vec!["m7".to_owned()], ..MatrixFilter::default() };
    assert_eq!(team.matrix(&filter).unwrap().members(), ["m7"]);
}

/// The size is determined without a comparison of all members with all directories, which would take minutes here.
#[test]
fn a_matrix_of_very_many_members_is_refused_at_once() {
    let size = with_own_directories(20_000).matrix(&MatrixFilter::default()).unwrap_err();
    assert!(size.directories > 20_000 && size.members >= 20_000, "{size}");
}

#[test]
fn a_thousand_members_have_a_directory_each() {
    let team = with_own_directories(1_000);
    let matrix = team.matrix(&MatrixFilter::default()).unwrap();
    assert_eq!(matrix.directories().next(), Some("."));
    let row = matrix.rows_of(500..502).find(|row| row.directory == "dir-501").unwrap();
    let allowed: Vec<bool> = row.cells.iter().map(|cell| cell.write.unwrap().allowed).collect();
    assert_eq!(allowed, [false, true]);
}

/// The work grows with the product of directories, entries and the entries that each decision compares.
#[test]
fn many_patterns_of_one_member_are_refused() {
    let patterns = |count: usize| {
        let entries: Vec<String> = (0..count).map(|at| format!("'**/*x{at}*/y'")).collect();
        team(&format!("members: {{a: {{no_write_dirs: [{}]}}}}\n", entries.join(", ")))
    };
    assert!(patterns(1_500).matrix(&MatrixFilter::default()).is_err());
    let matrix = patterns(30).matrix(&MatrixFilter::default()).unwrap();
    assert!(matrix.rows().any(|row| row.cells[0].write.is_some_and(|right| right.partial)));
}
