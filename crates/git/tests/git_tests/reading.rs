//! Reading a commit gives the same result as reading a folder.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;

use minds_fs::Root;
use minds_git::GitErrorKind;
use minds_vfs::{DirectoryScope, FileMode, Location, MountId, Scope, Snapshot, SnapshotEntry, WorkspacePath};

use crate::origin::{Origin, git};

pub(crate) fn at(path: &str) -> Location {
    let path = if path.is_empty() { WorkspacePath::root() } else { WorkspacePath::parse(path).unwrap() };
    Location::new(MountId::WORKSPACE, path)
}

pub(crate) fn subtree(directory: &str) -> DirectoryScope {
    DirectoryScope {
        directory: at(directory),
        depth: 64,
        wants: |_| true,
        names: |_| false,
        max_entries: 10_000,
        max_bytes: 1 << 20,
        max_total_bytes: 64 << 20,
    }
}

pub(crate) fn all_below(directory: &str) -> Scope {
    Scope { files: Vec::new(), directories: vec![subtree(directory)] }
}

/// Returns a short description of each entry of a snapshot.
pub(crate) fn list_entries(snapshot: &Snapshot) -> Vec<String> {
    snapshot
        .iter()
        .map(|(location, entry)| {
            let what = match entry {
                SnapshotEntry::File { bytes, mode } => {
                    let program = if *mode == FileMode::Executable { "program" } else { "file" };
                    format!("{program} {:?}", String::from_utf8_lossy(bytes))
                }
                SnapshotEntry::Link { target } => format!("link {target:?}"),
                SnapshotEntry::Unreadable { reason } => format!("unreadable: {reason}"),
                other => format!("{other:?}"),
            };
            format!("{location}: {what}")
        })
        .collect()
}

/// Compares the snapshots of a working tree and of its commit.
#[track_caller]
fn compare_snapshots(origin: &Origin, scope: &Scope) -> Snapshot {
    let tree = origin.own_tree().unwrap().snapshot(scope).unwrap();
    let folder = Root::open(&origin.path(), MountId::WORKSPACE).unwrap().snapshot(scope);
    assert_eq!(list_entries(&tree), list_entries(&folder), "{scope:?}");
    tree
}

fn origin() -> Origin {
    let origin = Origin::new();
    let path = |text: &str| origin.path().join(text);
    for (name, text) in [
        ("mind.toml", "[source]\n"),
        ("skills/a/SKILL.md", "a"),
        ("skills/a/deep/er/x", "x"),
        ("skills/a.md", "beside"),
        ("skills/b/SKILL.md", "a"),
        ("skills/.hidden/SKILL.md", "h"),
        ("skills/.dot", "d"),
        ("agents/one.md", "one"),
        ("tools/t/run", "#!"),
        ("agentsx", "x"),
        ("big", &"x".repeat(300)),
    ] {
        fs::create_dir_all(path(name).parent().unwrap()).unwrap();
        fs::write(path(name), text).unwrap();
    }
    fs::set_permissions(path("tools/t/run"), fs::Permissions::from_mode(0o755)).unwrap();
    for (target, name) in [
        ("../mind.toml", "skills/up"),
        ("b", "skills/dir"),
        ("nowhere", "skills/dangling"),
        ("/etc", "skills/absolute"),
        ("../../outside", "skills/outside"),
        ("loop", "skills/loop"),
        ("skills", "linked"),
        ("linked/a/SKILL.md", "file-link"),
    ] {
        symlink(target, path(name)).unwrap();
    }
    origin.commit(&[]);
    origin
}

