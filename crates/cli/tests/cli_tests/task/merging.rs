//! Two branches of a repository that git merges.

use std::fs;
use std::process::Command;

use super::Place;

/// Runs git in the workspace without settings of the machine. Returns whether it succeeded, and its output.
fn git(place: &Place, args: &[&str]) -> (bool, String) {
    let output = Command::new("git")
        .args(["-c", "user.name=ann", "-c", "user.email=ann@example.org", "-c", "init.defaultBranch=main"])
        .args(["-c", "commit.gpgSign=false", "-c", "core.hooksPath=/dev/null", "-c", "core.autocrlf=false"])
        .args(args)
        .current_dir(place.root())
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_TERMINAL_PROMPT", "0")
        .output()
        .expect("git is installed");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.success(), text(&output.stdout) + &text(&output.stderr))
}

fn done(place: &Place, args: &[&str]) {
    let (is_done, printed) = git(place, args);
    assert!(is_done, "{args:?}: {printed}");
}

fn commit(place: &Place) {
    done(place, &["add", "-A"]);
    done(place, &["commit", "-q", "-m", "change"]);
}

/// A repository with a first commit.
fn repository() -> Place {
    let place = Place::new();
    place.set("goals", "one\ntwo\nthree\nfour\nfive\nsix\nseven\n");
    done(&place, &["init", "-q"]);
    commit(&place);
    place
}

/// Changes the package on two branches, and merges the second one into the first.
fn merge(place: &Place, ours: impl FnOnce(&Place), theirs: impl FnOnce(&Place)) -> (bool, String) {
    done(place, &["checkout", "-q", "-b", "theirs"]);
    theirs(place);
    commit(place);
    done(place, &["checkout", "-q", "main"]);
    ours(place);
    commit(place);
    git(place, &["merge", "-q", "--no-edit", "theirs"])
}

#[test]
fn files_that_a_killed_process_leaves_are_not_committed() {
    let place = repository();
    for name in [
        ".journal.jsonl.minds-lock",
        ".goals.md.minds-new",
        ".history/.pending.minds-new",
        "ux/.a.md.minds-new",
    ] {
        let path = place.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, "").unwrap();
    }
    let (is_done, changed) = git(&place, &["status", "--porcelain", "--untracked-files=all"]);
    assert!(is_done && changed.is_empty(), "{changed}");
}

#[test]
fn branches_that_changed_different_sections_merge_and_verify() {
    let place = repository();
    let merged = merge(
        &place,
        |place| {
            place.set("progress", "ours\n");
            place.set("ux/a", "ours\n");
        },
        |place| {
            place.set("goals", "theirs\n");
            place.set("goals", "theirs, again\n");
            place.set("bearinmind/risks", "theirs\n");
        },
    );
    assert!(merged.0, "{}", merged.1);
    assert_eq!(place.problems(), Vec::<String>::new());
    let (_, log) = place.json(&["log"]);
    assert_eq!(log["entries"].as_array().unwrap().len(), 6);
    // The next change follows both branches.
    place.set("progress", "both\n");
    let (_, log) = place.json(&["log"]);
    assert_eq!(log["entries"][0]["parents"].as_array().unwrap().len(), 2);
    assert_eq!(place.minds(&["undo"]).0, 0);
    assert_eq!(place.minds(&["show", "--section", "progress"]).1, "ours\n");
    assert_eq!(place.problems(), Vec::<String>::new());
}

#[test]
fn a_section_that_git_merged_is_reported_until_it_is_set_again() {
    let place = repository();
    let merged = merge(
        &place,
        |place| {
            place.set("goals", "ONE\ntwo\nthree\nfour\nfive\nsix\nseven\n");
        },
        |place| {
            place.set("goals", "one\ntwo\nthree\nfour\nfive\nsix\nSEVEN\n");
        },
    );
    assert!(merged.0, "{}", merged.1);
    assert_eq!(place.problems(), ["task/journal-section"]);
    let text = place.minds(&["show", "--section", "goals"]).1;
    assert!(text.starts_with("ONE\n") && text.ends_with("SEVEN\n"), "{text}");
    place.set("goals", &text);
    assert_eq!(place.problems(), Vec::<String>::new());
    // The result of a merge has no author, so it cannot be restored.
    assert_eq!(place.minds(&["undo"]).0, 1);
    assert_eq!(place.problems(), Vec::<String>::new());
}

#[test]
fn a_conflict_that_is_solved_for_one_side_verifies() {
    let place = repository();
    let (is_merged, _) = merge(
        &place,
        |place| {
            place.set("goals", "ours\n");
        },
        |place| {
            place.set("goals", "theirs\n");
        },
    );
    assert!(!is_merged);
    assert_eq!(place.problems(), ["task/journal-section"]);
    done(&place, &["checkout", "--theirs", "--", "tasks/demo.tsk/goals.md"]);
    commit(&place);
    assert_eq!(place.problems(), Vec::<String>::new());
    assert_eq!(fs::read_to_string(place.path("goals.md")).unwrap(), "theirs\n");
    assert_eq!(place.minds(&["blame", "goals"]).0, 0);
}
