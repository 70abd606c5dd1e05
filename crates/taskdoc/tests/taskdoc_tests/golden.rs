//! The findings in each fixture of the task family.

use std::collections::BTreeMap;
use std::path::Path;

use minds_diagnostics::Problems;
use minds_fixture::{display, read};
use minds_taskdoc::package::JOURNAL;
use minds_taskdoc::verification::{Evidence, SectionContent, verify};
use minds_taskdoc::{Home, Section, check};
use minds_vfs::{ContentHash, Location, MountId, Snapshot, SnapshotEntry, WorkspacePath};

/// The package that the fixtures about journals have.
const PACKAGE: &str = "tasks/ship-it.tsk";

fn check_fixture(case: &Path) -> Problems {
    let snapshot = read(case);
    let name = case.file_name().expect("a fixture has a name").to_string_lossy();
    if name.starts_with("journal-") {
        return verify(&evidence(&snapshot));
    }
    let home = WorkspacePath::parse("tasks").unwrap();
    check(&snapshot, Some(&Home { path: &home, is_chosen: false }))
}

/// Returns the journal and the sections of the package.
fn evidence(snapshot: &Snapshot) -> Evidence {
    let journal = format!("{PACKAGE}/{JOURNAL}");
    let file = |path: &str| {
        let location = Location::new(MountId::WORKSPACE, WorkspacePath::parse(path).unwrap());
        match snapshot.get(&location) {
            Some(SnapshotEntry::File { bytes, .. }) => Some(bytes.to_vec()),
            _ => None,
        }
    };
    let mut sections = BTreeMap::new();
    for (location, _) in snapshot.iter() {
        let path = location.path.as_str();
        let section =
            path.strip_prefix(PACKAGE).and_then(|below| Section::of_path(below.trim_start_matches('/')));
        if let (Some(section), Some(bytes)) = (section, file(path)) {
            let content = match std::str::from_utf8(&bytes) {
                Ok(_) => SectionContent::Content(ContentHash::of(&bytes)),
                Err(_) => SectionContent::Unreadable("it is not valid UTF-8".to_owned()),
            };
            sections.insert(section, content);
        }
    }
    let name = "ship-it".to_owned();
    Evidence { name, bytes: file(&journal), journal, sections, history: Vec::new() }
}

#[test]
fn findings() {
    insta::glob!("../../../../fixtures/taskdoc", "*/invalid/*", |case| {
        insta::assert_snapshot!(display(check_fixture(case)));
    });
}

#[test]
fn valid_packages_have_no_findings() {
    let mut found = String::new();
    insta::glob!("../../../../fixtures/taskdoc", "*/valid/*", |case| {
        found += &display(check_fixture(case));
    });
    assert_eq!(found, "");
}
