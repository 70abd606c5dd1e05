use minds_diagnostics::{Diagnostic, rule};
use minds_document::{Document, Field};

use super::{Check, ProjectCheck};
use crate::model::Compose;

/// The supported version.
const VERSION: u64 = 2;

rule! {
    pub(super) static RULE {
        code: "compose/unsupported-version",
        summary: "a file has an unsupported format version",
        severity: Warning,
        suppressible: true,
        since: "0.1.0",
        page: "unsupported_version.md",
    }
}

pub(super) fn check_compose<'f>(check: &mut Check<'f>, compose: &'f Compose, document: &'f Document) {
    check_version(check, document, &compose.version);
}

pub(super) fn check_project<'f>(check: &mut Check<'f>, project: &ProjectCheck<'f>) {
    check_version(check, project.document, &project.project.version);
}

fn check_version<'f>(check: &mut Check<'f>, document: &'f Document, version: &'f Field<u64>) {
    let Some(version) = version.as_given().filter(|version| version.value != VERSION) else { return };
    check.report(document, &RULE, version, |label| {
        Diagnostic::new(&RULE, format!("unsupported format version {}", version.value))
            .primary(label.message(format!("read as version {VERSION}")))
            .help(format!("check that the file follows version {VERSION}, then write `version: {VERSION}`"))
    });
}
