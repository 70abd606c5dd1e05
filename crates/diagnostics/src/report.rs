//! The findings of one run.

use schemars::JsonSchema;
use serde::Serialize;

use crate::{Diagnostic, Severity};

/// The result of a check, ready to be printed.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// The workspace, as given by the caller.
    pub root: String,
    /// The files that were checked, relative to the workspace, sorted.
    pub files: Vec<String>,
    /// The findings, in the order in which they are shown.
    pub diagnostics: Vec<Diagnostic>,
    /// The number of suppressed findings, which are not in `diagnostics`.
    pub allowed: usize,
}

/// The number of findings of each severity, and of suppressed findings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Summary {
    /// The number of errors.
    pub errors: usize,
    /// The number of warnings.
    pub warnings: usize,
    /// The number of infos.
    pub infos: usize,
    /// The number of suppressed findings, which are not in the other numbers.
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