#[test]
fn a_commit_is_read_like_its_working_tree() {
    let origin = origin();
    for directory in
        ["skills", "agents", "tools", "skills/a", "linked", "linked/a", "none", "mind.toml", "none/x"]
    {
        for depth in [1, 2, 3, 64] {
            for wants in [
                (|_| true) as fn(&WorkspacePath) -> bool,
                |path| path.file_name() == Some("SKILL.md"),
                |_| false,
            ] {
                let below = DirectoryScope { depth, wants, ..subtree(directory) };
                compare_snapshots(&origin, &Scope { files: Vec::new(), directories: vec![below] });
            }
        }
    }
    let files = [
        "mind.toml",
        "skills",
        "none",
        "none/x",
        "file-link",
        "linked/b/SKILL.md",
        "linked/none",
        "skills/dangling",
        "skills/loop",
        "skills/absolute",
        "skills/outside",
        "skills/up",
        "skills/dir/SKILL.md",
        "mind.toml/x",
        "skills/dangling/x",
        "skills/loop/x",
    ];
    for file in files {
        compare_snapshots(&origin, &Scope::of_files([at(file)]));
    }
    let snapshot = compare_snapshots(&origin, &Scope::of_files(files.map(at)));
    assert!(matches!(snapshot.get(&at("linked/b/SKILL.md")), Some(SnapshotEntry::File { .. })));
}

#[test]
fn limits_apply_as_in_a_folder() {
    let origin = origin();
    for max_entries in 0..20 {
        let below = DirectoryScope { max_entries, ..subtree("skills") };
        compare_snapshots(&origin, &Scope { files: Vec::new(), directories: vec![below] });
    }
    for max_total_bytes in [0, 1, 2, 5, 9, 100] {
        let below = DirectoryScope { max_total_bytes, ..subtree("skills") };
        compare_snapshots(&origin, &Scope { files: Vec::new(), directories: vec![below] });
    }
    let tree = origin.own_tree().unwrap();
    let wants: fn(&WorkspacePath) -> bool = |path| path.as_str() == "big";
    for (max_bytes, is_read) in [(299, false), (300, true)] {
        let below = DirectoryScope { max_bytes, depth: 1, wants, ..subtree("") };
        let snapshot = tree.snapshot(&Scope { files: Vec::new(), directories: vec![below] }).unwrap();
        let entry = snapshot.get(&at("big")).unwrap();
        assert_eq!(entry.bytes().is_ok(), is_read, "{max_bytes}");
        assert!(is_read || *entry == SnapshotEntry::TooLarge { limit: 299 });
    }
}

#[test]
fn committed_bytes_are_read_unchanged() {
    let origin = origin();
    let committed = list_entries(&origin.own_tree().unwrap().snapshot(&all_below("skills")).unwrap());
    fs::write(origin.path().join("skills/a/SKILL.md"), "changed since").unwrap();
    let tree = origin.tree().unwrap();
    assert_eq!(list_entries(&tree.snapshot(&all_below("skills")).unwrap()), committed);
    assert_eq!(tree.commit().to_string(), origin.head());
    assert!(tree.len() > 15 && !tree.is_empty());
    let path = origin.folder.path().join("tree.git");
    let expected = origin.git(&["rev-parse", "HEAD^{tree}"]);
    assert_eq!(git().tree_id(&path, tree.commit()).unwrap().to_string(), expected);
}

#[test]
fn another_mount_is_not_read() {
    let origin = origin();
    let scope = Scope::of_files([Location::new(MountId::new("home"), at("mind.toml").path)]);
    assert!(origin.own_tree().unwrap().snapshot(&scope).unwrap().is_empty());
}

#[test]
fn a_missing_commit_is_an_error() {
    let origin = origin();
    let tree = origin.tree().unwrap();
    fs::remove_dir_all(origin.folder.path().join("tree.git/objects")).unwrap();
    assert!(tree.snapshot(&all_below("skills")).is_err());
    let absent = minds_git::ObjectId::parse(&"1".repeat(40)).unwrap();
    let error = git().tree(&origin.path().join(".git"), &absent, MountId::WORKSPACE).unwrap_err();
    assert_ne!(*error.kind(), GitErrorKind::Missing);
    assert!(git().tree(Path::new("/nonexistent"), &absent, MountId::WORKSPACE).is_err());
}
