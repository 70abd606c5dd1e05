//! Making a package of a file.

use minds_task_store::Source;
use minds_taskdoc::Section;

use super::{Place, author};

const PLAN: &str = "---\ntitle: plan\n---\n# Ship it\nintro\n\n## Goals\r\n- all of it\n\n## 约束\nc\n\n## Risks\nr\n## Notes\nlast";

#[test]
fn a_file_becomes_a_package_with_a_journal() {
    let place = Place::empty();
    let source = Source::read(PLAN.as_bytes()).unwrap();
    place.tasks().migrate("demo", &source, &author()).unwrap();
    assert_eq!(place.codes(), Vec::<&str>::new());
    assert_eq!(place.text("goals").as_deref(), Some("- all of it\n\n"));
    assert_eq!(place.text("constraints").as_deref(), Some("c\n\n"));
    assert_eq!(place.text("bearinmind/risks").as_deref(), Some("r\n"));
    assert_eq!(
        place.text("progress").as_deref(),
        Some("---\ntitle: plan\n---\n# Ship it\nintro\n\n## Notes\nlast")
    );
    let journal = place.package().journal().unwrap();
    assert_eq!(journal.entries.len(), 4);
    assert!(source.is_source_of(&place.package()).unwrap());
    assert!(!Source::read(b"# Goals\nother").unwrap().is_source_of(&place.package()).unwrap());
    // It is a package like any other: changed, and taken back.
    place.set("goals", "new\n");
    place.package().undo(&author(), None).unwrap();
    let made = journal
        .entries
        .iter()
        .find(|entry| entry.section == Section::parse_qualified("bearinmind/risks").unwrap());
    place.package().undo(&author(), Some(&made.unwrap().id.to_string())).unwrap();
    assert_eq!(place.text("bearinmind/risks"), None);
    assert_eq!(place.codes(), Vec::<&str>::new());
    assert!(source.is_source_of(&place.package()).unwrap());
}

#[test]
fn a_failed_migration_changes_nothing() {
    let place = Place::new();
    let before = place.disk();
    let too_large = [b"# Goals\n".as_slice(), &vec![b'x'; 4 * 1024 * 1024 + 1]].concat();
    for (bytes, code) in
        [(&b" \n"[..], "CONTENT_REQUIRED"), (b"\xff", "INVALID_UTF8"), (&too_large, "TOO_LARGE")]
    {
        assert_eq!(Source::read(bytes).unwrap_err().code.as_str(), code);
    }
    let source = Source::read(PLAN.as_bytes()).unwrap();
    for (name, code) in [
        ("demo", "TASKDOC_EXISTS"),
        ("DEMO", "TASKDOC_EXISTS"),
        ("../x", "TASKDOC_INVALID"),
        ("x.md", "TASKDOC_INVALID"),
    ] {
        assert_eq!(
            place.tasks().migrate(name, &source, &author()).unwrap_err().code.as_str(),
            code,
            "{name}"
        );
        assert!(place.disk() == before, "{name}");
    }
}
