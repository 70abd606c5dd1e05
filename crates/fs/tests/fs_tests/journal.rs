//! Recovery from journals, and which journals are trusted.
#![cfg(unix)]

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;

use minds_fs::faults::{Fault, Plan, run, run_observed};
use minds_fs::{ApplyError, Root};
use minds_vfs::{Change, ChangeSet, ContentHash, Expected, FileMode, Location, MountId, WorkspacePath};

const INPUT_OUTPUT: i32 = 5;
const JOURNAL: &str = ".minds-journal";

fn at(path: &str) -> Location {
    Location::new(MountId::WORKSPACE, WorkspacePath::parse(path).unwrap())
}

fn set(changes: &[(&str, &str)]) -> ChangeSet {
    let mut set = ChangeSet::new();
    for (path, text) in changes {
        let bytes = text.as_bytes().to_vec();
        let change = Change::Write { bytes, mode: FileMode::Regular, expected: Expected::Any };
        set.add(at(path), change).unwrap();
    }
    set
}

fn open(folder: &Path) -> Root {
    Root::open(folder, MountId::WORKSPACE).unwrap()
}

fn text(folder: &Path, name: &str) -> String {
    fs::read_to_string(folder.join(name)).unwrap()
}

fn old_files() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for name in ["a", "b"] {
        fs::write(folder.path().join(name), "old").unwrap();
    }
    folder
}

/// Returns a folder in which a process died after it had recorded changes of `a` and `b`.
fn interrupted_folder() -> tempfile::TempDir {
    let folder = old_files();
    interrupt_changes(folder.path());
    folder
}

fn interrupt_changes(folder: &Path) {
    let root = open(folder);
    let changes = set(&[("a", "new"), ("b", "new")]);
    let (_, calls) = run(Plan::none(), || root.apply(&changes));
    for name in ["a", "b"] {
        fs::write(folder.join(name), "old").unwrap();
    }
    // The state is overwritten in place, and nothing else.
    let committed = calls.iter().position(|call| *call == "pwrite").unwrap();
    let dies = Plan::at(u64::try_from(committed + 2).unwrap(), Fault::FailFrom(INPUT_OUTPUT));
    let (applied, _) = run(dies, || root.apply(&changes));
    assert!(matches!(applied, Err(ApplyError::HalfDone { .. })), "{applied:?}");
    assert!(folder.join(JOURNAL).exists());
    assert_eq!((text(folder, "a"), text(folder, "b")), ("old".to_owned(), "old".to_owned()));
}

/// Returns an observer that acts once, before the `nth` call with this name.
fn act_once_before(
    name: &'static str,
    nth: usize,
    act: impl Fn() + 'static,
) -> impl FnMut(u64, &'static str) + 'static {
    let mut seen = 0;
    move |_, call| {
        seen += usize::from(call == name);
        if call == name && seen == nth {
            act();
        }
    }
}

/// If a process dies while undoing changes, the next process undoes them.
#[test]
fn an_interrupted_undo_is_completed() {
    let attempt = |plan| {
        let folder = old_files();
        let (top, root) = (folder.path().to_owned(), open(folder.path()));
        // When the first file is already new, the second one is changed externally.
        let observer = act_once_before("renameat2", 1, move || fs::write(top.join("b"), "theirs").unwrap());
        let changes = set(&[("a", "new"), ("b", "new")]);
        let (applied, calls) = run_observed(plan, observer, || root.apply(&changes));
        (folder, applied, calls)
    };
    let (folder, applied, calls) = attempt(Plan::none());
    assert!(matches!(applied, Err(ApplyError::Unexpected { .. })), "{applied:?}");
    assert_eq!((text(folder.path(), "a"), text(folder.path(), "b")), ("old".to_owned(), "theirs".to_owned()));
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
    let abandoned = calls.iter().rposition(|call| *call == "pwrite").unwrap();
    let dies = Plan::at(u64::try_from(abandoned + 3).unwrap(), Fault::FailFrom(INPUT_OUTPUT));
    let (folder, applied, _) = attempt(dies);
    assert!(matches!(applied, Err(ApplyError::HalfDone { .. })), "{applied:?}");
    assert_eq!(text(folder.path(), "a"), "new");
    open(folder.path()).apply(&set(&[("c", "c")])).unwrap();
    assert_eq!((text(folder.path(), "a"), text(folder.path(), "b")), ("old".to_owned(), "theirs".to_owned()));
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 3);
}

