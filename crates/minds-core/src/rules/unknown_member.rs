use std::cell::LazyCell;

use minds_diagnostics::{Candidates, Diagnostic, rule};
use minds_document::Spanned;

use super::{Check, non_empty};

rule! {
    pub(crate) static RULE {
        code: "team/unknown-member",
        summary: "a reference names a member that the team does not define",
        severity: Error,
        suppressible: true,
        since: "0.1.0",
        page: "unknown_member.md",
    }
}

pub(super) fn check(check: &mut Check<'_>) {
    if !check.is_complete() {
        return;
    }
    let responder = non_empty(&check.team.default_responder);
    let specialists = check.team.shell_specialists.as_given();
    let specialists = specialists.into_iter().flat_map(|list| &list.value.items);
    let team = check.team;
    let candidates = LazyCell::new(|| Candidates::new(team.ids()));
    for reference in responder.into_iter().chain(specialists) {
        if !check.has_member(&reference.value) {
            report(check, reference, || candidates.did_you_mean(&reference.value));
        }
    }
}

fn report(check: &mut Check<'_>, reference: &Spanned<String>, did_you_mean: impl Fn() -> Option<String>) {
    check.report(&RULE, reference, |_, label| {
        let help = if reference.value.starts_with("x-") {
            "keys that begin with `x-` are never read, so no member can have this id".to_owned()
        } else {
            did_you_mean().unwrap_or_else(|| {
                format!("add `{}` to `members`, or name an existing member", reference.value)
            })
        };
        Diagnostic::new(&RULE, format!("unknown member `{}`", reference.value))
            .primary(label.message("not defined in `members`"))
            .help(help)
    });
}
