//! Reviewing a source, and sources that are made to keep a machine busy.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use minds_installer::{ReviewReport, review};
use tempfile::TempDir;

fn write(folder: &Path, name: &str, text: &str) {
    let path = folder.join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

fn source() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "mind.toml", "[source]\nprefix = \"jk\"\n");
    write(folder.path(), "agents/planner.md", "---\ndescription: Plans.\n---\nThen ask reviewer.\n");
    write(folder.path(), "agents/reviewer.md", "---\ndescription: Reviews.\n---\n");
    folder
}

fn codes(reviewed: &ReviewReport) -> Vec<&str> {
    reviewed.report.diagnostics.iter().map(|found| found.rule.code).collect()
}

#[test]
fn a_source_is_reviewed_by_its_folder_or_its_file_and_with_another_prefix() {
    let folder = source();
    let of = |target: &str, prefix| review(folder.path(), Path::new(target), prefix).unwrap();
    for target in [".", "mind.toml", "agents/.."] {
        let reviewed = of(target, None);
        assert_eq!((codes(&reviewed), reviewed.items), (vec!["source/unguarded-reference"], 2), "{target}");
    }
    let other = of(".", Some("x"));
    assert!(other.report.diagnostics[0].message.contains("`x-reviewer`"));
    assert_eq!(codes(&of(".", Some(""))), [""; 0]);
    for (target, prefix) in [("nowhere", None), ("agents/planner.md", None), (".", Some("../x"))] {
        assert!(review(folder.path(), Path::new(target), prefix).is_err(), "{target} {prefix:?}");
    }
}

#[test]
fn a_review_changes_nothing() {
    let folder = source();
    symlink("reviewer.md", folder.path().join("agents/link.md")).unwrap();
    let listing = || {
        let output =
            Command::new("find").arg(folder.path()).args(["-printf", "%p %y %m %s %T@ %C@ %l\n"]).output();
        String::from_utf8(output.unwrap().stdout).unwrap()
    };
    let before = listing();
    assert_eq!(review(folder.path(), Path::new("."), None).unwrap().items, 3);
    assert_eq!(listing(), before);
}

/// Reviews a folder that is designed to cause endless work, with a timeout of one minute.
#[track_caller]
fn ends(folder: TempDir) -> Vec<String> {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        let reviewed = review(folder.path(), Path::new("."), None).unwrap();
        let shown = |found: &minds_diagnostics::Diagnostic| format!("{}: {}", found.rule.code, found.message);
        sender.send(reviewed.report.diagnostics.iter().map(shown).collect()).unwrap();
    });
    receiver.recv_timeout(Duration::from_mins(1)).expect("it ends")
}

#[test]
fn links_that_lead_to_their_own_folder_are_not_followed() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "skills/loop/SKILL.md", "---\nname: loop\ndescription: d\n---\n");
    for name in ["l", "m"] {
        symlink(".", folder.path().join("skills/loop").join(name)).unwrap();
    }
    assert_eq!(
        ends(folder),
        ["source/unusable-content: cannot install skill:loop: \
          `skills/loop/l` is a symbolic link to `.`, which is not a file of the same item"]
    );
}

#[test]
fn link_chains_and_pipes_are_handled() {
    let folder = tempfile::tempdir().unwrap();
    let long = "x/../".repeat(800);
    for number in 0..300 {
        fs::create_dir_all(folder.path().join("agents/x")).unwrap();
        symlink(format!("{long}a{}.md", number + 1), folder.path().join(format!("agents/a{number}.md")))
            .unwrap();
    }
    assert!(Command::new("mkfifo").arg(folder.path().join("agents/pipe.md")).status().unwrap().success());
    let found = ends(folder);
    assert_eq!(found.iter().filter(|found| found.starts_with("source/dangling-link")).count(), 300);
    assert_eq!(found.iter().filter(|found| found.starts_with("source/unreadable-item")).count(), 1);
}

#[test]
fn nested_directories_are_limited() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "mind.toml", "[discover]\nagents = { include = [\"**/*.md\"] }\n");
    write(folder.path(), &format!("{}x.md", "d/".repeat(300)), "");
    write(folder.path(), &format!("skills/deep/{}x.md", "d/".repeat(300)), "");
    let found = ends(folder);
    assert!(found[0].starts_with("source/too-large"), "{found:?}");
}
