use minds_access_control::{Extension, Pattern};
use minds_diagnostics::{Diagnostic, Rule, Severity};
use minds_document::{Field, Spanned};

use super::Check;
use crate::model::AccessList;

pub(crate) static RULE: Rule = Rule {
    code: "access/dropped-deny-list",
    summary: "a member's list replaces an inherited deny list and drops entries of it",
    default_severity: Severity::Warning,
    is_allowable: true,
    since: "0.1.0",
    page: include_str!("dropped_deny_list.md"),
};

pub(super) fn check(check: &mut Check<'_>) {
    let Some(defaults) = check.team.defaults() else { return };
    let mut pairs = 0;
    for member in check.team.effective() {
        // The deny lists of this shadow member are built in: it inherits none.
        if member.shadow().is_some_and(|shadow| shadow.denied.is_some()) {
            continue;
        }
        let Some(fields) = member.own().and_then(|own| own.fields.given()) else { continue };
        let (own, inherited) = (&fields.value.access, &defaults.access);
        let pairs = &mut pairs;
        compare(
            check,
            pairs,
            "no_read_dirs",
            &own.no_read_dirs,
            &inherited.no_read_dirs,
            Pattern::covers,
            Pattern::written,
        );
        compare(
            check,
            pairs,
            "no_write_dirs",
            &own.no_write_dirs,
            &inherited.no_write_dirs,
            Pattern::covers,
            Pattern::written,
        );
        let (own, inherited) = (own.of_extensions(), inherited.of_extensions());
        let (own_read, inherited_read) = (&own.no_read_file_ext_names, &inherited.no_read_file_ext_names);
        compare(
            check,
            pairs,
            "no_read_file_ext_names",
            own_read,
            inherited_read,
            Extension::eq,
            Extension::written,
        );
        let (own_write, inherited_write) = (&own.no_write_file_ext_names, &inherited.no_write_file_ext_names);
        compare(
            check,
            pairs,
            "no_write_file_ext_names",
            own_write,
            inherited_write,
            Extension::eq,
            Extension::written,
        );
    }
}

/// How many pairs of entries are compared in one file at most; a team of thousands has far fewer.
const MOST_PAIRS: usize = 4_000_000;

/// How many dropped entries are named.
const NAMED: usize = 5;

fn compare<T>(
    check: &mut Check<'_>,
    pairs: &mut usize,
    name: &str,
    own: &Field<AccessList<T>>,
    inherited: &Field<AccessList<T>>,
    covers: impl Fn(&T, &T) -> bool,
    written: impl for<'t> Fn(&'t T) -> &'t str,
) {
    let (Some(own), Some(inherited)) = (own.given(), inherited.given()) else { return };
    if !own.value.0.is_complete || own.node == inherited.node {
        return;
    }
    let mut dropped = Vec::new();
    for item in &inherited.value.0.items {
        if *pairs >= MOST_PAIRS {
            too_many(check, inherited);
            break;
        }
        *pairs += own.value.0.items.len().max(1);
        if !own.value.0.items.iter().any(|other| covers(&other.value, &item.value)) {
            dropped.push(written(&item.value));
        }
        if dropped.len() > NAMED {
            break;
        }
    }
    if dropped.is_empty() {
        return;
    }
    check.report(&RULE, own, |document, label| {
        let named: Vec<String> = dropped.iter().take(NAMED).map(|entry| format!("`{entry}`")).collect();
        let more = if dropped.len() > NAMED { " and more" } else { "" };
        Diagnostic::new(&RULE, format!("`{name}` no longer denies {}{more}", named.join(", ")))
            .primary(label.message("replaces the inherited list"))
            .secondary(document.source().label(inherited.span).message("the inherited list"))
            .note("a field of a member replaces the inherited one whole")
            .help("repeat the entries here if they are to hold for this member too")
    });
}

fn too_many<T>(check: &mut Check<'_>, inherited: &Spanned<T>) {
    check.report(&RULE, inherited, |_, label| {
        Diagnostic::new(&RULE, "this list and those that replace it are too long to compare")
            .primary(label.message("the inherited list"))
            .note("whether members drop entries of it was not found out for all of them")
            .help("name directories that hold what is denied, not each file")
    });
}
