use std::collections::BTreeMap;

use minds_diagnostics::{Diagnostic, rule};
use minds_document::Document;

use super::{Check, ProjectCheck};

rule! {
    pub(super) static RULE {
        code: "compose/duplicate-project",
        summary: "two project files have the same id, or one is listed twice",
        severity: Error,
        suppressible: false,
        since: "0.1.0",
        page: "duplicate_project.md",
    }
}

/// Reports entries that list a file a second time.
pub(super) fn check_entries<'f>(check: &mut Check<'f>, document: &'f Document) {
    let family = check.family;
    for (first, entry) in &family.duplicate_entries {
        let first = document.source().label(first.span).message("first definition");
        check.report(document, &RULE, entry, |label| {
            Diagnostic::new(&RULE, format!("project file `{}` is listed twice", entry.value))
                .primary(label.message("second definition"))
                .secondary(first)
                .help("remove one of the entries")
        });
    }
}

/// Reports project ids that occur in several files.
pub(super) fn check<'f>(check: &mut Check<'f>, projects: &[ProjectCheck<'f>]) {
    let mut seen: BTreeMap<&str, &ProjectCheck<'f>> = BTreeMap::new();
    for project in projects {
        let Some(id) = project.id() else { continue };
        let Some(first) = seen.get(&*id.value) else {
            seen.insert(&id.value, project);
            continue;
        };
        let Some(place) = first.id().map(|id| first.document.source().label(id.span)) else { continue };
        check.report(project.document, &RULE, id, |label| {
            Diagnostic::new(&RULE, format!("duplicate project id `{}`", id.value))
                .primary(label.message("second definition"))
                .secondary(place.message("first definition"))
                .help("change the id of one of the projects")
        });
    }
}
