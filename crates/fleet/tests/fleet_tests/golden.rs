//! The findings in each fixture of the fleet family.

use std::path::Path;

use minds_diagnostics::Problems;
use minds_document::check_hidden_text;
use minds_fixture::{display, read};
use minds_fleet::{FleetFamily, check};

fn check_fixture(case: &Path) -> Problems {
    let mut problems = Problems::new();
    let family = FleetFamily::load(&read(case)).take(&mut problems);
    problems.append(check(&family));
    problems.append(check_hidden_text(&family.sources));
    problems
}

#[test]
fn findings() {
    insta::glob!("../../../../fixtures/fleet", "*/invalid/*", |case| {
        insta::assert_snapshot!(display(check_fixture(case)));
    });
}

#[test]
fn valid_files_have_no_findings() {
    let mut found = String::new();
    insta::glob!("../../../../fixtures/fleet", "*/valid/*", |case| {
        let family = FleetFamily::load(&read(case)).value;
        assert!(!family.sources.is_empty(), "{}: nothing was read", case.display());
        found += &display(check_fixture(case));
    });
    assert_eq!(found, "");
}
