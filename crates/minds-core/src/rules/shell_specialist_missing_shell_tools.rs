use minds_diagnostics::{Rule, Severity};

use minds_diagnostics::Diagnostic;

use super::shell_specialist_forbidden_member::shell_tools;
use super::{Check, MemberGrants};

pub(crate) static RULE: Rule = Rule {
    code: "team/shell-specialist-missing-shell-tools",
    summary: "a shell specialist has no shell tools",
    default_severity: Severity::Error,
    since: "0.1.0",
    page: include_str!("shell_specialist_missing_shell_tools.md"),
};

pub(super) fn check(check: &mut Check<'_>, members: &[MemberGrants<'_>]) {
    let Some(specialists) = check.team.shell_specialists.given() else { return };
    for specialist in &specialists.value.items {
        let Some((member, Some(grants))) = members.iter().find(|(member, _)| member.id == specialist.value)
        else {
            continue;
        };
        if member.is_hidden() || !shell_tools(grants).is_empty() {
            continue;
        }
        check.report(&RULE, specialist, |_, label| {
            Diagnostic::new(&RULE, format!("shell specialist `{}` has no shell tools", specialist.value))
                .primary(label.message("cannot run commands"))
                .help(format!("add `os` to the toolsets of `{}`, or remove it here", specialist.value))
        });
    }
}
