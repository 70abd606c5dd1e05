//! Any bytes as `team.yaml`, and what follows NUL bytes as `llm.yaml` and `mcp.yaml`: there is an
//! answer, its places are true, and every format can print it.

use minds_diagnostics::{MAX_PROBLEMS_PER_FILE, Report, emit};
use minds_vfs::{Snapshot, WorkspacePath};

use super::places;

/// Checks the properties above for some bytes.
pub(crate) fn expect(bytes: &[u8]) {
    let path = |path| WorkspacePath::parse(path).expect("the path is valid");
    let mut parts = bytes.splitn(3, |byte| *byte == 0);
    let mut snapshot = Snapshot::new().with_file(path(".minds/team.yaml"), parts.next().unwrap_or_default());
    if let Some(llm) = parts.next() {
        snapshot = snapshot.with_file(path(".minds/llm.yaml"), llm);
    }
    if let Some(mcp) = parts.next() {
        snapshot = snapshot.with_file(path(".minds/mcp.yaml"), mcp);
    }
    let checked = minds_workspace::check(&snapshot);
    assert!(checked.diagnostics.len() <= 2 * MAX_PROBLEMS_PER_FILE);
    places::expect_true(&checked.diagnostics);
    let report = Report {
        root: ".".into(),
        files: checked.files,
        diagnostics: checked.diagnostics,
        allowed: checked.allowed.values().sum(),
    };
    let text = emit::human(&report, emit::Human::default()) + &emit::concise(&report);
    assert!(!text.contains(|c: char| c.is_control() && c != '\n'), "{text:?}");
    assert!(emit::json(&report).ends_with('\n'));
    // What is shown of the team never fails either.
    let _ = minds_workspace::show_team(&snapshot);
}
