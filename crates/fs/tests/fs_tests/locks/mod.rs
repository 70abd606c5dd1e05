//! Locks held by other programs: a lock that they can take never blocks an operation, and a wait for a lock
//! file ends.
//!
//! The other program is this one, started again: it locks the given files until its standard input ends.
#![cfg(unix)]

use std::cell::Cell;
use std::fs;
use std::io::{BufRead as _, BufReader, Read as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::rc::Rc;

use minds_fs::faults::{Fault, Plan, run, run_observed};
use minds_fs::{FileErrorKind, LockHolder, Root, Sharing};
use minds_vfs::{Change, ChangeSet, ContentHash, Expected, FileMode, Location, MountId, WorkspacePath};

const ORDER: &str = "MINDS_TEST_LOCK";

/// The other program.
#[test]
fn hold_locks_in_a_child_process() {
    let Ok(paths) = std::env::var(ORDER) else { return };
    let files: Vec<fs::File> = paths.split('|').map(|path| fs::File::open(path).unwrap()).collect();
    for file in &files {
        file.lock().unwrap();
    }
    println!("locked");
    let _ = std::io::stdin().read_to_end(&mut Vec::new());
}

/// Another process that holds locks of files that it opened for reading.
struct Holding(Child);

impl Holding {
    fn new(paths: &[&Path]) -> Self {
        let paths: Vec<&str> = paths.iter().map(|path| path.to_str().unwrap()).collect();
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "locks::hold_locks_in_a_child_process", "--nocapture"])
            .env(ORDER, paths.join("|"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let lines = BufReader::new(child.stdout.as_mut().unwrap()).lines();
        let locked = lines.map_while(Result::ok).any(|line| line.ends_with("locked"));
        assert!(locked);
        Self(child)
    }

    fn end(&mut self) {
        drop(self.0.stdin.take());
        self.0.wait().unwrap();
    }
}

impl Drop for Holding {
    fn drop(&mut self) {
        self.end();
    }
}

fn path(text: &str) -> WorkspacePath {
    WorkspacePath::parse(text).unwrap()
}

fn tree() -> (tempfile::TempDir, Root) {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir_all(folder.path().join("dir/sub")).unwrap();
    for name in ["dir/a", "dir/b", "dir/sub/c"] {
        fs::write(folder.path().join(name), name).unwrap();
    }
    let root = Root::open(folder.path(), MountId::WORKSPACE).unwrap();
    (folder, root)
}

fn apply_two(root: &Root) -> Result<(), String> {
    let mut set = ChangeSet::new();
    for name in ["dir/a", "dir/b"] {
        let expected = Expected::Content(ContentHash::of(name.as_bytes()));
        let change = Change::Write { bytes: b"new".into(), mode: FileMode::Regular, expected };
        set.add(Location::new(MountId::WORKSPACE, path(name)), change).unwrap();
    }
    root.apply(&set).map_err(|error| error.to_string())
}

type Act = fn(&Root) -> Result<(), String>;

/// All operations that change files, and the lock file that processes use.
const ACTS: [(&str, &str, Act); 8] = [
    ("append", "dir/.a.minds-new", |root| {
        root.no_follow().append(&path("dir/a"), b"!", FileMode::Regular).map_err(|error| error.to_string())
    }),
    ("extend", "dir/.a.minds-new", |root| {
        root.no_follow().extend(&path("dir/a"), b"!", FileMode::Regular).map_err(|error| error.to_string())
    }),
    ("replace", "dir/.a.minds-new", |root| {
        let expected = Expected::Content(ContentHash::of(b"dir/a"));
        let replaced = root.no_follow().replace(&path("dir/a"), b"new", FileMode::Regular, expected);
        replaced.map_err(|error| error.to_string())
    }),
    ("create", "dir/.new.minds-new", |root| {
        root.no_follow().create(&path("dir/new"), b"", FileMode::Regular).map_err(|error| error.to_string())
    }),
    ("remove", "dir/.a.minds-new", |root| {
        let expected = Expected::Content(ContentHash::of(b"dir/a"));
        root.no_follow().remove_file(&path("dir/a"), expected).map_err(|error| error.to_string())
    }),
    ("remove a directory", "dir/.sub.minds-new", |root| {
        let place = root.no_follow().entry(&path("dir/sub")).unwrap();
        let judged = place.walk(10).unwrap();
        place.remove_tree(&judged).map_err(|error| error.to_string())
    }),
    ("lock", "dir/.a.minds-lock", |root| {
        root.no_follow().lock(&path("dir/a"), Sharing::Exclusive).map(drop).map_err(|error| error.to_string())
    }),
    ("apply several", "dir/.a.minds-new", apply_two),
];

#[test]
fn locks_of_readers_do_not_block_operations() {
    for (name, _, act) in ACTS {
        let (folder, root) = tree();
        let top = folder.path();
        let all = ["", "dir", "dir/a", "dir/b", "dir/sub", "dir/sub/c"].map(|path| top.join(path));
        let _held = Holding::new(&all.each_ref().map(std::path::PathBuf::as_path));
        let (done, calls) = run(Plan::none().with_simulated_time(), || act(&root));
        assert_eq!(done, Ok(()), "{name}");
        assert!(!calls.contains(&"pause"), "{name}: {calls:?}");
    }
}

#[test]
fn a_lock_held_too_long_is_an_error_that_names_the_holder() {
    for (name, lock, act) in ACTS {
        let (folder, root) = tree();
        let lock = folder.path().join(lock);
        fs::write(&lock, "").unwrap();
        let held = Holding::new(&[&lock]);
        let (done, calls) = run(Plan::none().with_simulated_time(), || act(&root));
        let said = done.unwrap_err();
        assert!(said.contains("is locked by"), "{name}: {said}");
        if cfg!(target_os = "linux") {
            assert!(said.contains(&format!("locked by process {}", held.0.id())), "{name}: {said}");
        }
        assert!(calls.contains(&"pause"), "{name}");
        for (file, text) in [("dir/a", "dir/a"), ("dir/b", "dir/b"), ("dir/sub/c", "dir/sub/c")] {
            assert_eq!(fs::read_to_string(folder.path().join(file)).unwrap(), text, "{name}");
        }
        drop(held);
        let (done, _) = run(Plan::none().with_simulated_time(), || act(&root));
        assert_eq!(done, Ok(()), "{name}");
    }
}

#[test]
fn an_operation_continues_when_the_lock_is_released() {
    for (name, lock, act) in ACTS {
        let (folder, root) = tree();
        let lock = folder.path().join(lock);
        fs::write(&lock, "").unwrap();
        let (held, pauses) = (Cell::new(Some(Holding::new(&[&lock]))), Cell::new(0));
        let observer = move |_, call: &'static str| {
            pauses.set(pauses.get() + usize::from(call == "pause"));
            if pauses.get() == 5 {
                held.take();
            }
        };
        let (done, _) = run_observed(Plan::none().with_simulated_time(), observer, || act(&root));
        assert_eq!(done, Ok(()), "{name}");
    }
}

