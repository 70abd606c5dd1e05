use minds_diagnostics::{Diagnostic, Rule, Severity};
use minds_document::Spanned;

use super::Check;
use crate::decode::looks_like_a_member;

pub(crate) static RULE: Rule = Rule {
    code: "team/extension-member",
    summary: "what looks like a member is never read",
    default_severity: Severity::Info,
    since: "0.1.0",
    page: include_str!("extension_member.md"),
};

pub(super) fn check(check: &mut Check<'_>) {
    let Some(members) = check.document.root().get("members") else { return };
    for entry in members.entries().filter(|entry| entry.key.starts_with("x-")) {
        if looks_like_a_member(entry.value) {
            check.report(&RULE, &Spanned::new((), entry.key_node), |_, label| {
                Diagnostic::new(&RULE, format!("`{}` is not a member of the team", entry.key))
                    .primary(label.message("never read"))
                    .note("keys that begin with `x-` belong to you; nothing reads them")
                    .help("give it an id without `x-` if it is meant as a member")
            });
        }
    }
}
