//! Snapshots contain the state of existing entries, and nothing outside of the root.
#![cfg(unix)]

use std::fs;
use std::os::unix::fs::symlink;
use std::os::unix::net::UnixListener;
use std::process::Command;

use minds_fs::{Root, find_upwards};
use minds_vfs::{
    Change, ChangeSet, DirectoryScope, Expected, FileMode, HARD_LINKED, Location, MountId, Scope,
    SnapshotEntry, WorkspacePath,
};

fn entry(prepare: impl Fn(&std::path::Path)) -> Option<SnapshotEntry> {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("root")).unwrap();
    fs::write(folder.path().join("secret"), "outside").unwrap();
    let place = folder.path().join("root/file");
    prepare(&place);
    let location = Location::new(MountId::WORKSPACE, WorkspacePath::parse("file").unwrap());
    let root = Root::open(&folder.path().join("root"), MountId::WORKSPACE).unwrap();
    root.snapshot(&Scope::of_files([location.clone()])).get(&location).cloned()
}

fn reason(entry: Option<SnapshotEntry>) -> String {
    match entry {
        Some(SnapshotEntry::Unreadable { reason }) => reason,
        Some(SnapshotEntry::HardLinked) => HARD_LINKED.to_owned(),
        other => format!("{other:?}"),
    }
}