#[test]
fn a_locked_journal_prevents_several_changes_but_not_a_single_one() {
    let (folder, root) = tree();
    let journal = folder.path().join(".minds-journal");
    fs::write(&journal, "").unwrap();
    let held = Holding::new(&[&journal]);
    let (done, _) = run(Plan::none().with_simulated_time(), || apply_two(&root));
    assert!(done.unwrap_err().contains("; nothing was changed"));
    root.no_follow().replace(&path("dir/a"), b"dir/a", FileMode::Regular, Expected::Any).unwrap();
    drop(held);
    assert_eq!(apply_two(&root), Ok(()));
}

#[test]
fn locked_lock_files_are_accessible_only_to_their_user() {
    for (name, lock, act) in ACTS {
        let (folder, root) = tree();
        let (lock, seen) = (folder.path().join(lock), Rc::new(Cell::new(0)));
        let counted = Rc::clone(&seen);
        let observer = move |_, call: &'static str| {
            if let (true, Ok(metadata)) = (call == "flock", fs::metadata(&lock)) {
                assert_eq!(metadata.permissions().mode() & 0o777, 0o600, "{name}");
                counted.set(counted.get() + 1);
            }
        };
        let (done, _) = run_observed(Plan::none(), observer, || act(&root));
        assert_eq!(done, Ok(()), "{name}");
        assert!(seen.get() > 0, "{name}");
    }
}

#[test]
fn new_files_get_the_usual_permissions() {
    let (folder, root) = tree();
    let bits = |name: &str| fs::metadata(folder.path().join(name)).unwrap().permissions().mode() & 0o7777;
    fs::write(folder.path().join("plain"), "").unwrap();
    root.no_follow().create(&path("regular"), b"", FileMode::Regular).unwrap();
    assert_eq!(bits("regular"), bits("plain"));
    // The same on file systems that do not support unnamed files.
    let not_supported = 95;
    let create = || root.no_follow().create(&path("other"), b"", FileMode::Regular);
    let (_, calls) = run(Plan::none(), || root.no_follow().create(&path("third"), b"", FileMode::Regular));
    let last_open = calls.iter().rposition(|call| *call == "openat").unwrap();
    let plan = Plan::at(u64::try_from(last_open + 1).unwrap(), Fault::Fail(not_supported));
    run(plan, create).0.unwrap();
    assert_eq!(bits("other"), bits("plain"));
    root.no_follow().create(&path("executable"), b"", FileMode::Executable).unwrap();
    assert_eq!(bits("executable"), bits("plain") | (bits("plain") & 0o444) >> 2);
    root.no_follow().create(&path("private"), b"", FileMode::Private).unwrap();
    assert_eq!(bits("private"), 0o600);
}

#[test]
fn a_lock_file_of_another_user_is_waited_for() {
    const NO_ACCESS: i32 = 13;
    let (folder, root) = tree();
    fs::write(folder.path().join("dir/.a.minds-lock"), "").unwrap();
    let act = || root.no_follow().lock(&path("dir/a"), Sharing::Exclusive).map(drop);
    let (_, calls) = run(Plan::none(), act);
    let lock = calls.iter().position(|call| *call == "flock").unwrap();
    let opening = calls[..lock].iter().rposition(|call| *call == "openat").unwrap();
    fs::write(folder.path().join("dir/.a.minds-lock"), "").unwrap();
    let at = u64::try_from(opening + 1).unwrap();
    let (done, calls) = run(Plan::at(at, Fault::Fail(NO_ACCESS)).with_simulated_time(), act);
    done.unwrap();
    assert_eq!(calls.iter().filter(|call| **call == "pause").count(), 1, "{calls:?}");
    fs::write(folder.path().join("dir/.a.minds-lock"), "").unwrap();
    let (done, _) = run(Plan::at(at, Fault::FailFrom(NO_ACCESS)).with_simulated_time(), act);
    let kind = done.unwrap_err().kind();
    assert!(
        matches!(kind, FileErrorKind::Locked(LockHolder::AnotherUser) | FileErrorKind::PermissionDenied),
        "{kind}"
    );
}
