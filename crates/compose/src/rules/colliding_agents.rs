use std::collections::BTreeMap;

use minds_diagnostics::{Diagnostic, Rule, Severity};

use super::{Check, ProjectCheck};
use crate::agents::{AgentId, AgentRef};

pub(super) static RULE: Rule = Rule {
    code: "compose/colliding-agents",
    summary: "two agents would have the same files and the same session",
    default_severity: Severity::Error,
    is_allowable: false,
    since: "0.1.0",
    page: include_str!("colliding_agents.md"),
};

pub(super) fn check<'f>(check: &mut Check<'f>, projects: &[ProjectCheck<'f>]) {
    let mut seen: BTreeMap<String, (AgentId, AgentRef<'f>)> = BTreeMap::new();
    for agent in projects.iter().flat_map(|project| &project.agents) {
        let Some(id) = agent.id() else { continue };
        // Files whose names differ only in letter case are one on many disks, and tmux writes `_` for a dot.
        let key = id.stem().to_lowercase().replace('.', "_");
        let Some((other, first)) = seen.get(&key) else {
            seen.insert(key, (id, *agent));
            continue;
        };
        // That one id is there twice is a finding of its own.
        if *other == id {
            continue;
        }
        let is_same = other.stem() == id.stem();
        let is_same_file = other.stem().to_lowercase() == id.stem().to_lowercase();
        let place = first.document.source().label(first.agent.id.span);
        check.report(agent.document, &RULE, &agent.agent.id, |label| {
            let stem = id.stem();
            let what = if is_same_file { "files" } else { "sessions" };
            let found =
                Diagnostic::new(&RULE, format!("the {what} of `{id}` and `{other}` have the same names"))
                    .primary(label.message(format!("{what} are called `{stem}`")))
                    .secondary(place.message("and here, too"))
                    .help("give one of the agents or projects another id");
            if is_same {
                found.note(format!("one of them would run in the session `…{stem}` of the other"))
            } else if is_same_file {
                found
                    .severity(Severity::Warning)
                    .note("on many disks names that differ only in letter case are the same file")
            } else {
                found.severity(Severity::Warning).note("in the name of a session tmux writes `_` for a dot")
            }
        });
    }
}
