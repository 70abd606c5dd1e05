//! The findings in each fixture of the client family.

use std::path::Path;

use minds_clients::{ClientsFamily, check};
use minds_diagnostics::Problems;
use minds_document::check_hidden_text;
use minds_fixture::{display, read};

fn check_fixture(case: &Path) -> Problems {
    let mut problems = Problems::new();
    let family = ClientsFamily::load(&read(case)).take(&mut problems);
    problems.append(check(&family));
    problems.append(check_hidden_text(&family.sources));
    problems
}

#[test]
fn findings() {
    insta::glob!("../../../../fixtures/clients", "*/invalid/*", |case| {
        insta::assert_snapshot!(display(check_fixture(case)));
    });
}

#[test]
fn valid_files_have_no_findings() {
    let mut found = String::new();
    insta::glob!("../../../../fixtures/clients", "*/valid/*", |case| {
        let family = ClientsFamily::load(&read(case)).value;
        assert!(family.files.len() > 1, "{}: nothing was read", case.display());
        found += &display(check_fixture(case));
    });
    assert_eq!(found, "");
}
