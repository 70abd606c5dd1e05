//! What is there is in a snapshot as what it is, and nothing outside of the root is.
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
use std::os::unix::net::UnixListener;
use std::process::Command;

use minds_document::SnapshotEntry;
use minds_paths::{Location, MountId, WorkspacePath};
use minds_system::{Root, find_upwards};

fn entry(prepare: impl Fn(&std::path::Path)) -> Option<SnapshotEntry> {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("root")).unwrap();
    fs::write(folder.path().join("secret"), "outside").unwrap();
    let place = folder.path().join("root/file");
    prepare(&place);
    let location = Location::new(MountId::WORKSPACE, WorkspacePath::parse("file").unwrap());
    let root = Root::open(&folder.path().join("root"), MountId::WORKSPACE).unwrap();
    root.snapshot(std::slice::from_ref(&location)).get(&location).cloned()
}

fn reason(entry: Option<SnapshotEntry>) -> String {
    match entry {
        Some(SnapshotEntry::Unreadable { reason }) => reason,
        other => format!("{other:?}"),
    }
}

#[test]
fn regular_files_are_read() {
    let read = |entry| match entry {
        Some(SnapshotEntry::File { bytes, .. }) => bytes.to_vec(),
        other => panic!("{other:?}"),
    };
    assert_eq!(read(entry(|place| fs::write(place, b"\xff text").unwrap())), b"\xff text");
    assert_eq!(
        read(entry(|place| {
            fs::write(place.with_file_name("target"), "inside").unwrap();
            symlink("target", place).unwrap();
        })),
        b"inside"
    );
    assert_eq!(entry(|_| ()), None);
}

#[test]
fn what_is_no_regular_file_is_known_as_such() {
    assert_eq!(entry(|place| fs::create_dir(place).unwrap()), Some(SnapshotEntry::Directory));
    let pipe = entry(|place| assert!(Command::new("mkfifo").arg(place).status().unwrap().success()));
    assert_eq!(pipe, Some(SnapshotEntry::Special));
    let socket = entry(|place| drop(UnixListener::bind(place).unwrap()));
    assert_eq!(reason(socket), "it is no regular file");
    assert_eq!(reason(entry(|place| symlink("/dev/zero", place).unwrap())), OUTSIDE);
}

const OUTSIDE: &str = "it is a symbolic link that leads out of the workspace";

#[test]
fn links_never_lead_outside() {
    assert_eq!(reason(entry(|place| symlink("../secret", place).unwrap())), OUTSIDE);
    assert_eq!(reason(entry(|place| symlink("/etc/hostname", place).unwrap())), OUTSIDE);
    assert_eq!(reason(entry(|place| symlink("nowhere", place).unwrap())), "it is a symbolic link to nothing");
    assert!(reason(entry(|place| symlink("file", place).unwrap())).contains("link"));
}

#[test]
fn the_search_upwards() {
    let folder = tempfile::tempdir().unwrap();
    let base = folder.path();
    fs::create_dir_all(base.join("a/b/c")).unwrap();
    fs::write(base.join("a/mark"), "").unwrap();
    fs::write(base.join("a/b/c/file"), "").unwrap();
    let root = |path: &str| find_upwards(base, path.as_ref(), &["mark"]).unwrap().root;
    assert_eq!(root("a/b/c"), Some(base.join("a")));
    assert_eq!(root("a/b/c/file"), Some(base.join("a")));
    assert_eq!(root("./a/./b"), Some(base.join("a")));
    assert_eq!(root("a"), Some(base.join("a")));
    // A repository ends the search, unless the mark stands beside it.
    fs::create_dir(base.join("a/b/.git")).unwrap();
    assert_eq!(root("a/b/c"), None);
    fs::write(base.join("a/b/mark"), "").unwrap();
    assert_eq!(root("a/b/c"), Some(base.join("a/b")));
    assert!(find_upwards(base, "nowhere".as_ref(), &["mark"]).is_err());
}
