//! All changes of a set are made, or none: a failure leaves the disk byte for byte unchanged.
#![cfg(unix)]

use crate::support;

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;

use minds_fs::faults::{Plan, run_observed};
use minds_fs::{ApplyError, Root};
use minds_vfs::{
    Change, ChangeSet, ContentHash, Expected, FileMode, Location, MountId, Scope, WorkspacePath,
};

fn at(path: &str) -> Location {
    Location::new(MountId::WORKSPACE, WorkspacePath::parse(path).unwrap())
}

fn write(text: &str, expected: Expected) -> Change {
    Change::Write { bytes: text.into(), mode: FileMode::Regular, expected }
}

fn set(changes: &[(&str, Change)]) -> ChangeSet {
    let mut set = ChangeSet::new();
    for (path, change) in changes {
        set.add(at(path), change.clone()).unwrap();
    }
    set
}

/// Returns all entries below a directory without permissions: kinds, contents and targets, by path.
fn tree(root: &Path) -> BTreeMap<String, String> {
    support::list_entries(root).into_iter().map(|(path, (_, what))| (path, what)).collect()
}

fn workspace() -> (tempfile::TempDir, Root) {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("old.md"), "old").unwrap();
    fs::create_dir(folder.path().join("docs")).unwrap();
    fs::write(folder.path().join("docs/a.md"), "a").unwrap();
    symlink("old.md", folder.path().join("link")).unwrap();
    let root = Root::open(folder.path(), MountId::WORKSPACE).unwrap();
    (folder, root)
}

#[test]
fn every_kind_of_change_is_applied() {
    let (folder, root) = workspace();
    let old = ContentHash::of(b"old");
    root.apply(&set(&[
        ("new/deep/file.md", write("new", Expected::Absent)),
        ("old.md", write("newer", Expected::Content(old))),
        ("made/empty", Change::MakeDirectory),
        ("docs/a.md", Change::Move { to: at("moved/a.md") }),
        ("also", Change::Link { target: "old.md".into() }),
        ("link", Change::Remove { expected: Expected::Any }),
    ]))
    .unwrap();
    let expected = [
        ("also", "link to old.md"),
        ("docs", "directory"),
        ("made", "directory"),
        ("made/empty", "directory"),
        ("moved", "directory"),
        ("moved/a.md", "a"),
        ("new", "directory"),
        ("new/deep", "directory"),
        ("new/deep/file.md", "new"),
        ("old.md", "newer"),
    ];
    let expected: BTreeMap<String, String> =
        expected.iter().map(|(path, what)| ((*path).to_owned(), (*what).to_owned())).collect();
    assert_eq!(tree(folder.path()), expected);
}

#[test]
fn new_files_get_the_requested_mode() {
    let (folder, root) = workspace();
    for (mode, bits) in
        [(FileMode::Regular, 0o600), (FileMode::Executable, 0o700), (FileMode::Private, 0o600)]
    {
        let path = format!("{mode:?}");
        let change = Change::Write { bytes: b"x".to_vec(), mode, expected: Expected::Absent };
        root.apply(&set(&[(&path, change)])).unwrap();
        let found = fs::metadata(folder.path().join(path)).unwrap().permissions().mode();
        assert_eq!(found & 0o700, bits, "{mode:?}");
        assert!(mode != FileMode::Private || (found & 0o077) < 0o1);
    }
}

