use minds_diagnostics::{Diagnostic, did_you_mean, rule};

use super::{Check, ProjectCheck};
use crate::agents::AgentRef;
use crate::runtime::BUILT_IN_RUNTIMES;

rule! {
    pub(super) static RULE {
        code: "compose/unknown-runtime",
        summary: "an agent has an unknown runtime",
        severity: Error,
        suppressible: true,
        since: "0.1.0",
        page: "unknown_runtime.md",
    }
}

pub(super) fn check<'f>(check: &mut Check<'f>, project: &ProjectCheck<'f>) {
    let family = check.family;
    if family.has_unknown_runtimes {
        return;
    }
    for fields in project.agents.iter().filter_map(AgentRef::fields) {
        let Some(runtime) = fields.runtime.as_given() else { continue };
        let id = &*runtime.value;
        if BUILT_IN_RUNTIMES.contains(&id) || family.runtimes.contains_key(id) {
            continue;
        }
        check.report(project.document, &RULE, runtime, |label| {
            let known = BUILT_IN_RUNTIMES.into_iter().chain(family.runtimes.keys().map(String::as_str));
            let found = Diagnostic::new(&RULE, format!("unknown runtime `{id}`"))
                .primary(label.message(format!("neither built in nor described in `runtimes/{id}.yaml`")));
            if family.misnamed_runtimes.iter().any(|misnamed| misnamed == id) {
                return found.help(format!("rename `runtimes/{id}.yml` to `runtimes/{id}.yaml`"));
            }
            let help = did_you_mean(id, known)
                .unwrap_or_else(|| format!("describe it in `runtimes/{id}.yaml`, or use another runtime"));
            found.help(help)
        });
    }
}
