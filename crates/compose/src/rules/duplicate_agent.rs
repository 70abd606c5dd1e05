use std::collections::BTreeMap;

use minds_diagnostics::{Diagnostic, Rule, Severity};

use super::{Check, ProjectCheck};

pub(super) static RULE: Rule = Rule {
    code: "compose/duplicate-agent",
    summary: "an id is used for both a manager and a worker",
    default_severity: Severity::Error,
    is_suppressible: false,
    since: "0.1.0",
    page: include_str!("duplicate_agent.md"),
};

pub(super) fn check<'f>(check: &mut Check<'f>, project: &ProjectCheck<'f>) {
    let managers = &project.project.managers.agents;
    let managers: BTreeMap<&str, _> = managers.iter().map(|agent| (agent.id.value.as_str(), agent)).collect();
    for worker in &project.project.workers.agents {
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
