use std::cell::LazyCell;

use minds_diagnostics::{Candidates, Diagnostic, rule};

use super::{Check, ProjectCheck};
use crate::agents::Rank;

rule! {
    pub(super) static RULE {
        code: "compose/unknown-manager",
        summary: "an agent reports to an agent that is not a manager",
        severity: Error,
        suppressible: true,
        since: "0.1.0",
        page: "unknown_manager.md",
    }
}

pub(super) fn check<'f>(check: &mut Check<'f>, project: &ProjectCheck<'f>) {
    if !project.knows_agents() {
        return;
    }
    let has_agent = |rank: Rank, id: &str| {
        project.agents.iter().any(|agent| agent.rank == rank && agent.agent.id.value == id)
    };
    let managers: std::collections::BTreeSet<&str> = ids(project, Rank::Manager).collect();
    let candidates = LazyCell::new(|| Candidates::new(managers.iter().copied()));
    for agent in &project.agents {
        let Some(above) = agent.fields().and_then(|fields| fields.reports_to.as_given()) else { continue };
        if managers.contains(&*above.value) {
            continue;
        }
        check.report(project.document, &RULE, above, |label| {
            let id = &above.value;
            let message = format!("project `{}` has no manager `{id}`", project.name());
            let found = Diagnostic::new(&RULE, message);
            if has_agent(Rank::Worker, id) {
                return found
                    .primary(label.message("a worker"))
                    .help(format!("name a manager, or move `{id}` to `managers`"));
            }
            found.primary(label.message("not in `managers`")).maybe_help(candidates.did_you_mean(id))
        });
    }
}

fn ids<'f>(project: &ProjectCheck<'f>, rank: Rank) -> impl Iterator<Item = &'f str> {
    let agents = project.agents.iter().filter(move |agent| agent.rank == rank);
    agents.map(|agent| agent.agent.id.value.as_str())
}
