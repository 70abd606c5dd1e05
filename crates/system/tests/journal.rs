//! What a journal is good for, and which one is trusted.
#![cfg(unix)]
#![allow(
    clippy::disallowed_methods,
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test reads what it needs, and may stop at once"
)]

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;

use minds_document::{Change, ChangeSet, Expected, FileMode};
use minds_paths::{Location, MountId, WorkspacePath};
use minds_system::faults::{Fault, Plan, run};
use minds_system::{ApplyError, Root};

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

/// Returns a folder in which a process died after it had written down that `a` and `b` become new.
fn left_behind() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for name in ["a", "b"] {
        fs::write(folder.path().join(name), "old").unwrap();
    }
    let root = open(folder.path());
    let changes = set(&[("a", "new"), ("b", "new")]);
    let (_, calls) = run(Plan::none(), || root.apply(&changes));
    for name in ["a", "b"] {
        fs::write(folder.path().join(name), "old").unwrap();
    }
    // The state is written in place, and nothing else is.
    let committed = calls.iter().position(|call| *call == "pwrite").unwrap();
    let dies = Plan::at(u64::try_from(committed + 2).unwrap(), Fault::FailFrom(INPUT_OUTPUT));
    let (applied, _) = run(dies, || root.apply(&changes));
    assert!(matches!(applied, Err(ApplyError::HalfDone { .. })), "{applied:?}");
    assert!(folder.path().join(JOURNAL).exists());
    assert_eq!((text(folder.path(), "a"), text(folder.path(), "b")), ("old".to_owned(), "old".to_owned()));
    folder
}

#[test]
fn the_next_change_finishes_what_was_written_down() {
    let folder = left_behind();
    open(folder.path()).apply(&set(&[("c", "c")])).unwrap();
    for name in ["a", "b"] {
        assert_eq!(text(folder.path(), name), "new");
    }
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 3);
}

#[test]
fn what_somebody_changed_in_between_stays() {
    let folder = left_behind();
    fs::write(folder.path().join("a"), "theirs").unwrap();
    open(folder.path()).apply(&set(&[("c", "c")])).unwrap();
    assert_eq!(text(folder.path(), "a"), "theirs");
    assert_eq!(text(folder.path(), "b"), "new");
    // Not even what became something else, or leads away.
    let folder = left_behind();
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
fn a_journal_that_came_with_a_copy_is_not_trusted() {
    let folder = left_behind();
    let copies = tempfile::tempdir().unwrap();
    let copy = copies.path().join("copy");
    assert!(Command::new("cp").arg("-a").arg(folder.path()).arg(&copy).status().unwrap().success());
    let applied = open(&copy).apply(&set(&[("c", "c"), ("d", "d")]));
    assert!(matches!(applied, Err(ApplyError::Io { .. })), "{applied:?}");
    let error = open(&copy).scoped().make_directory(&WorkspacePath::parse("made").unwrap()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "cannot make the directory `made`: it is a journal that was not written here; remove it"
    );
    assert_eq!((text(&copy, "a"), text(&copy, "b")), ("old".to_owned(), "old".to_owned()));
    fs::remove_file(copy.join(JOURNAL)).unwrap();
    open(&copy).apply(&set(&[("c", "c"), ("d", "d")])).unwrap();
    assert_eq!(text(&copy, "d"), "d");
}

#[test]
fn names_of_temporary_files_are_nobodys() {
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
fn sets_of_several_processes_come_one_after_the_other() {
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
                        // Another one may be quicker between the look at the files and the change.
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
fn what_is_there_already_takes_no_step() {
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
