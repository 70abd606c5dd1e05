//! `edit`, with an editor that is a shell command.

use std::fs;

use super::Place;

/// An editor that overwrites the file.
fn writing(text: &str) -> String {
    format!("sh -c 'printf %s \"$0\" > \"$1\"' '{text}'")
}

/// Returns the contents of the remaining copies for editors.
fn remaining_copies(place: &Place) -> Vec<String> {
    let folder = place.root().join("../home/edits");
    let files = fs::read_dir(folder).into_iter().flatten().flatten();
    files.map(|entry| fs::read_to_string(entry.path()).unwrap()).collect()
}

#[test]
fn saved_text_replaces_the_section_and_its_name_is_reported() {
    let place = Place::new();
    place.set("goals", "one\n");
    let (code, out, err) =
        place.with(&[("EDITOR", "false"), ("VISUAL", &writing("two"))], &["edit", "goals"], b"");
    assert_eq!(code, 0, "{err}");
    assert!(
        err.starts_with("minds: editing `goals` of task `demo` (`tasks/demo.tsk/goals.md`, 4 B)\n"),
        "{err}"
    );
    assert!(out.contains("`goals` of the task `demo`"), "{out}");
    assert_eq!(place.minds(&["show", "--section", "goals"]).1, "two");
    let made = place.with(&[("EDITOR", &writing("new"))], &["edit", "checklist", "--category", "ux"], b"");
    assert_eq!(made.0, 0, "{}", made.2);
    assert_eq!(place.minds(&["recall", "checklist", "--category", "ux"]).1, "new");
    assert_eq!(remaining_copies(&place), Vec::<String>::new());
    assert_eq!(place.problems(), Vec::<String>::new());
}

#[test]
fn unsaved_edits_change_nothing() {
    let place = Place::new();
    place.set("goals", "one\n");
    let before = place.disk();
    for (editor, code, printed) in [
        ("true".to_owned(), 0, "is unchanged"),
        (writing(" "), 1, "CONTENT_REQUIRED"),
        ("false".to_owned(), 2, "failed"),
        ("no-such-editor".to_owned(), 2, "failed"),
        ("rm".to_owned(), 2, "removed the file"),
    ] {
        let (ended, _, err) = place.with(&[("EDITOR", &editor)], &["edit", "goals"], b"");
        assert!(ended == code && err.contains(printed), "{editor}: {ended}: {err}");
        assert!(place.disk() == before, "{editor}");
        assert_eq!(remaining_copies(&place), Vec::<String>::new(), "{editor}");
    }
    // Text that was written before the editor failed is kept.
    let (code, _, err) =
        place.with(&[("EDITOR", "sh -c 'printf half > \"$0\"; false'")], &["edit", "goals"], b"");
    assert!(code == 2 && err.contains("your changes are kept in `"), "{err}");
    assert_eq!(remaining_copies(&place), ["half"]);
    assert!(place.disk() == before);
}

#[test]
fn concurrent_changes_and_the_edited_text_are_kept() {
    let place = Place::new();
    place.set("goals", "one\n");
    let minds = env!("CARGO_BIN_EXE_minds");
    let editor =
        format!("sh -c 'echo theirs | \"{minds}\" task set goals --from - > /dev/null; echo mine > \"$0\"'");
    let (code, _, err) = place.with(&[("EDITOR", &editor)], &["edit", "goals"], b"");
    assert!(
        code == 1 && err.contains("HASH_MISMATCH") && err.contains("your changes are kept in `"),
        "{err}"
    );
    assert_eq!(place.minds(&["show", "--section", "goals"]).1, "theirs\n");
    assert_eq!(remaining_copies(&place), ["mine\n"]);
    // The same for a section that did not exist.
    let editor = format!(
        "sh -c 'echo theirs | \"{minds}\" task set a --category ux --from - > /dev/null; echo ours > \"$0\"'"
    );
    let (code, _, err) = place.with(&[("EDITOR", &editor)], &["edit", "a", "--category", "ux"], b"");
    assert!(code == 1 && err.contains("SECTION_EXISTS"), "{err}");
    assert_eq!(place.minds(&["recall", "a", "--category", "ux"]).1, "theirs\n");
    assert_eq!(remaining_copies(&place).len(), 2);
}
