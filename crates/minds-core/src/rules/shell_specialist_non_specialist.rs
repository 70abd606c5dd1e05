use std::collections::BTreeSet;

use minds_diagnostics::{Candidates, Diagnostic, rule};

use super::shell_specialist_forbidden_member::visible_with_shell_tools;
use super::{Check, MemberGrants};

rule! {
    pub(crate) static RULE {
        code: "team/shell-specialist-non-specialist",
        summary: "a member has shell tools, but is not a shell specialist",
        severity: Error,
        suppressible: true,
        since: "0.1.0",
        page: "shell_specialist_non_specialist.md",
    }
}

/// The maximum number of unknown entries for which similar ids are searched.
const MAX_SUGGESTIONS: usize = 16;

pub(super) fn check(check: &mut Check<'_>, members: &[MemberGrants<'_>]) {
    let Some(specialists) = check.team.shell_specialists.as_given() else { return };
    if specialists.value.items.is_empty() || !specialists.value.is_complete {
        return;
    }
    let listed: BTreeSet<&str> = specialists.value.items.iter().map(|item| item.value.as_str()).collect();
    // A member that an unknown entry probably refers to counts as listed, because that entry has been reported.
    let unknown = listed.iter().filter(|id| !check.has_member(id)).take(MAX_SUGGESTIONS);
    let mut unknown = unknown.peekable();
    let ids = Candidates::new(unknown.peek().into_iter().flat_map(|_| check.team.ids()));
    let from_text: Vec<&str> = unknown.filter_map(|id| ids.find_nearest(id, 1).first().copied()).collect();
    let listed = |id: &str| listed.contains(id) || from_text.contains(&id);
    for (id, tools) in visible_with_shell_tools(members).filter(|(id, _)| !listed(&id.value)) {
        check.report(&RULE, id, |document, label| {
            Diagnostic::new(&RULE, format!("`{}` has shell tools, but is not a shell specialist", id.value))
                .primary(label.message(format!("has {tools}")))
                .secondary(document.source().label(specialists.span).message("the shell specialists"))
                .help(format!("add `{}` to `shell_specialists`, or remove the tools", id.value))
        });
    }
}
