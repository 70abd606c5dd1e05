use minds_diagnostics::{Diagnostic, rule};

use super::{Check, ProjectCheck};

rule! {
    pub(super) static RULE {
        code: "compose/unrestricted",
        summary: "an empty list lets an agent write to all agents or channels",
        severity: Warning,
        suppressible: true,
        since: "0.1.0",
        page: "unrestricted.md",
    }
}

pub(super) fn check<'f>(check: &mut Check<'f>, project: &ProjectCheck<'f>) {
    for agent in &project.agents {
        let Some(fields) = agent.fields() else { continue };
        let lists = [
            ("can_dm", &fields.can_dm, "to every agent of the project"),
            ("can_broadcast", &fields.can_broadcast, "to every channel of which it is a member"),
        ];
        for (key, list, whom) in lists {
            let Some(list) =
                list.as_given().filter(|list| list.value.items.is_empty() && list.value.is_complete)
            else {
                continue;
            };
            check.report(project.document, &RULE, list, |label| {
                let id = &agent.agent.id.value;
                Diagnostic::new(&RULE, format!("`{key}: []` lets `{id}` write {whom}"))
                    .primary(label.message("an empty list allows everything"))
                    .note("an empty list means the same as a missing key")
                    .help(format!("list the permitted names, or remove `{key}` to allow all"))
            });
        }
    }
}
