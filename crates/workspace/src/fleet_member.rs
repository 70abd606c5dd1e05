//! Checks the members that agents of a fleet name.
//!
//! This rule is not part of the fleet family, because the members are defined by the team family.

use minds_core::TeamFamily;
use minds_diagnostics::{Diagnostic, Problems, Rule, did_you_mean, rule};
use minds_fleet::FleetFamily;

rule! {
    pub(crate) static RULE {
        code: "fleet/unknown-member",
        summary: "an agent of a fleet names an unknown member",
        severity: Error,
        suppressible: true,
        since: "0.1.0",
        page: "fleet_member.md",
    }
}

/// The rules of this module.
pub(crate) static RULES: &[&Rule] = &[&RULE];

pub(crate) fn check(team: &TeamFamily, fleet: &FleetFamily) -> Problems {
    let mut problems = Problems::new();
    // Members that could not be read may have any id.
    let Some(ids) = team.member_ids() else { return problems };
    for (_, entry) in fleet.agents().into_values() {
        let Some(file) = &entry.file else { continue };
        let (Some(agent), Some(document)) = (&file.content, fleet.document(file)) else { continue };
        let Some(member) = agent.member.as_given() else { continue };
        if ids.contains(&member.value.as_str()) {
            continue;
        }
        let source = document.source();
        problems.report(source, member.span, &RULE, || {
            let help = did_you_mean(&member.value, ids.iter().copied())
                .unwrap_or_else(|| "name a member of `.minds/team.yaml`, or remove `member`".to_owned());
            Diagnostic::new(&RULE, format!("unknown member `{}`", member.value))
                .primary(source.label(member.span).message("not defined in `members`"))
                .note("the access lists of the member restrict the agent, so it does not start without them")
                .help(help)
                .pointer(document.node(member.node).pointer())
        });
    }
    problems
}
