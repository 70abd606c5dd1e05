use std::cell::LazyCell;
use std::collections::BTreeSet;

use minds_diagnostics::{Candidates, Diagnostic, rule};
use minds_document::Spanned;

use super::{Check, ProjectCheck};
use crate::project::Members;

rule! {
    pub(super) static RULE {
        code: "compose/unknown-agent",
        summary: "a reference names an agent that the project does not have",
        severity: Error,
        suppressible: true,
        since: "0.1.0",
        page: "unknown_agent.md",
    }
}

pub(super) fn check<'f>(check: &mut Check<'f>, project: &ProjectCheck<'f>) {
    if !project.knows_agents() {
        return;
    }
    let ids: BTreeSet<&str> = project.agents.iter().map(|agent| agent.agent.id.value.as_str()).collect();
    let candidates = LazyCell::new(|| Candidates::new(ids.iter().copied()));
    let did_you_mean = |id: &str| candidates.did_you_mean(id);
    let channels = project.project.channels.as_given().into_iter().flat_map(|channels| &channels.value.items);
    for channel in channels {
        let Some(members) = channel.value.members.as_given() else { continue };
        let Members::Listed(members) = &members.value else { continue };
        for member in members.items.iter().filter(|member| !ids.contains(member.value.as_str())) {
            report(check, project, &ids, &did_you_mean, member, &member.value);
        }
    }
    for agent in &project.agents {
        let targets = agent.fields().and_then(|fields| fields.can_dm.as_given());
        for target in targets.into_iter().flat_map(|targets| &targets.value.items) {
            if !ids.contains(&*target.value) {
                report(check, project, &ids, &did_you_mean, target, &target.value);
            }
        }
    }
}

fn report<'f, T>(
    check: &mut Check<'f>,
    project: &ProjectCheck<'f>,
    ids: &BTreeSet<&str>,
    did_you_mean: &dyn Fn(&str) -> Option<String>,
    place: &Spanned<T>,
    id: &str,
) {
    check.report(project.document, &RULE, place, |label| {
        let found = Diagnostic::new(&RULE, format!("project `{}` has no agent `{id}`", project.name()))
            .primary(label.message("neither a manager nor a worker"));
        match id.rsplit_once(':') {
            Some((_, agent)) if ids.contains(agent) => {
                found.help(format!("write `{agent}`: agents are referenced without their project"))
            }
            _ => found.maybe_help(did_you_mean(id)),
        }
    });
}
