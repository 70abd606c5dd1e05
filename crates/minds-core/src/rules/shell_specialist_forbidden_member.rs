use std::sync::LazyLock;

use minds_diagnostics::{Diagnostic, rule};
use minds_document::Spanned;

use super::{Check, MemberGrants};
use crate::Grants;
use crate::catalog::{BuiltinToolset, SHELL_TOOLS, TOOLSETS};

rule! {
    pub(crate) static RULE {
        code: "team/shell-specialist-forbidden-member",
        summary: "a member has shell tools, but the team has no shell specialists",
        severity: Error,
        suppressible: true,
        since: "0.1.0",
        page: "shell_specialist_forbidden_member.md",
    }
}

pub(super) fn check(check: &mut Check<'_>, members: &[MemberGrants<'_>]) {
    let specialists = &check.team.shell_specialists;
    let none =
        specialists.as_given().is_none_or(|list| list.value.items.is_empty() && list.value.is_complete);
    if specialists.is_unreadable() || !none {
        return;
    }
    let is_absent = specialists.is_absent();
    for (id, tools) in visible_with_shell_tools(members) {
        check.report(&RULE, id, |_, label| {
            Diagnostic::new(
                &RULE,
                format!("`{}` has shell tools, but there are no shell specialists", id.value),
            )
            .primary(label.message(format!("has {tools}")))
            .note("only shell specialists should run commands")
            .help(if is_absent {
                format!("add `shell_specialists: [{}]`, or remove the tools", id.value)
            } else {
                format!("add `{}` to `shell_specialists`, or remove the tools", id.value)
            })
        });
    }
}

/// The names of the toolsets that have shell tools: most members have none of them.
static WITH_SHELL_TOOLS: LazyLock<Vec<&str>> = LazyLock::new(|| {
    let with = |toolset: &&BuiltinToolset| SHELL_TOOLS.iter().any(|tool| toolset.tools.contains(tool));
    TOOLSETS.iter().filter(with).map(|toolset| toolset.name).collect()
});

/// Returns the ids of the visible members that have shell tools, and the names of those tools.
pub(super) fn visible_with_shell_tools<'m>(
    members: &'m [MemberGrants<'_>],
) -> impl Iterator<Item = (&'m Spanned<String>, String)> {
    members.iter().filter(|(member, _)| !member.is_hidden()).filter_map(|(member, grants)| {
        let tools = shell_tools(grants.as_ref()?);
        let id = &member.definition()?.id;
        (!tools.is_empty()).then_some((id, tools))
    })
}

/// Returns the names of the shell tools among the grants; empty if there are none.
pub(super) fn shell_tools(grants: &Grants<'_>) -> String {
    if !grants.may_have_one_of(&WITH_SHELL_TOOLS) {
        return String::new();
    }
    let tools = SHELL_TOOLS.iter().filter(|tool| grants.has_tool(tool));
    tools.map(|tool| format!("`{tool}`")).collect::<Vec<_>>().join(", ")
}