#[test]
fn a_replaced_file_keeps_its_permissions() {
    let (folder, root) = workspace();
    let place = folder.path().join("old.md");
    for bits in [0o640, 0o600, 0o664, 0o755, 0o700, 0o604] {
        fs::set_permissions(&place, fs::Permissions::from_mode(bits)).unwrap();
        let location = at("old.md");
        let snapshot = root.snapshot(&Scope::of_files([location.clone()]));
        let Some(minds_vfs::SnapshotEntry::File { mode, .. }) = snapshot.get(&location) else {
            unreachable!("it is a file")
        };
        let change = Change::Write { bytes: b"new".to_vec(), mode: *mode, expected: Expected::Any };
        root.apply(&set(&[("old.md", change)])).unwrap();
        assert_eq!(fs::metadata(&place).unwrap().permissions().mode() & 0o7777, bits, "{bits:o}");
    }
    fs::set_permissions(&place, fs::Permissions::from_mode(0o444)).unwrap();
    let applied = root.apply(&set(&[("old.md", write("x", Expected::Any))]));
    assert!(matches!(applied, Err(ApplyError::Unexpected { found: "is read-only", .. })), "{applied:?}");
}

#[track_caller]
fn expect_refusal(changes: &[(&str, Change)]) {
    let (folder, root) = workspace();
    let before = tree(folder.path());
    let applied = root.apply(&set(changes));
    assert!(matches!(applied, Err(ApplyError::Unexpected { .. })), "{applied:?}");
    assert_eq!(tree(folder.path()), before);
}

#[test]
fn an_unexpected_state_prevents_all_changes() {
    let good = || ("first.md", write("1", Expected::Absent));
    expect_refusal(&[good(), ("old.md", write("2", Expected::Absent))]);
    expect_refusal(&[good(), ("link", write("2", Expected::Absent))]);
    expect_refusal(&[good(), ("old.md", write("2", Expected::Content(ContentHash::of(b"other"))))]);
    expect_refusal(&[good(), ("nowhere.md", write("2", Expected::Content(ContentHash::of(b"other"))))]);
    expect_refusal(&[good(), ("docs", write("2", Expected::Any))]);
    expect_refusal(&[good(), ("link", write("2", Expected::Any))]);
    expect_refusal(&[good(), ("link", write("2", Expected::Content(ContentHash::of(b"old"))))]);
    expect_refusal(&[good(), ("old.md", Change::MakeDirectory)]);
    expect_refusal(&[good(), ("nowhere.md", Change::Move { to: at("x") })]);
    expect_refusal(&[good(), ("docs/a.md", Change::Move { to: at("old.md") })]);
    expect_refusal(&[good(), ("old.md", Change::Link { target: "x".into() })]);
    expect_refusal(&[good(), ("docs", Change::Remove { expected: Expected::Any })]);
}

#[test]
fn a_failure_in_the_middle_undoes_earlier_changes() {
    let (folder, root) = workspace();
    symlink("/somewhere/else", folder.path().join("far")).unwrap();
    let before = tree(folder.path());
    // The last change, in path order, is below a file.
    let applied = root.apply(&set(&[
        ("a/b/c.md", write("1", Expected::Absent)),
        ("docs/a.md", Change::Move { to: at("moved.md") }),
        ("far", Change::Remove { expected: Expected::Any }),
        ("link", Change::Remove { expected: Expected::Any }),
        ("old.md/below.md", write("2", Expected::Absent)),
    ]));
    assert!(matches!(applied, Err(ApplyError::Io { .. })), "{applied:?}");
    assert_eq!(tree(folder.path()), before);
}

#[test]
fn replaced_and_removed_files_are_restored() {
    let (folder, root) = workspace();
    fs::write(folder.path().join("zzz"), "a file").unwrap();
    let before = tree(folder.path());
    let applied = root.apply(&set(&[
        ("docs/a.md", Change::Remove { expected: Expected::Content(ContentHash::of(b"a")) }),
        ("old.md", write("newer", Expected::Any)),
        ("zzz/below.md", write("2", Expected::Absent)),
    ]));
    assert!(applied.is_err());
    assert_eq!(tree(folder.path()), before);
}