/// A pipe stands for a device here, because only a superuser can create one.
#[cfg(target_os = "linux")]
#[test]
fn a_single_entry_is_opened_only_if_it_is_a_file() {
    use rustix::fs::inotify::{CreateFlags, Reader, WatchFlags, add_watch, init};

    let folder = tempfile::tempdir().unwrap();
    let place = |name: &str| folder.path().join(name);
    assert!(Command::new("mkfifo").arg(place("pipe")).status().unwrap().success());
    fs::write(place("file"), "text").unwrap();
    fs::create_dir(place("directory")).unwrap();
    symlink("pipe", place("link")).unwrap();
    let events = init(CreateFlags::NONBLOCK).unwrap();
    let watch = |name: &str| add_watch(&events, place(name), WatchFlags::OPEN).unwrap();
    let (pipe, file) = (watch("pipe"), watch("file"));
    let root = Root::open(folder.path(), MountId::WORKSPACE).unwrap();
    let read = |name: &str| root.snapshot_entry(&WorkspacePath::parse(name).unwrap());
    assert_eq!(read("pipe"), Some(SnapshotEntry::Special));
    assert_eq!(read("link"), Some(SnapshotEntry::Special));
    assert!(matches!(read("file"), Some(SnapshotEntry::File { .. })));
    assert_eq!((read("directory"), read("nothing")), (Some(SnapshotEntry::Directory), None));
    let mut buffer = [std::mem::MaybeUninit::uninit(); 1024];
    let mut reader = Reader::new(&events, &mut buffer);
    let opened: Vec<i32> = std::iter::from_fn(|| reader.next().ok().map(|event| event.wd())).collect();
    assert!(opened.contains(&file) && !opened.contains(&pipe), "{opened:?}");
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
fn entries_that_are_not_regular_files_are_recorded_as_such() {
    assert_eq!(entry(|place| fs::create_dir(place).unwrap()), Some(SnapshotEntry::Directory));
    let pipe = entry(|place| assert!(Command::new("mkfifo").arg(place).status().unwrap().success()));
    assert_eq!(pipe, Some(SnapshotEntry::Special));
    let socket = entry(|place| drop(UnixListener::bind(place).unwrap()));
    assert_eq!(reason(socket), "it is not a regular file");
    assert_eq!(reason(entry(|place| symlink("/dev/zero", place).unwrap())), OUTSIDE);
}

const OUTSIDE: &str = "it is a symbolic link that leads outside of the workspace";

#[test]
fn links_never_lead_outside() {
    assert_eq!(reason(entry(|place| symlink("../secret", place).unwrap())), OUTSIDE);
    assert_eq!(reason(entry(|place| symlink("/etc/hostname", place).unwrap())), OUTSIDE);
    assert_eq!(
        reason(entry(|place| symlink("nowhere", place).unwrap())),
        "it is a symbolic link to a file that does not exist"
    );
    assert!(reason(entry(|place| symlink("file", place).unwrap())).contains("link"));
}

#[test]
fn a_file_with_several_names_is_not_read() {
    let several = "it has several hard links, and the other links may be outside of the workspace";
    let hard = entry(|place| fs::hard_link(place.parent().unwrap().with_file_name("secret"), place).unwrap());
    assert_eq!(reason(hard), several);
    let found = read_markdown(|top| fs::hard_link(top.join("../../secret.md"), top.join("x.md")).unwrap());
    assert_eq!(found, [format!("top/x.md: {several}")]);
}

#[test]
fn searching_upwards() {
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
    // A repository ends the search, unless the marker is in the same directory.
    fs::create_dir(base.join("a/b/.git")).unwrap();
    assert_eq!(root("a/b/c"), None);
    fs::write(base.join("a/b/mark"), "").unwrap();
    assert_eq!(root("a/b/c"), Some(base.join("a/b")));
    assert!(find_upwards(base, "nowhere".as_ref(), &["mark"]).is_err());
}

#[test]
fn a_marker_may_be_any_directory_with_a_suffix() {
    let folder = tempfile::tempdir().unwrap();
    let base = folder.path();
    fs::create_dir_all(base.join("a/marks/x.mark")).unwrap();
    fs::create_dir_all(base.join("a/b/marks/mark")).unwrap();
    fs::write(base.join("a/b/marks/x.mark"), "").unwrap();
    symlink("../../marks/x.mark", base.join("a/b/marks/y.mark")).unwrap();
    let root = |path: &str| find_upwards(base, path.as_ref(), &["marks/*.mark"]).unwrap().root;
    assert_eq!(root("a/b/marks"), Some(base.join("a")));
    assert_eq!(root("a/marks/x.mark"), Some(base.join("a")));
    fs::create_dir(base.join("a/b/marks/.MARK")).unwrap();
    assert_eq!(root("a/b"), Some(base.join("a/b")));
    // An entry that is not a directory, and the suffix alone, are not markers.
    fs::write(base.join("marks"), "").unwrap();
    assert_eq!(find_upwards(base, ".".as_ref(), &["marks/*.mark"]).unwrap().root, None);
}

/// Returns the entries read for `*.md` up to two directories below `top`, as `path: description`.
fn read_markdown(prepare: impl Fn(&std::path::Path)) -> Vec<String> {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir_all(folder.path().join("root/top")).unwrap();
    fs::write(folder.path().join("secret.md"), "outside").unwrap();
    prepare(&folder.path().join("root/top"));
    let root = Root::open(&folder.path().join("root"), MountId::WORKSPACE).unwrap();
    let below = DirectoryScope {
        directory: Location::new(MountId::WORKSPACE, WorkspacePath::parse("top").unwrap()),
        depth: 2,
        wants: |path| path.as_str().strip_suffix(".md").is_some(),
        names: |_| false,
        max_entries: 6,
        max_bytes: 10,
        max_total_bytes: 25,
    };
    let scope = Scope { files: Vec::new(), directories: vec![below] };
    let said = |entry: &SnapshotEntry| match entry {
        SnapshotEntry::File { bytes, .. } => format!("{} bytes", bytes.len()),
        SnapshotEntry::Unreadable { reason } => reason.clone(),
        SnapshotEntry::HardLinked => HARD_LINKED.to_owned(),
        SnapshotEntry::Link { target } => format!("link to {target}"),
        other => format!("{other:?}").to_lowercase(),
    };
    root.snapshot(&scope).iter().map(|(location, entry)| format!("{location}: {}", said(entry))).collect()
}

fn write(top: &std::path::Path, path: &str, text: &str) {
    fs::create_dir_all(top.join(path).parent().unwrap()).unwrap();
    fs::write(top.join(path), text).unwrap();
}

#[test]
fn only_wanted_files_of_a_subtree_are_read() {
    let found = read_markdown(|top| {
        write(top, "a/one.md", "one");
        write(top, "a/two.txt", "two");
        write(top, "a/deep/three.md", "three");
        write(top, "b.md", "b");
        fs::create_dir_all(top.join(".hidden")).unwrap();
    });
    assert_eq!(found, ["top/a: directory", "top/a/one.md: 3 bytes", "top/b.md: 1 bytes"]);
    assert!(read_markdown(|top| fs::remove_dir(top).unwrap()).is_empty());
}

#[test]
fn entries_of_a_subtree_that_are_not_files_are_recorded_as_such() {
    let found = read_markdown(|top| {
        fs::create_dir_all(top.join("a/x.md")).unwrap();
        assert!(Command::new("mkfifo").arg(top.join("a/y.md")).status().unwrap().success());
        symlink("../../../secret.md", top.join("a/z.md")).unwrap();
        symlink("a", top.join("b")).unwrap();
        symlink("a/none", top.join("c")).unwrap();
    });
    assert_eq!(
        found,
        [
            "top/a: directory",
            "top/a/x.md: directory",
            "top/a/y.md: special",
            "top/a/z.md: link to ../../../secret.md",
            "top/b: link to a",
            "top/c: link to a/none"
        ]
    );
    let is_file = read_markdown(|top| {
        fs::remove_dir(top).unwrap();
        fs::write(top, "").unwrap();
    });
    assert_eq!(is_file, ["top: it is not a directory"]);
    let is_link = read_markdown(|top| {
        fs::remove_dir(top).unwrap();
        symlink("elsewhere", top).unwrap();
    });
    assert_eq!(is_link, ["top: link to elsewhere"]);
}

#[test]
fn reading_a_subtree_is_limited() {
    // One byte more than the limit, to detect a larger file.
    assert_eq!(read_markdown(|top| write(top, "x.md", &"x".repeat(1_000))), ["top/x.md: 11 bytes"]);
    let together =
        read_markdown(|top| (1..5).for_each(|name| write(top, &format!("{name}.md"), "123456789")));
    assert_eq!(
        together,
        [
            "top/1.md: 9 bytes",
            "top/2.md: 9 bytes",
            "top/3.md: the files read from this directory tree would exceed 0 MiB",
            "top/4.md: the files read from this directory tree would exceed 0 MiB"
        ]
    );
    let many = read_markdown(|top| (0..7).for_each(|at| write(top, &format!("a/{at}.txt"), "")));
    assert_eq!(many, ["top: it contains more than 6 entries"]);
}

#[test]
fn a_root_without_links_never_follows_links() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("real")).unwrap();
    fs::write(folder.path().join("real/a"), "one").unwrap();
    symlink("real", folder.path().join("link")).unwrap();
    symlink("real/a", folder.path().join("a")).unwrap();
    let at = |path: &str| Location::new(MountId::WORKSPACE, WorkspacePath::parse(path).unwrap());
    let open = || Root::open(folder.path(), MountId::WORKSPACE).unwrap();
    for path in ["a", "link/a"] {
        let scope = Scope::of_files([at(path)]);
        assert!(matches!(open().snapshot(&scope).get(&at(path)), Some(SnapshotEntry::File { .. })), "{path}");
        let found = open().without_links().snapshot(&scope);
        assert!(
            found.iter().all(|(_, entry)| matches!(entry, SnapshotEntry::Unreadable { .. })),
            "{found:?}"
        );
        assert!(!found.is_empty(), "{path}");
        assert!(open().without_links().resolving().read(&at(path).path, 10).is_err(), "{path}");
        let write = |name: &str| {
            let mut changes = ChangeSet::new();
            for path in [path, name] {
                let change = Change::Write {
                    bytes: b"two".to_vec(),
                    mode: FileMode::Regular,
                    expected: Expected::Any,
                };
                changes.add(at(path), change).unwrap();
            }
            open().without_links().apply(&changes)
        };
        assert!(write("other").is_err() && write(&format!("{path}b")).is_err(), "{path}");
        assert_eq!(fs::read_to_string(folder.path().join("real/a")).unwrap(), "one", "{path}");
        assert!(!folder.path().join("other").exists());
    }
}

