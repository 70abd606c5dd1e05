//! Programs called `git` that do not behave like git.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use minds_git::{FetchLimits, FetchRequest, Git, GitErrorKind, ObjectId, RemoteUrl, Revision};
use minds_vfs::MountId;
use tempfile::TempDir;

/// Returns a program that claims to be git, and runs `script` for everything but creating a repository.
fn fake(script: &str) -> (TempDir, Git) {
    let folder = tempfile::tempdir().unwrap();
    let git = program(
        &folder,
        &format!(
            "case \"$*\" in\n*--version*) echo git version 2.47.0;;\n*' init '*) for last; do :; done; mkdir -p \"$last\";;\n\
             *) {script};;\nesac\n"
        ),
    );
    let git = Git::at(&git, false).unwrap();
    (folder, git)
}

fn program(folder: &TempDir, script: &str) -> PathBuf {
    let path = folder.path().join("git");
    fs::write(&path, format!("#!/bin/sh\n{script}")).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    path
}

fn fetch(folder: &TempDir, git: &Git, seconds: u64) -> GitErrorKind {
    let request = FetchRequest {
        remote: RemoteUrl::parse("https://example.invalid/o/r").unwrap(),
        revision: Revision::Default,
        into: folder.path().join("into"),
        known: None,
    };
    let limits = FetchLimits { time: Duration::from_secs(seconds), ..FetchLimits::default() };
    git.fetch(&request, limits, &mut |_| {}).unwrap_err().kind().clone()
}

/// Returns whether the process whose id is in a file is still alive.
fn is_alive(number: &Path) -> bool {
    let number = fs::read_to_string(number).unwrap();
    let is_there = || {
        let stat = fs::read_to_string(format!("/proc/{}/stat", number.trim())).unwrap_or_default();
        stat.rsplit(')').next().is_some_and(|rest| !rest.is_empty() && !rest.starts_with(" Z"))
    };
    // A killed process takes a short time to die.
    (0..200_000).all(|_| {
        std::thread::yield_now();
        is_there()
    })
}

#[test]
fn a_program_that_hangs_is_killed_with_its_children() {
    let (folder, git) = fake("cd ..; sleep 1000 & echo $! > child; echo $$ > parent; wait");
    assert_eq!(fetch(&folder, &git, 2), GitErrorKind::TimedOut(Duration::from_secs(2)));
    for name in ["child", "parent"] {
        assert!(!is_alive(&folder.path().join(name)), "{name}");
    }
}

#[test]
fn a_remaining_child_process_does_not_block() {
    let (folder, git) = fake("cd ..; sleep 1000 & echo $! > child; echo fatal: no >&2; exit 1");
    assert_eq!(fetch(&folder, &git, 600), GitErrorKind::Failed);
    assert!(!is_alive(&folder.path().join("child")));
}

#[test]
fn a_program_that_prints_forever_is_stopped() {
    let commit = ObjectId::parse(&"1".repeat(40)).unwrap();
    let (folder, git) = fake("yes");
    fs::create_dir(folder.path().join("into")).unwrap();
    let error = git.tree(&folder.path().join("into"), &commit, MountId::WORKSPACE).unwrap_err();
    assert_eq!(error.kind().name(), "too-large");
    let (folder, git) = fake("yes >&2");
    assert_eq!(fetch(&folder, &git, 1), GitErrorKind::TimedOut(Duration::from_secs(1)));
}

#[test]
fn invalid_output_is_refused() {
    let commit = ObjectId::parse(&"1".repeat(40)).unwrap();
    for answer in ["echo x", "printf '100644 blob zz 3\\tx\\0'", "printf x"] {
        let (folder, git) = fake(answer);
        fs::create_dir(folder.path().join("into")).unwrap();
        let error = git.tree(&folder.path().join("into"), &commit, MountId::WORKSPACE).unwrap_err();
        assert_eq!(*error.kind(), GitErrorKind::Unexpected, "{answer}");
    }
    // The program succeeds, but prints no commit.
    let (folder, git) = fake("echo HEAD");
    assert_eq!(fetch(&folder, &git, 600), GitErrorKind::Unexpected);
}

#[test]
fn its_output_is_sanitized() {
    let (folder, git) = fake("printf 'fatal: \\033[2J https://me:secret@host/x failed\\n' >&2; exit 128");
    let request = FetchRequest {
        remote: RemoteUrl::parse("https://example.invalid/o/r").unwrap(),
        revision: Revision::Default,
        into: folder.path().join("into"),
        known: None,
    };
    let error = git.fetch(&request, FetchLimits::default(), &mut |_| {}).unwrap_err().to_string();
    assert!(
        !error.contains("secret") && !error.contains('\u{1b}') && error.contains("https://host/x"),
        "{error}"
    );
}

#[test]
fn an_old_or_missing_git_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    for (script, expected) in [
        ("echo git version 2.31.9", "git-too-old"),
        ("echo git version 1.9", "git-too-old"),
        ("echo something else", "unexpected-answer"),
        ("exit 1", "git-failed"),
    ] {
        let git = program(&folder, script);
        assert_eq!(Git::at(&git, false).unwrap_err().kind().name(), expected, "{script}");
    }
    let git = program(&folder, "echo git version 2.32.0");
    assert!(Git::at(&git, false).is_ok());
    assert_eq!(Git::at(Path::new("git"), false).unwrap_err().kind().name(), "git-missing");
    assert_eq!(Git::at(&folder.path().join("none"), false).unwrap_err().kind().name(), "git-failed");
}
