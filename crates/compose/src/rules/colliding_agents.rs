use std::collections::BTreeMap;

use minds_diagnostics::{Diagnostic, Severity, rule};

use super::{Check, ProjectCheck};
use crate::agents::{AgentId, AgentRef};

rule! {
    pub(super) static RULE {
        code: "compose/colliding-agents",
        summary: "two agents would have the same file or session names",
        severity: Error,
        suppressible: false,
        since: "0.1.0",
        page: "colliding_agents.md",
    }
}

pub(super) fn check<'f>(check: &mut Check<'f>, projects: &[ProjectCheck<'f>]) {
    let mut seen: BTreeMap<String, (AgentId, AgentRef<'f>)> = BTreeMap::new();
    for agent in projects.iter().flat_map(|project| &project.agents) {
        let Some(id) = agent.id() else { continue };
        // On many file systems, names that differ only in letter case are the same file, and tmux replaces
        // `.` with `_` in session names.
        let key = id.stem().to_lowercase().replace('.', "_");
        let Some((other, first)) = seen.get(&key) else {
            seen.insert(key, (id, *agent));
            continue;
        };
        // Duplicate ids are reported by another rule.
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
                Diagnostic::new(&RULE, format!("agents `{id}` and `{other}` would have the same {what}"))
                    .primary(label.message(format!("the {what} are named `{stem}`")))
                    .secondary(place.message("the same name"))
                    .help("change the id of one of the agents or projects");
            if is_same {
                found.note(format!("both would use the session `…{stem}`"))
            } else if is_same_file {
                found
                    .severity(Severity::Warning)
                    .note("on many file systems, names that differ only in letter case are the same file")
            } else {
                found.severity(Severity::Warning).note("tmux replaces `.` with `_` in session names")
            }
        });
    }
}
