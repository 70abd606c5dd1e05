use minds_diagnostics::{Diagnostic, rule};

use super::{Check, MemberGrants};
use crate::ShadowMember;

rule! {
    pub(crate) static RULE {
        code: "team/excluded-tool",
        summary: "a tool is granted although its toolset is excluded",
        severity: Warning,
        suppressible: true,
        since: "0.1.0",
        page: "excluded_tool.md",
    }
}

pub(super) fn check(check: &mut Check<'_>, members: &[MemberGrants<'_>]) {
    for (member, grants) in members {
        let Some(grants) = grants else { continue };
        let Some(tools) = member.field(|fields| &fields.tools).as_given() else { continue };
        for tool in &tools.value.items {
            let Some(toolset) = grants.exclusion_of(&tool.value) else { continue };
            let shadow = member.shadow().map(|shadow: &ShadowMember| shadow.id);
            check.report(&RULE, tool, |_, label| {
                let found = Diagnostic::new(
                    &RULE,
                    format!("`{}` is granted although its toolset `{toolset}` is excluded", tool.value),
                )
                .primary(label.message("granted here"))
                .note("some runtimes grant the tool anyway; `minds` does not");
                match shadow {
                    Some(id) => found.note(format!("`{id}` never has that toolset")).help("remove the tool"),
                    None => found.help(format!("remove the tool, or `!{toolset}` from `toolsets`")),
                }
            });
        }
    }
}
