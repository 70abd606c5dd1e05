//! What another process does at the one moment at which it matters.

use std::cell::Cell;
use std::fs;

use minds_document::{ContentHash, Expected, FileMode};
use minds_system::faults::{Plan, run_observed};
use minds_system::{FileError, FileErrorKind, Sharing, View};

use crate::tree::{Tree, path};

/// Does something, and `meanwhile` once before the call with this name that comes as the `nth`.
fn disturbed<T>(
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
    let view = tree.root.scoped();
    run_observed(Plan::none(), observer, || act(&view)).0.map_err(|error| error.kind())
}

fn text(tree: &Tree, name: &str) -> String {
    fs::read_to_string(tree.place(name)).unwrap()
}

#[test]
fn a_temporary_file_that_was_swept_before_it_was_locked_is_made_again() {
    let tree = Tree::new();
    let swept = |top: &std::path::Path| fs::remove_file(top.join("dir/.inner.minds-new")).unwrap();
    let done = disturbed(&tree, ("flock", 1), swept, |view| {
        view.replace(&path("dir/inner"), b"new", FileMode::Regular, Expected::Any)
    });
    assert_eq!(done, Ok(()));
    assert_eq!(text(&tree, "dir/inner"), "new");
}

#[test]
fn a_temporary_file_is_not_taken_for_the_one_that_had_its_name() {
    let tree = Tree::new();
    fs::write(tree.place("dir/.other.minds-new"), "stale").unwrap();
    let exchanged = |top: &std::path::Path| {
        fs::rename(top.join("dir/.other.minds-new"), top.join("dir/other")).unwrap();
        fs::write(top.join("dir/.other.minds-new"), "live").unwrap();
    };
    let done = disturbed(&tree, ("flock", 1), exchanged, |view| view.make_directory(&path("dir/made")));
    assert_eq!(done, Ok(()));
    assert_eq!(text(&tree, "dir/.other.minds-new"), "live");
}

#[test]
fn a_lock_that_went_with_its_last_owner_is_made_again() {
    let tree = Tree::new();
    let left = |top: &std::path::Path| fs::remove_file(top.join("dir/.inner.minds-lock")).unwrap();
    let lock = disturbed(&tree, ("flock", 1), left, |view| view.lock(&path("dir/inner"), Sharing::Exclusive));
    assert!(lock.is_ok());
    assert!(tree.place("dir/.inner.minds-lock").exists());
    let other = tree.root.scoped().place(&path("dir/inner")).unwrap();
    assert!(other.try_lock(Sharing::Exclusive).unwrap().is_none());
}

#[test]
fn what_is_appended_goes_to_the_file_that_has_the_name_by_then() {
    let tree = Tree::new();
    let replaced = |top: &std::path::Path| {
        fs::write(top.join("newer"), "newer").unwrap();
        fs::rename(top.join("newer"), top.join("dir/inner")).unwrap();
    };
    let done = disturbed(&tree, ("flock", 1), replaced, |view| {
        view.append(&path("dir/inner"), b"!", FileMode::Regular)
    });
    assert_eq!(done, Ok(()));
    assert_eq!(text(&tree, "dir/inner"), "newer!");
}

#[test]
fn what_was_compared_is_what_is_replaced() {
    let tree = Tree::new();
    let expected = Expected::Content(ContentHash::of(b"inner"));
    let replaced = |top: &std::path::Path| {
        fs::write(top.join("newer"), "newer").unwrap();
        fs::rename(top.join("newer"), top.join("dir/inner")).unwrap();
    };
    // The first read is that of the file that is compared.
    let done = disturbed(&tree, ("read", 1), replaced, |view| {
        view.replace(&path("dir/inner"), b"new", FileMode::Regular, expected)
    });
    assert_eq!(done, Err(FileErrorKind::Changed));
    assert_eq!(text(&tree, "dir/inner"), "newer");
}

#[test]
fn whoever_appends_is_waited_for_by_whoever_replaces() {
    let tree = Tree::new();
    // Somebody who appends has the file, and replacing it does not get past that.
    let file = fs::File::options().append(true).open(tree.place("dir/inner")).unwrap();
    file.lock().unwrap();
    let done = std::thread::scope(|scope| {
        let replacing = scope.spawn(|| {
            let replaced =
                tree.root.scoped().replace(&path("dir/inner"), b"new", FileMode::Regular, Expected::Any);
            replaced.map_err(|error| error.kind())
        });
        while !tree.place("dir/.inner.minds-new").exists() && !replacing.is_finished() {
            std::thread::yield_now();
        }
        // It has got as far as its temporary file; the file itself is as it was as long as it is locked.
        for _ in 0..10_000 {
            assert_eq!(text(&tree, "dir/inner"), "inner");
            std::thread::yield_now();
        }
        file.unlock().unwrap();
        replacing.join().unwrap()
    });
    assert_eq!(done, Ok(()));
    assert_eq!(text(&tree, "dir/inner"), "new");
}

#[test]
fn what_somebody_put_in_the_place_of_a_temporary_file_is_not_written_to() {
    for kind in ["link", "hard link", "pipe"] {
        let tree = Tree::new();
        let outside = tree.outside();
        let planted = tree.place("dir/.inner.minds-new");
        match kind {
            "link" => std::os::unix::fs::symlink("../../outside/secret", &planted).unwrap(),
            "hard link" => fs::hard_link(tree.place("../outside/secret"), &planted).unwrap(),
            _ => fs::rename(tree.place("fifo"), &planted).unwrap(),
        }
        let view = tree.root.scoped();
        view.replace(&path("dir/inner"), b"new", FileMode::Regular, Expected::Any).unwrap();
        assert_eq!(text(&tree, "dir/inner"), "new", "{kind}");
        assert_eq!(tree.outside(), outside, "{kind}");
        assert!(fs::symlink_metadata(planted).is_err(), "{kind}");
    }
}

#[test]
fn a_lock_or_a_journal_that_leads_away_is_refused() {
    let tree = Tree::new();
    std::os::unix::fs::symlink("../../outside/secret", tree.place("dir/.inner.minds-lock")).unwrap();
    let view = tree.root.scoped();
    let refused = view.lock(&path("dir/inner"), Sharing::Exclusive).unwrap_err();
    assert_eq!(refused.kind(), FileErrorKind::Link);
    let outside = tree.outside();
    for name in ["out", "fifo", "hard", "dir"] {
        fs::rename(tree.place(name), tree.place(".minds-journal")).unwrap();
        assert!(view.make_directory(&path("made")).is_err(), "{name}");
        fs::rename(tree.place(".minds-journal"), tree.place(name)).unwrap();
    }
    assert_eq!(tree.outside(), outside);
    view.make_directory(&path("made")).unwrap();
}