#[test]
fn recovery_writes_nothing_if_nothing_is_interrupted() {
    let folder = tempfile::tempdir().unwrap();
    let root = Root::open(folder.path(), MountId::WORKSPACE).unwrap();
    let ((), calls) =
        minds_fs::faults::run(minds_fs::faults::Plan::none(), || root.recover_interrupted().unwrap());
    assert_eq!(calls, ["openat"]);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    fs::write(folder.path().join(".minds-journal"), "foreign").unwrap();
    assert!(root.recover_interrupted().is_err());
}

/// A name that is not valid in a path cannot be an entry, but the presence of a directory may have a meaning.
#[cfg(target_os = "linux")]
#[test]
fn directories_with_invalid_names_are_recorded() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt as _;

    let folder = tempfile::tempdir().unwrap();
    let top = folder.path().join("agents");
    let names: [&[u8]; 6] = [b"zeus", b"a\xffb", b"c\x01", b"d\\e", b".f\xff", b"\xe2\x80\xaeg"];
    for name in names {
        fs::create_dir_all(top.join(OsStr::from_bytes(name))).unwrap();
    }
    fs::create_dir(top.join("zeus").join(OsStr::from_bytes(b"deep\xff"))).unwrap();
    fs::write(top.join(OsStr::from_bytes(b"file\xff")), "").unwrap();
    let directory = Location::new(MountId::WORKSPACE, WorkspacePath::parse("agents").unwrap());
    let root = Root::open(folder.path(), MountId::WORKSPACE).unwrap();
    let below = DirectoryScope {
        directory: directory.clone(),
        depth: 2,
        wants: |_| true,
        names: |_| false,
        max_entries: 100,
        max_bytes: 10,
        max_total_bytes: 100,
    };
    let read = root.snapshot(&Scope { files: Vec::new(), directories: vec![below] });
    assert!(read.invalid_names().all(|(holds, _)| *holds == directory));
    let shown: Vec<&str> = read.invalid_names().map(|(_, shown)| shown).collect();
    assert_eq!(shown, ["\\u{202e}g", "a\\xffb", "c\\u{1}", "d\\e"]);
    let mut both = minds_vfs::Snapshot::new();
    both.absorb(&read);
    assert_eq!(both, read);
}
