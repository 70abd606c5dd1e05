//! The findings in each fixture of the team family.

use std::path::Path;

use minds_core::{Host, TeamFamily, check, check_host};
use minds_diagnostics::Problems;
use minds_document::check_hidden_text;
use minds_fixture::{display, read};

/// Checks the files of a fixture. Only fixtures about environment variables are checked on a machine, which has none.
fn check_fixture(case: &Path) -> Problems {
    let mut problems = Problems::new();
    let family = TeamFamily::load(&read(case)).take(&mut problems);
    problems.append(check(&family));
    problems.append(check_hidden_text(&family.sources));
    let name = case.file_name().expect("a fixture has a name").to_string_lossy();
    if name.starts_with("unset-variable") {
        problems.append(check_host(&family, &Host::default()));
    }
    problems
}

#[test]
fn findings() {
    insta::glob!("../../../../fixtures/minds-core", "*/invalid/*", |case| {
        insta::assert_snapshot!(display(check_fixture(case)));
    });
}

/// What only another runtime provides or reads is an information.
const FOR_OTHER_RUNTIMES: [&str; 2] = ["mcp/no-effect", "team/toolset-without-tools"];

#[test]
fn valid_files_have_no_findings() {
    let mut found = String::new();
    insta::glob!("../../../../fixtures/minds-core", "*/valid/*", |case| {
        let family = TeamFamily::load(&read(case)).value;
        assert!(!family.sources.is_empty(), "{}: nothing was read", case.display());
        for diagnostic in check_fixture(case).into_sorted() {
            if !FOR_OTHER_RUNTIMES.contains(&diagnostic.rule.code) {
                found += &format!("{}: {}\n", case.display(), diagnostic.message);
            }
        }
    });
    assert_eq!(found, "");
}
