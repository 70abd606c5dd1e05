//! The team and the findings of each fixture.

use std::path::Path;

use minds_fixture::{display, read};

use crate::support::import_snapshot;

/// Returns the findings, and the files with their contents.
fn picture(case: &Path) -> String {
    let imported = import_snapshot(&read(case), None);
    let mut text = display(imported.problems);
    for (path, content) in &imported.files {
        text.push_str(&format!("==> {path}\n{content}"));
    }
    text
}

#[test]
fn findings() {
    insta::glob!("../../../../fixtures/client-import", "*/invalid/*", |case| {
        insta::assert_snapshot!(picture(case));
    });
}

#[test]
fn teams() {
    insta::glob!("../../../../fixtures/client-import", "*/teams/*", |case| {
        insta::assert_snapshot!(picture(case));
    });
}
