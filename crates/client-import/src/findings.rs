//! What is reported about an import.

use minds_clients::ClientFile;
use minds_diagnostics::{Diagnostic, Label, Problems, Rule, Severity, Span};

use crate::rules;

/// The findings of an import.
#[derive(Debug, Default)]
pub(crate) struct Findings {
    pub(crate) problems: Problems,
}

impl Findings {
    /// Adds a finding at a place.
    pub(crate) fn report(
        &mut self,
        rule: &'static Rule,
        place: &Label,
        message: impl Into<String>,
        help: impl Into<String>,
    ) {
        self.problems.push(Diagnostic::new(rule, message).primary(place.clone()).help(help));
    }

    /// Reports something that a team has no place for, and that limits nothing.
    pub(crate) fn report_loss(&mut self, place: &Label, message: impl Into<String>, help: impl Into<String>) {
        let found = Diagnostic::new(&rules::NOT_CARRIED_OVER, message).severity(Severity::Info);
        self.problems.push(found.primary(place.clone()).help(help));
    }

    /// Reports something that a team has no place for, and on which the user may rely.
    pub(crate) fn report_lost_limit(
        &mut self,
        place: &Label,
        message: impl Into<String>,
        help: impl Into<String>,
    ) {
        self.report(&rules::NOT_CARRIED_OVER, place, message, help);
    }

    /// Reports that a member may do less than the agent.
    pub(crate) fn report_narrower(
        &mut self,
        place: &Label,
        message: impl Into<String>,
        help: impl Into<String>,
    ) {
        self.report(&rules::NARROWER, place, message, help);
    }
}

/// Returns a place in a file.
pub(crate) fn place(file: &ClientFile, span: Span) -> Label {
    file.source.label(span)
}

/// Returns a string for a message, shortened.
pub(crate) fn shorten(text: &str) -> String {
    const MAX_CHARACTERS: usize = 60;
    match text.char_indices().nth(MAX_CHARACTERS) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text.to_owned(),
    }
}