#[test]
fn nothing_outside_is_reached() {
    let outside = tempfile::tempdir().unwrap();
    let (folder, root) = workspace();
    symlink(outside.path(), folder.path().join("out")).unwrap();
    let applied = root.apply(&set(&[("out/x.md", write("1", Expected::Absent))]));
    assert!(applied.is_err(), "{applied:?}");
    assert!(tree(outside.path()).is_empty());
    let other = Location::new(MountId::new("home"), WorkspacePath::parse("x").unwrap());
    let mut elsewhere = ChangeSet::new();
    elsewhere.add(other, write("1", Expected::Absent)).unwrap();
    assert!(matches!(root.apply(&elsewhere), Err(ApplyError::OtherMount { .. })));
}

#[test]
fn leftovers_of_a_crash_do_not_prevent_changes() {
    let (folder, root) = workspace();
    fs::write(folder.path().join(".new.md.minds-new"), "half").unwrap();
    root.apply(&set(&[("new.md", write("whole", Expected::Absent))])).unwrap();
    let found = tree(folder.path());
    assert_eq!(found.get("new.md").map(String::as_str), Some("whole"));
    assert!(!found.contains_key(".new.md.minds-new"));
}

#[test]
fn a_directory_is_not_created_at_a_dangling_link() {
    let (folder, root) = workspace();
    symlink("nowhere", folder.path().join("dangling")).unwrap();
    let before = tree(folder.path());
    for second in ["dangling/a/b", "docs/c"] {
        let changes =
            set(&[("dangling/a/x", write("1", Expected::Any)), (second, write("2", Expected::Any))]);
        let error = root.apply(&changes).unwrap_err();
        assert!(error.to_string().contains("nothing was changed"), "{error}");
        assert_eq!(tree(folder.path()), before);
    }
    root.apply(&set(&[("docs/c", write("3", Expected::Any))])).unwrap();
}

#[test]
fn an_entry_in_place_of_a_new_directory_does_not_prevent_undoing() {
    let (folder, root) = workspace();
    let place = folder.path().join("made");
    let come = move |_, name| {
        if name == "mkdirat" {
            fs::write(&place, "foreign").unwrap();
        }
    };
    let changes = set(&[("made/a", write("1", Expected::Any)), ("docs/a.md", write("2", Expected::Any))]);
    let (applied, _) = run_observed(Plan::none(), come, || root.apply(&changes));
    let error = applied.unwrap_err();
    assert!(error.to_string().contains("nothing was changed"), "{error}");
    assert_eq!(tree(folder.path())["made"], "foreign");
    root.apply(&set(&[("docs/a.md", write("3", Expected::Any))])).unwrap();
}

/// A preview accepts exactly the changes that applying accepts.
#[test]
fn invalid_names_are_refused_before_any_change() {
    let write = || write("x", Expected::Absent);
    let long = "x".repeat(256);
    let bad =
        ["CON", "a:b", "a.", "a ", "a\u{200b}", "a\u{2028}b", "e\u{301}", ".a.minds-new", long.as_str()];
    for (name, is_good) in bad.iter().map(|name| (*name, false)).chain([("good", true), ("日本", true)]) {
        let cases = [
            (at(name), write()),
            (at(&format!("new/{name}")), write()),
            (at(&format!("{name}/x")), write()),
            (at(&format!("there/{name}/deep/x")), write()),
            (at(name), Change::MakeDirectory),
            (at(name), Change::Link { target: "there".to_owned() }),
            (at("there/file"), Change::Move { to: at(name) }),
        ];
        for (location, change) in cases {
            let folder = tempfile::tempdir().unwrap();
            fs::create_dir(folder.path().join("there")).unwrap();
            fs::write(folder.path().join("there/file"), "").unwrap();
            let root = Root::open(folder.path(), MountId::WORKSPACE).unwrap();
            let mut set = ChangeSet::new();
            let what = format!("{name:?}: {location} {change:?}");
            set.add(location, change).unwrap();
            let promised = root.expect_states(&set);
            assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "{what}");
            let applied = root.apply(&set);
            assert_eq!((promised.is_ok(), applied.is_ok()), (is_good, is_good), "{what}");
        }
    }
}