/// A process that waits for another process which dies recovers its changes first.
#[test]
fn a_journal_of_a_process_that_died_during_the_wait_is_completed() {
    let folder = old_files();
    let (top, root) = (folder.path().to_owned(), open(folder.path()));
    let observer = act_once_before("openat2", 1, move || interrupt_changes(&top));
    let changes = set(&[("c", "c"), ("d", "d")]);
    let (applied, _) = run_observed(Plan::none(), observer, || root.apply(&changes));
    applied.unwrap();
    for (name, expected) in [("a", "new"), ("b", "new"), ("c", "c"), ("d", "d")] {
        assert_eq!(text(folder.path(), name), expected, "{name}");
    }
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 4);
}

/// A file that was changed after the check is not overwritten.
#[test]
fn changes_between_check_and_plan_are_detected() {
    let folder = old_files();
    let (top, root) = (folder.path().to_owned(), open(folder.path()));
    let observer = act_once_before("flock", 1, move || fs::write(top.join("a"), "theirs").unwrap());
    let mut changes = set(&[("b", "new")]);
    let expected = Expected::Content(ContentHash::of(b"old"));
    changes.add(at("a"), Change::Write { bytes: b"new".into(), mode: FileMode::Regular, expected }).unwrap();
    let (applied, _) = run_observed(Plan::none(), observer, || root.apply(&changes));
    assert!(matches!(applied, Err(ApplyError::Unexpected { found: "has changed", .. })), "{applied:?}");
    assert_eq!((text(folder.path(), "a"), text(folder.path(), "b")), ("theirs".to_owned(), "old".to_owned()));
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
}

#[test]
fn the_next_change_completes_recorded_changes() {
    let folder = interrupted_folder();
    open(folder.path()).apply(&set(&[("c", "c")])).unwrap();
    for name in ["a", "b"] {
        assert_eq!(text(folder.path(), name), "new");
    }
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 3);
}

#[test]
fn external_changes_in_between_are_kept() {
    let folder = interrupted_folder();
    fs::write(folder.path().join("a"), "theirs").unwrap();
    open(folder.path()).apply(&set(&[("c", "c")])).unwrap();
    assert_eq!(text(folder.path(), "a"), "theirs");
    assert_eq!(text(folder.path(), "b"), "new");
    // Even an entry of another kind, or a link to another place.
    let folder = interrupted_folder();
    fs::remove_file(folder.path().join("a")).unwrap();
    symlink("b", folder.path().join("a")).unwrap();
    fs::remove_file(folder.path().join("b")).unwrap();
    fs::create_dir(folder.path().join("b")).unwrap();
    open(folder.path()).apply(&set(&[("c", "c")])).unwrap();
    assert!(fs::symlink_metadata(folder.path().join("a")).unwrap().is_symlink());
    assert!(folder.path().join("b").is_dir());
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 3);
}

#[test]
fn a_copied_journal_is_not_trusted() {
    let folder = interrupted_folder();
    let copies = tempfile::tempdir().unwrap();
    let copy = copies.path().join("copy");
    assert!(Command::new("cp").arg("-a").arg(folder.path()).arg(&copy).status().unwrap().success());
    let applied = open(&copy).apply(&set(&[("c", "c"), ("d", "d")]));
    assert!(matches!(applied, Err(ApplyError::Io { .. })), "{applied:?}");
    let error = open(&copy).no_follow().make_directory(&WorkspacePath::parse("made").unwrap()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "cannot use `.minds-journal`: it is a journal that `minds` did not write in this directory; remove it"
    );
    assert_eq!((text(&copy, "a"), text(&copy, "b")), ("old".to_owned(), "old".to_owned()));
    fs::remove_file(copy.join(JOURNAL)).unwrap();
    open(&copy).apply(&set(&[("c", "c"), ("d", "d")])).unwrap();
    assert_eq!(text(&copy, "d"), "d");
}

