//! The findings of one run.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use crate::{Diagnostic, Severity, SourceFile};

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
    /// Gives every file another name, in the list of files and in the findings.
    pub fn rename_files(&mut self, rename: impl Fn(&str) -> String) {
        for file in &mut self.files {
            *file = rename(file);
        }
        // The lines of a file are found once, whatever the number of its findings. Files are kept, so that no other one
        // has the same address.
        let mut replaced: BTreeMap<usize, (SourceFile, SourceFile)> = BTreeMap::new();
        let mut replace = |source: &mut SourceFile| {
            let known = replaced.entry(source.address());
            let rename = || (source.clone(), source.with_name(rename(source.name())));
            *source = known.or_insert_with(rename).1.clone();
        };
        for found in &mut self.diagnostics {
            let labels = found.primary.iter_mut().chain(&mut found.secondary);
            labels.for_each(|label| replace(&mut label.source));
            let edits = found.fix.iter_mut().flat_map(|fix| &mut fix.edits);
            edits.for_each(|edit| replace(&mut edit.source));
        }
    }

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
