//! What is wrong in a workspace.

use std::collections::BTreeMap;

use minds_core::TeamFamily;
use minds_diagnostics::{Diagnostic, Problems};
use minds_document::Snapshot;

use crate::allow;

/// What was checked, and what was found.
#[derive(Clone, Debug, Default)]
pub struct Checked {
    /// The files that were looked at, sorted; those that are not there are not among them.
    pub files: Vec<String>,
    /// The findings, in the order in which they are shown.
    pub diagnostics: Vec<Diagnostic>,
    /// How many findings comments allow, by file; files without any are not among them.
    pub allowed: BTreeMap<String, usize>,
}

/// Checks every family that the snapshot holds, and the comments that allow findings.
pub fn check(snapshot: &Snapshot) -> Checked {
    let mut problems = Problems::new();
    let family = TeamFamily::load(snapshot).take(&mut problems);
    problems.append(minds_core::check(&family));
    allow::check(&mut problems);
    let files = snapshot.iter().map(|(location, _)| location.to_string()).collect();
    let allowed = problems.allowed();
    Checked { files, diagnostics: problems.into_sorted(), allowed }
}
