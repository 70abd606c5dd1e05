use std::collections::BTreeMap;

use minds_diagnostics::{Diagnostic, rule};

use super::shell_specialist_forbidden_member::shell_tools;
use super::{Check, MemberGrants};
use crate::catalog;

rule! {
    pub(crate) static RULE {
        code: "team/shell-specialist-missing-shell-tools",
        summary: "a shell specialist has no shell tools",
        severity: Error,
        suppressible: true,
        since: "0.1.0",
        page: "shell_specialist_missing_shell_tools.md",
    }
}

pub(super) fn check(check: &mut Check<'_>, members: &[MemberGrants<'_>]) {
    let Some(specialists) = check.team.shell_specialists.as_given() else { return };
    let by_id: BTreeMap<&str, &MemberGrants<'_>> =
        members.iter().map(|member| (member.0.id, member)).collect();
    let servers = &check.family.servers;
    for specialist in &specialists.value.items {
        let Some((member, Some(grants))) = by_id.get(specialist.value.as_str()) else { continue };
        // An unknown name has been reported, and may be intended to provide shell tools.
        let toolsets = member.toolsets().unwrap_or_default();
        let tools = member.tools().unwrap_or_default();
        let is_known = |name: &str| {
            name.starts_with('!')
                || name == "*"
                || catalog::find_toolset(name).is_some()
                || servers.may_have(name)
        };
        let has_unknown = !toolsets.iter().all(|name| is_known(name))
            || !tools.iter().all(|tool| catalog::is_builtin_tool(tool));
        if member.is_hidden() || has_unknown || !shell_tools(grants).is_empty() {
            continue;
        }
        check.report(&RULE, specialist, |_, label| {
            Diagnostic::new(&RULE, format!("shell specialist `{}` has no shell tools", specialist.value))
                .primary(label.message("cannot run commands"))
                .help(format!("add `os` to the toolsets of `{}`, or remove it here", specialist.value))
        });
    }
}
