//! Changes by another process at a critical time.

use std::cell::Cell;
use std::fs;

use minds_fs::faults::{Plan, run_observed};
use minds_fs::{FileError, FileErrorKind, Sharing, View};
use minds_vfs::{Change, ChangeSet, ContentHash, Expected, FileMode, Location, MountId};

use crate::confined::tree::{Tree, path};

/// Runs an action, and `meanwhile` once before the `nth` call with this name.
fn run_with_interference<T>(
    tree: &Tree,
    (name, nth): (&'static str, usize),
    meanwhile: impl Fn(&std::path::Path) + 'static,
    act: impl FnOnce(&View<'_>) -> Result<T, FileError>,
) -> Result<T, FileErrorKind> {
    let (top, seen) = (tree.place(""), Cell::new(0));
    let observer = move |_, call: &'static str| {
        if call == name {
            seen.set(seen.get() + 1);
            if seen.get() == nth {
                meanwhile(&top);
            }
        }
    };
    let view = tree.root.no_follow();
    run_observed(Plan::none(), observer, || act(&view)).0.map_err(|error| error.kind())
}

fn text(tree: &Tree, name: &str) -> String {
    fs::read_to_string(tree.place(name)).unwrap()
}

#[test]
fn a_temporary_file_swept_before_it_was_locked_is_recreated() {
    let tree = Tree::new();
    let swept = |top: &std::path::Path| fs::remove_file(top.join("dir/.inner.minds-new")).unwrap();
    let done = run_with_interference(&tree, ("flock", 1), swept, |view| {
        view.replace(&path("dir/inner"), b"new", FileMode::Regular, Expected::Any)
    });
    assert_eq!(done, Ok(()));
    assert_eq!(text(&tree, "dir/inner"), "new");
}

#[test]
fn a_temporary_file_is_not_confused_with_its_predecessor() {
    let tree = Tree::new();
    fs::write(tree.place("dir/.other.minds-new"), "stale").unwrap();
    let exchanged = |top: &std::path::Path| {
        fs::rename(top.join("dir/.other.minds-new"), top.join("dir/other")).unwrap();
        fs::write(top.join("dir/.other.minds-new"), "live").unwrap();
    };
    let done =
        run_with_interference(&tree, ("flock", 1), exchanged, |view| view.make_directory(&path("dir/made")));
    assert_eq!(done, Ok(()));
    assert_eq!(text(&tree, "dir/.other.minds-new"), "live");
}

#[test]
fn a_lock_file_removed_by_its_last_holder_is_recreated() {
    let tree = Tree::new();
    let left = |top: &std::path::Path| fs::remove_file(top.join("dir/.inner.minds-lock")).unwrap();
    let lock = run_with_interference(&tree, ("flock", 1), left, |view| {
        view.lock(&path("dir/inner"), Sharing::Exclusive)
    });
    assert!(lock.is_ok());
    assert!(tree.place("dir/.inner.minds-lock").exists());
    let other = tree.root.no_follow().place(&path("dir/inner")).unwrap();
    assert!(other.try_lock(Sharing::Exclusive).unwrap().is_none());
}

#[test]
fn bytes_are_appended_to_the_current_file_of_that_name() {
    let tree = Tree::new();
    let replaced = |top: &std::path::Path| {
        fs::write(top.join("newer"), "newer").unwrap();
        fs::rename(top.join("newer"), top.join("dir/inner")).unwrap();
    };
    let done = run_with_interference(&tree, ("flock", 1), replaced, |view| {
        view.append(&path("dir/inner"), b"!", FileMode::Regular)
    });
    assert_eq!(done, Ok(()));
    assert_eq!(text(&tree, "dir/inner"), "newer!");
}

#[test]
fn the_compared_file_is_the_replaced_one() {
    let tree = Tree::new();
    let expected = Expected::Content(ContentHash::of(b"inner"));
    let replaced = |top: &std::path::Path| {
        fs::write(top.join("newer"), "newer").unwrap();
        fs::rename(top.join("newer"), top.join("dir/inner")).unwrap();
    };
    // The first read is that of the compared file.
    let done = run_with_interference(&tree, ("read", 1), replaced, |view| {
        view.replace(&path("dir/inner"), b"new", FileMode::Regular, expected)
    });
    assert_eq!(done, Err(FileErrorKind::Changed));
    assert_eq!(text(&tree, "dir/inner"), "newer");
}

#[test]
fn a_replacement_waits_for_an_append() {
    let tree = Tree::new();
    // The appending process holds the claim of the file, which the replacement needs.
    let claim = fs::File::create(tree.place("dir/.inner.minds-new")).unwrap();
    claim.lock().unwrap();
    let (inner, held) = (tree.place("dir/inner"), Cell::new(Some(claim)));
    let pauses = Cell::new(0);
    let observer = move |_, call: &'static str| {
        if call == "pause" {
            pauses.set(pauses.get() + 1);
            assert_eq!(fs::read_to_string(&inner).unwrap(), "inner");
            if pauses.get() == 3 {
                held.take();
            }
        }
    };
    let view = tree.root.no_follow();
    let replace = || view.replace(&path("dir/inner"), b"new", FileMode::Regular, Expected::Any);
    let (done, calls) = run_observed(Plan::none().with_simulated_time(), observer, replace);
    done.unwrap();
    assert_eq!(calls.iter().filter(|call| **call == "pause").count(), 3);
    assert_eq!(text(&tree, "dir/inner"), "new");
}

