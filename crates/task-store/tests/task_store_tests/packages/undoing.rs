//! Taking back, and who wrote which line.

use std::fs;

use minds_task_store::Edit;
use minds_taskdoc::Section;
use proptest::prelude::*;

use super::{Place, author};

fn undo(place: &Place, change: Option<&str>) -> Vec<String> {
    let undone = place.package().undo(&author(), change).expect("it is undone");
    undone.taken_back.iter().map(|entry| entry.id.to_string()).collect()
}

#[test]
fn undo_restores_the_content_before_a_change() {
    let place = Place::new();
    let one = place.set("goals", "one\n");
    let other = place.set("progress", "other\n");
    let two = place.set("goals", "two\n");
    let three = place.set("goals", "three\n");
    assert_eq!(undo(&place, Some(&two)), std::slice::from_ref(&three));
    assert_eq!(place.text("goals").as_deref(), Some("one\n"));
    assert_eq!(place.text("progress").as_deref(), Some("other\n"));
    // The undo is the newest change, and can be undone.
    let undoing = place.package().history().unwrap().change(None).unwrap();
    assert_eq!(undoing.undoes.map(|id| id.to_string()), Some(two.clone()));
    assert_eq!(undo(&place, None), Vec::<String>::new());
    assert_eq!(place.text("goals").as_deref(), Some("three\n"));
    let later = undo(&place, Some(&one));
    assert_eq!(later.len(), 4);
    assert_eq!((&later[0], &later[1]), (&two, &three));
    assert_eq!(place.text("goals").as_deref(), Some(""));
    undo(&place, Some(&other[..13]));
    assert_eq!(place.text("progress").as_deref(), Some(""));
    assert_eq!(place.codes(), Vec::<&str>::new());
}

#[test]
fn created_and_removed_sections_are_undone() {
    let place = Place::new();
    let made = place.set("ux/a", "one\n");
    place.change("ux/a", Edit::Append { text: "two".to_owned(), separator: None }).unwrap();
    let removed = place.change("ux/a", Edit::Remove).unwrap().entry.unwrap();
    undo(&place, None);
    assert_eq!(place.text("ux/a").as_deref(), Some("one\ntwo"));
    assert_eq!(undo(&place, Some(&made)).len(), 3);
    assert_eq!(place.text("ux/a"), None);
    undo(&place, Some(&removed.id.to_string()));
    assert_eq!(place.text("ux/a").as_deref(), Some("one\ntwo"));
    place.change("ux/a", Edit::Clear).unwrap();
    undo(&place, None);
    assert_eq!(place.text("ux/a").as_deref(), Some("one\ntwo"));
    assert_eq!(place.codes(), Vec::<&str>::new());
}

#[test]
fn contents_that_were_not_saved_are_found_elsewhere_or_reported() {
    let place = Place::new();
    place.set("goals", "one\n");
    let two = place.set("goals", "two\n");
    place.set("goals", "one\n");
    let kept = |change: &str| place.path(".history").join(change.replace(':', "-"));
    // What it held before is what it holds now.
    fs::remove_file(kept(&two)).unwrap();
    undo(&place, Some(&two));
    let three = place.set("goals", "three\n");
    let four = place.set("goals", "four\n");
    fs::remove_file(kept(&four)).unwrap();
    let before = place.disk();
    let error = place.package().undo(&author(), Some(&four)).unwrap_err();
    assert_eq!(error.code.as_str(), "CONTENT_GONE");
    assert!(place.disk() == before);
    // A content that is not the one that was kept is none.
    fs::copy(kept(&three), kept(&four)).unwrap();
    assert_eq!(place.package().undo(&author(), Some(&four)).unwrap_err().code.as_str(), "CONTENT_GONE");
    assert_eq!(place.codes(), ["task/journal-kept"]);
}

#[test]
fn nothing_to_undo_is_reported() {
    let place = Place::new();
    let error = place.package().undo(&author(), None).unwrap_err();
    assert_eq!(error.code.as_str(), "CHANGE_NOT_FOUND");
}

#[test]
fn lines_are_blamed_on_changes() {
    let place = Place::new();
    let one = place.set("goals", "a\nb\n");
    let two = place.set("goals", "a\nx\nb\n");
    let goals = Section::GOALS;
    let blamed = |place: &Place| -> Vec<(String, String, bool)> {
        let lines = place.package().history().unwrap().blame(&goals).unwrap();
        lines
            .into_iter()
            .map(|line| {
                (
                    line.text,
                    line.change.map(|change| change.id.to_string()).unwrap_or_default(),
                    line.is_certain,
                )
            })
            .collect()
    };
    let line = |text: &str, change: &str, is_certain| (text.to_owned(), change.to_owned(), is_certain);
    assert_eq!(blamed(&place), [line("a", &one, true), line("x", &two, true), line("b", &one, true)]);
    // A manual change has no author until it is recorded.
    place.write("goals.md", "a\nx\nhand\n");
    assert!(blamed(&place).iter().all(|(_, change, is_certain)| change.is_empty() && !is_certain));
    let three = place.set("goals", "a\nx\nhand\nthree\n");
    let by_hand = place.package().journal().unwrap().in_order().iter().rev().nth(1).unwrap().id.to_string();
    assert_eq!(blamed(&place)[3], line("three", &three, true));
    // The previous content was not saved, so the line may be older.
    assert_eq!(blamed(&place)[0], line("a", &by_hand, false));
    assert_eq!(place.codes(), Vec::<&str>::new());
    let error =
        place.package().history().unwrap().blame(&Section::parse_qualified("ux/none").unwrap()).unwrap_err();
    assert_eq!(error.code.as_str(), "SECTION_NOT_FOUND");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    /// Undoing any change restores the content before it, and blame matches an oracle.
    #[test]
    fn any_change_can_be_undone(texts in prop::collection::vec("[a-c\n]{1,12}", 1..8), picked in any::<prop::sample::Index>()) {
        let place = Place::new();
        let mut states = vec![String::new()];
        let mut changes = Vec::new();
        for text in texts.iter().filter(|text| !text.trim().is_empty()) {
            let change = place.set("ux/a", text);
            if !change.is_empty() {
                changes.push(change);
                states.push(text.clone());
            }
        }
        prop_assume!(!changes.is_empty());
        let index = picked.index(changes.len());
        let taken_back = undo(&place, Some(&changes[index]));
        prop_assert_eq!(place.text("ux/a").unwrap_or_default(), states[index].clone());
        let is_same = states[index] == *states.last().unwrap() && index > 0;
        prop_assert!(is_same || taken_back == changes[index + 1..]);
        prop_assert_eq!(place.codes(), Vec::<&str>::new());
    }
}
