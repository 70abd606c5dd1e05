use minds_diagnostics::{Diagnostic, rule};
use minds_document::Document;

use super::Check;

rule! {
    pub(super) static RULE {
        code: "compose/missing-project",
        summary: "a project file cannot be read",
        severity: Error,
        suppressible: false,
        since: "0.1.0",
        page: "missing_project.md",
    }
}

pub(super) fn check<'f>(check: &mut Check<'f>, document: &'f Document) {
    let family = check.family;
    for file in family.projects.iter().filter(|file| !file.is_outside) {
        let Some(reason) = &file.reason else { continue };
        check.report(document, &RULE, &file.entry, |label| {
            let written = &file.entry.value;
            let found = Diagnostic::new(&RULE, format!("cannot read project file `{written}`: {reason}"))
                .primary(label.message("referenced here"));
            match &file.place {
                Ok(place) if place.name != *written => {
                    found.note(format!("the path resolves to `{}`", place.name))
                }
                _ => found,
            }
            .help("write a path relative to the directory of `team-compose.yaml`")
        });
    }
}
