//! The findings of one run.

use serde::Serialize;

use crate::{Diagnostic, Severity};

/// What a check found, ready to be emitted.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// The workspace, as the caller named it.
    pub root: String,
    /// The files that were checked, relative to the workspace, sorted.
    pub files: Vec<String>,
    /// The findings, in the order in which they are shown.
    pub diagnostics: Vec<Diagnostic>,
    /// How many findings there are besides, which comments allow.
    pub allowed: usize,
}

/// How many findings of each severity there are, and how many are allowed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Summary {
    /// The number of errors.
    pub errors: usize,
    /// The number of warnings.
    pub warnings: usize,
    /// The number of infos.
    pub infos: usize,
    /// The number of findings that comments allow; they are none of the others.
    pub allowed: usize,
}

impl Report {
    /// Counts the findings.
    pub fn summary(&self) -> Summary {
        let count = |severity| self.diagnostics.iter().filter(|found| found.severity == severity).count();
        Summary {
            errors: count(Severity::Error),
            warnings: count(Severity::Warning),
            infos: count(Severity::Info),
            allowed: self.allowed,
        }
    }
}

impl Summary {
    /// Returns whether the run passes: no error, and in strict mode no warning either.
    pub fn is_clean(&self, strict: bool) -> bool {
        self.errors == 0 && (!strict || self.warnings == 0)
    }
}
