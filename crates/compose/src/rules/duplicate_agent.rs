use std::collections::BTreeMap;

use minds_diagnostics::{Diagnostic, rule};

use super::{Check, ProjectCheck};

rule! {
    pub(super) static RULE {
        code: "compose/duplicate-agent",
        summary: "an id is used for both a manager and a worker",
        severity: Error,
        suppressible: false,
        since: "0.1.0",
        page: "duplicate_agent.md",
    }
}

pub(super) fn check<'f>(check: &mut Check<'f>, project: &ProjectCheck<'f>) {
    let managers = project.project.managers();
    let managers: BTreeMap<&str, _> = managers.iter().map(|agent| (agent.id.value.as_str(), agent)).collect();
    for worker in project.project.workers() {
        let Some(manager) = managers.get(worker.id.value.as_str()) else { continue };
        let place = project.document.source().label(manager.id.span).message("defined as a manager");
        check.report(project.document, &RULE, &worker.id, |label| {
            Diagnostic::new(&RULE, format!("`{}` is both a manager and a worker", worker.id.value))
                .primary(label.message("defined as a worker"))
                .secondary(place)
                .help("change one of the ids")
        });
    }
}
