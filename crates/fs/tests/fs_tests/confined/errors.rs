//! Error messages, and state that remains unchanged.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use minds_fs::faults::{Plan, run};
use minds_fs::{FileErrorKind, Sharing};
use minds_vfs::{Change, ChangeSet, ContentHash, Expected, FileMode, Location, MountId};

use crate::confined::tree::{Tree, path};

#[test]
fn errors_contain_the_path_below_the_root_but_no_absolute_path() {
    let tree = Tree::new();
    let host = tree.place("").display().to_string();
    for (at, expected) in [
        ("absolute", "cannot read `absolute`: it is a symbolic link that leads outside of the workspace"),
        ("dir/nowhere", "cannot read `dir/nowhere`: it does not exist"),
        ("dir", "cannot read `dir`: it is a directory"),
        ("fifo", "cannot read `fifo`: it is not a regular file"),
    ] {
        let error = tree.root.resolving().read(&path(at), 10).unwrap_err();
        assert_eq!(error.to_string(), expected);
        let everything = format!("{error:?}");
        assert!(!everything.contains(&host) && !everything.contains("outside/secret"), "{everything}");
        assert_eq!(error.location().path, path(at));
    }
}

#[test]
fn a_file_that_is_too_large_is_not_read() {
    let tree = Tree::new();
    let (said, calls) = run(Plan::none(), || tree.root.no_follow().read(&path("file"), 5));
    assert_eq!(said.unwrap_err().kind(), FileErrorKind::TooLarge);
    assert_eq!(calls, ["openat2", "fstat"]);
    let (said, calls) = run(Plan::none(), || tree.root.no_follow().read(&path("file"), 6));
    assert_eq!(said.unwrap().bytes, b"inside");
    assert_eq!(calls, ["openat2", "fstat", "read"]);
}

#[test]
fn operations_apply_to_what_was_checked() {
    let tree = Tree::new();
    let view = tree.root.resolving();
    let file = view.open(&path("in")).unwrap();
    assert_eq!(file.real(), &path("file"));
    let place = view.place(&path("in-dir/inner")).unwrap();
    assert_eq!(place.real(), &path("dir/inner"));
    // Now both links lead elsewhere.
    for name in ["in", "in-dir"] {
        fs::remove_file(tree.place(name)).unwrap();
        std::os::unix::fs::symlink("../outside", tree.place(name)).unwrap();
    }
    let outside = tree.outside();
    assert_eq!(file.read(10).unwrap().bytes, b"inside");
    place.replace(b"new", FileMode::Regular, Expected::Any).unwrap();
    assert_eq!(fs::read(tree.place("dir/inner")).unwrap(), b"new");
    assert_eq!(tree.outside(), outside);
}

#[test]
fn replaced_files_keep_their_permissions_and_new_ones_get_the_requested_ones() {
    let tree = Tree::new();
    let view = tree.root.no_follow();
    let bits = |name: &str| fs::metadata(tree.place(name)).unwrap().permissions().mode() & 0o7777;
    for old in [0o640, 0o664, 0o604, 0o755, 0o700, 0o600] {
        fs::set_permissions(tree.place("file"), fs::Permissions::from_mode(old)).unwrap();
        let mode = view.read(&path("file"), 10).unwrap().mode;
        view.replace(&path("file"), b"x", mode, Expected::Any).unwrap();
        assert_eq!(bits("file"), old, "{old:o}");
    }
    view.replace(&path("file"), b"x", FileMode::Executable, Expected::Any).unwrap();
    assert_eq!(bits("file") & 0o700, 0o700);
    view.create(&path("state"), b"x", FileMode::Private).unwrap();
    assert_eq!(bits("state"), 0o600);
}

#[test]
fn a_lock_is_exclusive_and_leaves_no_files() {
    let tree = Tree::new();
    let view = tree.root.no_follow();
    let before = tree.inside();
    let take = |sharing| view.place(&path("file")).unwrap().try_lock(sharing).unwrap();
    let lock = view.lock(&path("file"), Sharing::Exclusive).unwrap();
    assert!(take(Sharing::Exclusive).is_none() && take(Sharing::Shared).is_none());
    // The holder can change the file, and another place has another lock.
    view.replace(&path("file"), b"inside", FileMode::Regular, Expected::Any).unwrap();
    view.append(&path("file"), b"", FileMode::Regular).unwrap();
    drop(view.lock(&path("nowhere"), Sharing::Exclusive).unwrap());
    drop(lock);
    let first = take(Sharing::Shared);
    let second = take(Sharing::Shared);
    assert!(first.is_some() && second.is_some());
    drop(first);
    assert!(take(Sharing::Exclusive).is_none());
    drop(second);
    assert!(take(Sharing::Exclusive).is_some());
    assert_eq!(tree.inside(), before);
}

#[test]
fn stale_files_are_not_listed_and_removed_by_the_next_change() {
    let tree = Tree::new();
    let mut expected = tree.inside();
    for name in ["dir/.other.minds-new", "dir/.inner.minds-new", "dir/.gone.minds-lock"] {
        fs::write(tree.place(name), "half").unwrap();
    }
    let listing = tree.root.no_follow().list(&path("dir"), 10).unwrap();
    assert_eq!(listing.entries.len(), 4);
    tree.root.no_follow().append(&path("dir/inner"), b"!", FileMode::Regular).unwrap();
    expected.insert("dir/inner".to_owned(), (0o644, "inner!".to_owned()));
    assert_eq!(tree.inside(), expected);
}

