//! Any body of a section comes back byte for byte.

use minds_task_store::Edit;
use minds_taskdoc::{DEFAULT_BUDGET, Language, effective_text};
use proptest::prelude::*;

use super::{Place, author};

/// Strings with special meanings in some formats.
fn body() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        prop::sample::select(vec![
            "# Goals",
            "## Constraints",
            "---\nkey: value\n---",
            "```md",
            "~~~",
            "<!--",
            "\u{feff}",
            "\r\n",
            "\r",
            "\n",
            "\n\n",
            "\0",
            "\u{2028}",
            "差遣牒",
            "👩‍👩‍👧",
            "\u{202e}abc",
            "{\"id\":\"sha256:0\"}",
            " ",
            "\t",
            "text",
        ])
        .prop_map(ToOwned::to_owned),
        any::<String>(),
    ];
    prop::collection::vec(piece, 1..8).prop_map(|pieces| pieces.concat())
}

fn come_back(bodies: &[String]) -> Result<(), TestCaseError> {
    let place = Place::new();
    let mut held = String::new();
    let mut changes = Vec::new();
    for body in bodies.iter().filter(|body| !body.trim().is_empty()) {
        for section in ["goals", "bearinmind/risks", "ux/checklist"] {
            place.set(section, body);
            let held = place.text(section);
            prop_assert_eq!(held.as_ref(), Some(body));
        }
        let text = effective_text(&place.package().bodies(), Language::English, DEFAULT_BUDGET).text;
        let framed = format!("\n## Goals\n{body}\n");
        prop_assert!(text.contains(&framed));
        if *body != held {
            changes.push((place.package().history().unwrap().change(None).unwrap(), held.clone()));
        }
        held.clone_from(body);
    }
    prop_assert_eq!(place.codes(), Vec::<&str>::new());
    // Back to each of them, the oldest last.
    for (change, before) in changes.iter().rev() {
        place.package().undo(&author(), Some(&change.id.to_string())).unwrap();
        prop_assert_eq!(place.text("ux/checklist").unwrap_or_default(), before.as_str());
    }
    prop_assert_eq!(place.codes(), Vec::<&str>::new());
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn bodies_are_read_back_byte_for_byte(bodies in prop::collection::vec(body(), 1..4)) {
        come_back(&bodies)?;
    }
}

#[test]
fn large_bodies_are_read_back() {
    let large = "0123456789abcde\n".repeat(65_536);
    come_back(&["small".to_owned(), large.clone() + "no final line break", large]).unwrap();
}

#[test]
fn refused_changes_leave_files_unchanged() {
    let place = Place::new();
    place.set("goals", "one\n");
    place.set("ux/a", "two\n");
    let before = place.disk();
    let too_large = "x".repeat(4 * 1024 * 1024 + 1);
    let refused = [
        ("goals", Edit::Set(" \n".to_owned()), "CONTENT_REQUIRED"),
        ("goals", Edit::Set(too_large.clone()), "TOO_LARGE"),
        ("goals", Edit::Append { text: too_large, separator: None }, "TOO_LARGE"),
        ("goals", Edit::Create("x".to_owned()), "SECTION_EXISTS"),
        ("goals", Edit::Remove, "TOP_LEVEL_IS_REQUIRED"),
        ("ux/b", Edit::Remove, "SECTION_NOT_FOUND"),
        ("ux/b", Edit::Append { text: "x".to_owned(), separator: None }, "SECTION_NOT_FOUND"),
        ("ux/A", Edit::Set("x".to_owned()), "NAME_COLLISION"),
        ("UX/a", Edit::Set("x".to_owned()), "NAME_COLLISION"),
    ];
    for (section, edit, code) in refused {
        let error = place.change(section, edit).unwrap_err();
        assert_eq!(error.code.as_str(), code, "{section}");
        assert!(error.next.is_some(), "{section}: {code}");
        assert!(place.disk() == before, "{section}: {code}");
    }
    for (change, code) in
        [("abcdef", "CHANGE_NOT_FOUND"), ("goals", "CHANGE_NOT_FOUND"), ("12345", "CHANGE_NOT_FOUND")]
    {
        assert_eq!(place.package().undo(&author(), Some(change)).unwrap_err().code.as_str(), code);
        assert!(place.disk() == before, "{change}");
    }
}
