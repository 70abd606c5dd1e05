use std::collections::BTreeMap;

use minds_diagnostics::{Diagnostic, Rule, Severity};
use minds_document::Document;

use super::{Check, ProjectCheck};

pub(super) static RULE: Rule = Rule {
    code: "compose/duplicate-project",
    summary: "two project files are about the same project",
    default_severity: Severity::Error,
    is_allowable: false,
    since: "0.1.0",
    page: include_str!("duplicate_project.md"),
};

/// Reports entries that name a file again.
pub(super) fn check_entries<'f>(check: &mut Check<'f>, document: &'f Document) {
    let family = check.family;
    for (first, entry) in &family.repeated {
        let first = document.source().label(first.span).message("first here");
        check.report(document, &RULE, entry, |label| {
            Diagnostic::new(&RULE, format!("the project file `{}` is named twice", entry.value))
                .primary(label.message("and here again"))
                .secondary(first)
                .help("remove one of the entries")
        });
    }
}

/// Reports ids that several files have.
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
            Diagnostic::new(&RULE, format!("the project `{}` is there twice", id.value))
                .primary(label.message("and here again"))
                .secondary(place.message("first here"))
                .help("give one of the projects another id")
        });
    }
}