#[test]
fn names_of_temporary_files_are_reserved() {
    let folder = tempfile::tempdir().unwrap();
    for name in [".a.minds-new", ".minds-journal", ".0-1.minds-set", ".x.minds-lock"] {
        for changes in [set(&[(name, "x")]), set(&[(name, "x"), ("b", "b")])] {
            let applied = open(folder.path()).apply(&changes);
            assert!(matches!(applied, Err(ApplyError::Io { .. })), "{name}: {applied:?}");
            assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0, "{name}");
        }
    }
}

#[test]
fn change_sets_of_several_processes_are_serialized() {
    let folder = tempfile::tempdir().unwrap();
    std::thread::scope(|scope| {
        for worker in 0..4 {
            let folder = folder.path();
            scope.spawn(move || {
                let root = open(folder);
                for round in 0..10 {
                    let text = format!("{worker} {round}");
                    let changes = set(&[("a", &text), ("deep/b", &text), ("deep/er/c", &text)]);
                    match root.apply(&changes) {
                        // Another process may be faster between the check and the change.
                        Ok(()) | Err(ApplyError::Unexpected { .. }) => {}
                        Err(error) => panic!("{error}"),
                    }
                }
            });
        }
    });
    let one = text(folder.path(), "a");
    assert_eq!(text(folder.path(), "deep/b"), one);
    assert_eq!(text(folder.path(), "deep/er/c"), one);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
}

#[test]
fn existing_state_needs_no_step() {
    let folder = tempfile::tempdir().unwrap();
    let root = open(folder.path());
    let changes = set(&[("a", "1"), ("deep/b", "2")]);
    root.apply(&changes).unwrap();
    let (applied, calls) = run(Plan::none(), || root.apply(&changes));
    applied.unwrap();
    for call in ["write", "renameat2", "renameat", "mkdirat", "pwrite"] {
        assert!(!calls.contains(&call), "{calls:?}");
    }
}

/// Returns the positions of calls that must occur in this order.
#[track_caller]
fn expect_order(calls: &[&str], expected: &[&str]) {
    let mut rest = calls.iter();
    for name in expected {
        assert!(rest.any(|call| call == name), "no `{name}` in its place: {calls:?}");
    }
}

#[test]
fn the_journal_is_on_disk_before_the_changes() {
    let folder = old_files();
    let root = open(folder.path());
    let (applied, calls) = run(Plan::none(), || root.apply(&set(&[("a", "new")])));
    applied.unwrap();
    assert!(calls.ends_with(&["write", "fchmod", "fdatasync", "renameat", "fsync"]), "{calls:?}");
    let (applied, calls) = run(Plan::none(), || root.apply(&set(&[("a", "newer"), ("b", "newer")])));
    applied.unwrap();
    let journal = ["write", "fdatasync", "fsync"];
    let contents = ["write", "fdatasync", "write", "fdatasync", "fsync"];
    let decided = ["pwrite", "fdatasync"];
    let made = ["renameat2", "renameat2", "fsync"];
    let cleared = ["unlinkat", "unlinkat", "unlinkat", "fsync"];
    expect_order(&calls, &[&journal[..], &contents, &decided, &made, &cleared].concat());
    let first = calls.iter().position(|call| *call == "renameat2").unwrap();
    assert_eq!(calls[..first].iter().filter(|call| **call == "fdatasync").count(), 4, "{calls:?}");
}