#[test]
fn a_foreign_object_with_a_temporary_name_is_not_written_to() {
    for kind in ["link", "hard link", "pipe"] {
        let tree = Tree::new();
        let outside = tree.outside();
        let planted = tree.place("dir/.inner.minds-new");
        match kind {
            "link" => std::os::unix::fs::symlink("../../outside/secret", &planted).unwrap(),
            "hard link" => fs::hard_link(tree.place("../outside/secret"), &planted).unwrap(),
            _ => fs::rename(tree.place("fifo"), &planted).unwrap(),
        }
        let view = tree.root.no_follow();
        view.replace(&path("dir/inner"), b"new", FileMode::Regular, Expected::Any).unwrap();
        assert_eq!(text(&tree, "dir/inner"), "new", "{kind}");
        assert_eq!(tree.outside(), outside, "{kind}");
        assert!(fs::symlink_metadata(planted).is_err(), "{kind}");
    }
}

#[test]
fn a_lock_or_a_journal_that_is_a_link_is_refused() {
    let tree = Tree::new();
    std::os::unix::fs::symlink("../../outside/secret", tree.place("dir/.inner.minds-lock")).unwrap();
    let view = tree.root.no_follow();
    let refused = view.lock(&path("dir/inner"), Sharing::Exclusive).unwrap_err();
    assert_eq!(refused.kind(), FileErrorKind::Link);
    let outside = tree.outside();
    for (name, what) in [
        ("out", "a symbolic link"),
        ("fifo", "not a regular file"),
        ("hard", "a journal that `minds` did not write"),
        ("dir", "a directory"),
    ] {
        fs::rename(tree.place(name), tree.place(".minds-journal")).unwrap();
        let refused = view.make_directory(&path("made")).unwrap_err();
        let said = refused.to_string();
        assert!(said.starts_with(&format!("cannot use `.minds-journal`: it is {what}")), "{name}: {said}");
        assert!(said.ends_with("remove it"), "{name}: {said}");
        let change = Change::Write { bytes: b"x".into(), mode: FileMode::Regular, expected: Expected::Any };
        let mut set = ChangeSet::new();
        set.add(Location::new(MountId::WORKSPACE, path("made")), change).unwrap();
        let refused = tree.root.apply(&set).unwrap_err().to_string();
        assert!(refused.starts_with("cannot change `.minds-journal`: it is"), "{name}: {refused}");
        fs::rename(tree.place(".minds-journal"), tree.place(name)).unwrap();
    }
    assert_eq!(tree.outside(), outside);
    view.make_directory(&path("made")).unwrap();
}
