//! What is found out, and what is not worth a word.

use std::fs;

use minds_task_store::Edit;

use super::Place;

/// A modification of a package.
type Damage = fn(&Place);

/// A package with a history: the goals were changed twice, another section was made, and one removed.
fn history() -> Place {
    let place = Place::new();
    place.set("goals", "one\n");
    place.set("ux/a", "a\n");
    place.set("goals", "two\n");
    place.set("ux/b", "b\n");
    place.change("ux/b", Edit::Remove).unwrap();
    assert_eq!(place.codes(), Vec::<&str>::new());
    place
}

fn lines(place: &Place) -> Vec<String> {
    place.read("journal.jsonl").lines().map(ToOwned::to_owned).collect()
}

fn rewrite(place: &Place, lines: &[String]) {
    place.write("journal.jsonl", &lines.iter().map(|line| format!("{line}\n")).collect::<Vec<_>>().concat());
}

#[test]
fn entries_in_any_order_and_duplicates_are_accepted_after_merges() {
    let place = history();
    let mut all = lines(&place);
    all.reverse();
    rewrite(&place, &all);
    assert_eq!(place.codes(), Vec::<&str>::new());
    all.extend_from_slice(&all.clone()[1..3]);
    all.push(String::new());
    rewrite(&place, &all);
    assert_eq!(place.codes(), Vec::<&str>::new());
    place.write("journal.jsonl", &place.read("journal.jsonl").replace('\n', "\r\n"));
    assert_eq!(place.codes(), Vec::<&str>::new());
}

#[test]
fn changed_and_removed_journal_lines_are_reported() {
    let place = history();
    let all = lines(&place);
    for index in 0..all.len() {
        let mut without = all.clone();
        without.remove(index);
        rewrite(&place, &without);
        assert!(!place.codes().is_empty(), "line {index} was removed");
        for (from, to) in
            [("user:ann", "user:eve"), ("2026", "2025"), ("\"size\":", "\"size\":1"), ("\"at\":", "\"at\": ")]
        {
            let mut changed = all.clone();
            changed[index] = changed[index].replacen(from, to, 1);
            rewrite(&place, &changed);
            assert!(place.codes().contains(&"task/journal-line"), "line {index}: {from} became {to}");
        }
    }
    rewrite(&place, &all);
    assert_eq!(place.codes(), Vec::<&str>::new());
    place.write("journal.jsonl", "");
    assert_eq!(place.codes().iter().filter(|code| **code == "task/journal-section").count(), 2);
    fs::remove_file(place.path("journal.jsonl")).unwrap();
    assert_eq!(place.codes(), ["task/journal-missing"]);
}

#[test]
fn sections_that_differ_from_the_journal_are_reported() {
    let section = ["task/journal-section"];
    let damages: &[(&str, Damage)] = &[
        ("edited", |place| place.write("goals.md", "three\n")),
        ("emptied", |place| place.write("goals.md", "")),
        ("removed", |place| fs::remove_file(place.path("goals.md")).unwrap()),
        ("removed extra", |place| fs::remove_file(place.path("ux/a.md")).unwrap()),
        ("not written down", |place| place.write("progress.md", "p")),
        ("made by hand", |place| place.write("ux/c.md", "c")),
        ("came back", |place| place.write("ux/b.md", "b\n")),
        ("not UTF-8", |place| fs::write(place.path("goals.md"), b"\xff").unwrap()),
        ("a directory", |place| {
            fs::remove_file(place.path("goals.md")).unwrap();
            fs::create_dir(place.path("goals.md")).unwrap();
        }),
        ("a link", |place| {
            fs::remove_file(place.path("goals.md")).unwrap();
            std::os::unix::fs::symlink("constraints.md", place.path("goals.md")).unwrap();
        }),
        ("two names", |place| fs::hard_link(place.path("goals.md"), place.path("other")).unwrap()),
    ];
    for (what, damage) in damages {
        let place = history();
        damage(&place);
        assert_eq!(place.codes(), section, "{what}");
    }
    let place = history();
    place.write("notes.txt", "other files are allowed here");
    place.write("ux/d.md", "");
    fs::remove_file(place.path("progress.md")).unwrap();
    assert_eq!(place.codes(), Vec::<&str>::new());
}

#[test]
fn manual_changes_are_recorded() {
    let place = history();
    place.write("goals.md", "by hand\n");
    assert_eq!(place.codes(), ["task/journal-section"]);
    place.set("goals", "by hand\n");
    assert_eq!(place.codes(), Vec::<&str>::new());
    // An entry that confirms the content did not write it.
    let journal = place.package().journal().unwrap();
    let ordered = journal.in_order();
    let newest = ordered.last().unwrap();
    assert_eq!((newest.operation.as_str(), newest.draft.actor.as_str()), ("outside", "unknown"));
}

#[test]
fn an_interrupted_change_is_verified_as_if_completed() {
    for is_written in [false, true] {
        let place = history();
        let before = place.read("journal.jsonl");
        let change = place.set("goals", "three\n");
        let kept = place.path(".history").join(change.replace(':', "-"));
        fs::rename(kept, place.path(".history/pending")).unwrap();
        if !is_written {
            place.write("journal.jsonl", &before);
        }
        let disk = place.disk();
        assert_eq!(place.codes(), Vec::<&str>::new());
        assert!(place.disk() == disk, "asking writes nothing");
        place.set("progress", "next\n");
        assert_eq!(place.codes(), Vec::<&str>::new());
        assert!(
            place.package().journal().unwrap().entries.iter().any(|entry| entry.id.to_string() == change)
        );
    }
}
