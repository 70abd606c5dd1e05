use minds_diagnostics::{Diagnostic, Rule, Severity};
use minds_document::{Document, Field};

use super::{Check, ProjectCheck};
use crate::model::Compose;

/// The version that is read.
const VERSION: u64 = 2;

pub(super) static RULE: Rule = Rule {
    code: "compose/unsupported-version",
    summary: "a file has another version of the format",
    default_severity: Severity::Warning,
    is_allowable: true,
    since: "0.1.0",
    page: include_str!("unsupported_version.md"),
};

pub(super) fn check_compose<'f>(check: &mut Check<'f>, compose: &'f Compose, document: &'f Document) {
    look(check, document, &compose.version);
}

pub(super) fn check_project<'f>(check: &mut Check<'f>, project: &ProjectCheck<'f>) {
    look(check, project.document, &project.project.version);
}

fn look<'f>(check: &mut Check<'f>, document: &'f Document, version: &'f Field<u64>) {
    let Some(version) = version.given().filter(|version| version.value != VERSION) else { return };
    check.report(document, &RULE, version, |label| {
        Diagnostic::new(&RULE, format!("version {} of the format is not known", version.value))
            .primary(label.message(format!("read as version {VERSION}")))
            .help(format!(
                "write `version: {VERSION}` after looking whether the file says what that version says"
            ))
    });
}
