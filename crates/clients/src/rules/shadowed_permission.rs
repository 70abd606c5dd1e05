use minds_diagnostics::{Diagnostic, rule};

use super::permissions::{List, Permission};
use super::{Check, shorten};

rule! {
    pub(crate) static RULE {
        code: "client/shadowed-permission",
        summary: "an allowed tool or path is denied as a whole, so the rule that allows it has no effect",
        severity: Warning,
        suppressible: true,
        since: "0.1.0",
        page: "shadowed_permission.md",
    }
}

/// The number of rules of a list that are compared.
const MAX_COMPARED: usize = 500;

pub(super) fn check(check: &mut Check<'_>, rules: &[Permission<'_>]) {
    check_by(check, rules, covers);
}

/// Reports the rules that allow what one that denies covers.
pub(super) fn check_by(
    check: &mut Check<'_>,
    rules: &[Permission<'_>],
    covers: impl Fn(&Permission<'_>, &Permission<'_>) -> bool,
) {
    let of = |list| rules.iter().filter(move |rule| rule.list == list).take(MAX_COMPARED);
    for allow in of(List::Allow) {
        let Some(deny) = of(List::Deny).find(|deny| covers(deny, allow)) else { continue };
        check.report(&RULE, allow.file, allow.span, |label| {
            Diagnostic::new(&RULE, format!("`{}` has no effect: it is denied", shorten(allow.text)))
                .primary(label)
                .secondary(deny.file.source.label(deny.span).message("denies all of it"))
                .note("a rule that denies always wins, however specific the other one is")
                .help("remove one of them, or deny less")
        });
    }
}

/// Returns whether one rule applies to everything to which another one applies. If in doubt, it does not.
fn covers(deny: &Permission<'_>, allow: &Permission<'_>) -> bool {
    if deny.tool != allow.tool {
        return false;
    }
    let (Some(outer), Some(inner)) = (deny.specifier, allow.specifier) else {
        return deny.specifier.is_none();
    };
    if outer == inner || deny.is_whole() {
        return true;
    }
    match deny.tool {
        "Read" | "Edit" => {
            let outer = outer.trim_end_matches("**").trim_end_matches('*').trim_end_matches('/');
            // Patterns inside the directory are left out: `[a]` and `*` could match more than they show.
            !outer.is_empty()
                && outer.starts_with('/')
                && !outer.contains(['*', '?', '[', '\\'])
                && inner.strip_prefix(outer).is_some_and(|rest| rest.starts_with('/'))
        }
        "Bash" => {
            let Some(prefix) = outer.strip_suffix(":*") else { return false };
            let inner =
                inner.strip_suffix(":*").or_else(|| inner.strip_suffix('*')).unwrap_or(inner).trim_end();
            inner == prefix || inner.strip_prefix(prefix).is_some_and(|rest| rest.starts_with(' '))
        }
        _ => false,
    }
}
