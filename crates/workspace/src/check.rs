//! What is wrong in a workspace.

use minds_core::TeamFamily;
use minds_diagnostics::{Diagnostic, Problems};
use minds_document::Snapshot;

/// What was checked, and what was found.
#[derive(Clone, Debug, Default)]
pub struct Checked {
    /// The files that were looked at, sorted; those that are not there are not among them.
    pub files: Vec<String>,
    /// Whether the workspace asks for warnings to count like errors, in `.minds/minds.toml`.
    pub strict: bool,
    /// The findings, in the order in which they are shown.
    pub diagnostics: Vec<Diagnostic>,
}

/// Checks every family that the snapshot holds.
pub fn check(snapshot: &Snapshot) -> Checked {
    let mut problems = Problems::new();
    let family = TeamFamily::load(snapshot).take(&mut problems);
    problems.append(minds_core::check(&family));
    let files = snapshot.iter().map(|(location, _)| location.to_string()).collect();
    let strict = family.readable_settings().is_some_and(minds_core::settings::Settings::is_strict);
    Checked { files, strict, diagnostics: problems.into_sorted() }
}
