use minds_diagnostics::{Diagnostic, rule};

use super::Check;

rule! {
    pub(crate) static RULE {
        code: "team/shadow-member",
        summary: "a setting of a shadow member has no effect",
        severity: Warning,
        suppressible: true,
        since: "0.1.0",
        page: "shadow_member.md",
    }
}

pub(super) fn check(check: &mut Check<'_>) {
    for member in check.team.effective() {
        let Some(shadow) = member.shadow() else { continue };
        if let Some(hidden) =
            member.own_field(|fields| &fields.hidden).as_given().filter(|hidden| !hidden.value)
        {
            check.report(&RULE, hidden, |_, label| {
                Diagnostic::new(&RULE, format!("`{}` is always hidden", shadow.id))
                    .primary(label.message("has no effect"))
                    .help("remove the line")
            });
        }
        let toolsets = member.own_field(|fields| &fields.toolsets).as_given();
        for entry in toolsets.into_iter().flat_map(|list| &list.value.items) {
            if entry.value.replace('_', "-") == shadow.refused_toolset {
                check.report(&RULE, entry, |_, label| {
                    let message = match shadow.refused_toolset.strip_prefix('!') {
                        Some(toolset) => format!("`{}` always has the toolset `{toolset}`", shadow.id),
                        None => format!("`{}` never has the toolset `{}`", shadow.id, shadow.refused_toolset),
                    };
                    Diagnostic::new(&RULE, message)
                        .primary(label.message("has no effect"))
                        .note("one shadow member manages the team, the other does everything else")
                        .help("remove the entry")
                });
            }
        }
    }
}