#[test]
fn names_that_are_not_utf8_are_counted() {
    use std::os::unix::ffi::OsStrExt as _;

    let tree = Tree::new();
    for name in [&b"\xff"[..], b"a\\b", b"line\nbreak"] {
        fs::write(tree.place("empty").join(std::ffi::OsStr::from_bytes(name)), "").unwrap();
    }
    let listing = tree.root.no_follow().list(&path("empty"), 10).unwrap();
    assert_eq!((listing.entries.len(), listing.unnamed), (0, 3));
}

#[test]
fn only_one_of_two_writers_with_the_same_expectation_succeeds() {
    let tree = Tree::new();
    let next = |text: &[u8]| (std::str::from_utf8(text).unwrap().parse::<u32>().unwrap() + 1).to_string();
    fs::write(tree.place("file"), "0").unwrap();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                let view = tree.root.no_follow();
                let mut done = 0;
                while done < 50 {
                    let old = view.read(&path("file"), 10).unwrap().bytes;
                    let expected = Expected::Content(ContentHash::of(&old));
                    match view.replace(&path("file"), next(&old).as_bytes(), FileMode::Regular, expected) {
                        Ok(()) => done += 1,
                        Err(error) => assert_eq!(error.kind(), FileErrorKind::Changed, "{error}"),
                    }
                }
            });
        }
    });
    assert_eq!(fs::read_to_string(tree.place("file")).unwrap(), "200");
}

#[test]
fn appended_bytes_are_not_lost_by_concurrent_appends_and_replacements() {
    let tree = Tree::new();
    fs::write(tree.place("file"), "").unwrap();
    // More than fits into a block.
    let much = "d".repeat(5_000);
    std::thread::scope(|scope| {
        for text in ["a", "b", "c", &much] {
            let tree = &tree;
            scope.spawn(move || {
                for _ in 0..50 {
                    tree.root.no_follow().append(&path("file"), text.as_bytes(), FileMode::Regular).unwrap();
                }
            });
        }
        scope.spawn(|| {
            let mut done = 0;
            while done < 50 {
                let old = tree.root.no_follow().read(&path("file"), 1_000_000).unwrap().bytes;
                let expected = Expected::Content(ContentHash::of(&old));
                let new = [&old, &b"r"[..]].concat();
                done += usize::from(
                    tree.root.no_follow().replace(&path("file"), &new, FileMode::Regular, expected).is_ok(),
                );
            }
        });
    });
    let text = fs::read_to_string(tree.place("file")).unwrap();
    for once in ["a", "b", "c", "r", &much] {
        assert_eq!(text.matches(once).count(), 50, "{once:.1}");
    }
    assert_eq!(text.len(), 50 * 5_004);
}

#[test]
fn new_files_must_have_portable_names() {
    let tree = Tree::new();
    let view = tree.root.no_follow();
    let long = "x".repeat(256);
    let deep = vec!["a"; 65].join("/");
    for name in ["nul", "a:b", "trailing.", "e\u{301}", long.as_str()] {
        let (at, inside) = (path(&format!("dir/{name}")), path(&format!("dir/{name}/new")));
        let refused = [
            view.create(&at, b"", FileMode::Regular),
            view.replace(&at, b"", FileMode::Regular, Expected::Any),
            view.append(&at, b"", FileMode::Regular),
            view.make_directory(&at),
            view.rename(&path("file"), &at),
        ];
        for refused in refused {
            let kind = refused.unwrap_err().kind();
            assert!(
                matches!(kind, FileErrorKind::Unportable(_) | FileErrorKind::NameTooLong),
                "{name}: {kind}"
            );
        }
        for (place, change) in [
            (at.clone(), Change::MakeDirectory),
            (inside, Change::Write { bytes: vec![], mode: FileMode::Regular, expected: Expected::Any }),
            (at.clone(), Change::Link { target: "file".to_owned() }),
            (path("file"), Change::Move { to: Location::new(MountId::WORKSPACE, at.clone()) }),
        ] {
            let mut changes = ChangeSet::new();
            changes.add(Location::new(MountId::WORKSPACE, place), change).unwrap();
            assert!(tree.root.apply(&changes).is_err(), "{name}");
        }
    }
    assert!(view.create(&path(&deep), b"", FileMode::Regular).is_err());
    assert!(!tree.place("dir/nul").exists() && tree.place("file").exists());
    // Existing files with such names can be read, changed and removed.
    fs::write(tree.place("dir/nul"), "old").unwrap();
    assert_eq!(view.read(&path("dir/nul"), 10).unwrap().bytes, b"old");
    view.replace(&path("dir/nul"), b"new", FileMode::Regular, Expected::Any).unwrap();
    view.append(&path("dir/nul"), b"er", FileMode::Regular).unwrap();
    assert_eq!(fs::read(tree.place("dir/nul")).unwrap(), b"newer");
    view.remove_file(&path("dir/nul"), Expected::Any).unwrap();
}
