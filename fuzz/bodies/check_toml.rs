//! Any bytes as `minds.toml`: there is an answer, its places are true, every format can print it, and mending it ends.

use minds_diagnostics::{MAX_PROBLEMS_PER_FILE, Report, SourceFile, emit};
use minds_document::toml;
use minds_vfs::{Snapshot, WorkspacePath};

use super::places;

/// Checks the properties above for some bytes.
pub(crate) fn expect(bytes: &[u8]) {
    let path = WorkspacePath::parse(".minds/minds.toml").expect("the path is valid");
    let snapshot = Snapshot::new().with_file(path, bytes);
    let checked = minds_workspace::check(&snapshot);
    assert!(checked.diagnostics.len() <= 2 * MAX_PROBLEMS_PER_FILE);
    places::expect_true(&checked.diagnostics);
    let source = SourceFile::new("minds.toml", bytes);
    let parsed = toml::parse(&source);
    assert!(parsed.value.is_some() || parsed.problems.has_errors());
    if let (Some(document), Ok(text)) = (&parsed.value, source.text()) {
        for node in document.iter() {
            assert!(text.get(node.span().range()).is_some(), "{node:?}");
        }
        let _ = document.root().to_json();
    }
    let report = Report {
        root: ".".into(),
        files: checked.files,
        diagnostics: checked.diagnostics,
        ..Report::default()
    };
    let text = emit::human(&report, emit::Human::default()) + &emit::concise(&report);
    assert!(!text.contains(|c: char| c.is_control() && c != '\n'), "{text:?}");
    assert!(emit::json(&report).ends_with('\n'));
    let fixed = minds_workspace::fix(&snapshot);
    assert_eq!(minds_workspace::fix(&fixed.snapshot).count, 0);
}
