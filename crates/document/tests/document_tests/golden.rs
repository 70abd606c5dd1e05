//! The findings in each fixture about the syntax and the characters of files.

use std::path::Path;

use minds_diagnostics::Problems;
use minds_document::{Format, check_hidden_text};
use minds_fixture::{display, read};

/// Parses each file of a fixture, and searches it for hidden text.
fn check_fixture(case: &Path) -> Problems {
    let mut problems = Problems::new();
    let snapshot = read(case);
    let files = snapshot.iter().filter(|(_, entry)| entry.bytes().is_ok());
    for (place, _) in files {
        let Some(source) = snapshot.source(place, &mut problems) else { continue };
        if let Some(format) = Format::of(source.name()) {
            problems.append(format.parse(&source).problems);
        }
        problems.append(check_hidden_text([&source]));
    }
    problems
}

#[test]
fn findings() {
    insta::glob!("../../../../fixtures/document", "*/invalid/*", |case| {
        insta::assert_snapshot!(display(check_fixture(case)));
    });
}

#[test]
fn valid_files_have_no_findings() {
    let mut found = String::new();
    insta::glob!("../../../../fixtures/document", "*/valid/*", |case| {
        found += &display(check_fixture(case));
    });
    assert_eq!(found, "");
}
