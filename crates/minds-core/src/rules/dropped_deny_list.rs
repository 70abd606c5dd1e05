use minds_access_control::{Extension, Pattern};
use minds_diagnostics::{Diagnostic, rule};
use minds_document::{Field, Spanned};

use super::{Check, uncompared_lists};
use crate::model::AccessList;

rule! {
    pub(crate) static RULE {
        code: "access/dropped-deny-list",
        summary: "a member's deny list replaces the inherited one and drops entries of it",
        severity: Warning,
        suppressible: true,
        since: "0.1.0",
        page: "dropped_deny_list.md",
    }
}

pub(super) fn check(check: &mut Check<'_>) {
    let Some(defaults) = check.team.defaults() else { return };
    for member in check.team.effective() {
        // The deny lists of this shadow member are built in, so it inherits none.
        if member.shadow().is_some_and(|shadow| shadow.denied.is_some()) {
            continue;
        }
        let Some(fields) = member.definition().and_then(|own| own.fields.as_given()) else { continue };
        let (own, inherited) = (&fields.value.access, &defaults.access);
        compare(check, "no_read_dirs", &own.no_read_dirs, &inherited.no_read_dirs, &PATTERNS);
        compare(check, "no_write_dirs", &own.no_write_dirs, &inherited.no_write_dirs, &PATTERNS);
        let (own, inherited) = (own.extension_lists(), inherited.extension_lists());
        let (own_read, inherited_read) = (&own.no_read_file_ext_names, &inherited.no_read_file_ext_names);
        compare(check, "no_read_file_ext_names", own_read, inherited_read, &EXTENSIONS);
        let (own_write, inherited_write) = (&own.no_write_file_ext_names, &inherited.no_write_file_ext_names);
        compare(check, "no_write_file_ext_names", own_write, inherited_write, &EXTENSIONS);
    }
}

/// The maximum number of dropped entries that are listed.
const MAX_LISTED: usize = 5;

/// The operations on entries of one kind.
struct Entries<T> {
    /// Returns whether the first entry denies everything that the second denies.
    covers: fn(&T, &T) -> bool,
    as_written: fn(&T) -> &str,
    /// Returns the weight; a comparison costs the product of both weights.
    weight: fn(&T) -> usize,
}

const PATTERNS: Entries<Pattern> =
    Entries { covers: Pattern::covers_folded, as_written: Pattern::as_written, weight: Pattern::weight };
const EXTENSIONS: Entries<Extension> =
    Entries { covers: Extension::eq, as_written: Extension::as_written, weight: |_| 1 };

fn compare<T>(
    check: &mut Check<'_>,
    name: &str,
    own: &Field<AccessList<T>>,
    inherited: &Field<AccessList<T>>,
    entries: &Entries<T>,
) {
    let (Some(own), Some(inherited)) = (own.as_given(), inherited.as_given()) else { return };
    if !own.value.0.is_complete || own.node == inherited.node {
        return;
    }
    let mut dropped = Vec::new();
    let own_weight: usize = own.value.0.items.iter().map(|item| (entries.weight)(&item.value)).sum();
    for item in &inherited.value.0.items {
        let cost = own_weight.saturating_mul((entries.weight)(&item.value)).max(1);
        let Some(left) = check.steps.checked_sub(cost) else {
            uncompared_lists::report(
                check,
                &Spanned { value: (), span: inherited.span, node: inherited.node },
            );
            break;
        };
        check.steps = left;
        if !own.value.0.items.iter().any(|other| (entries.covers)(&other.value, &item.value)) {
            dropped.push((entries.as_written)(&item.value));
        }
        if dropped.len() > MAX_LISTED {
            break;
        }
    }
    if dropped.is_empty() {
        return;
    }
    check.report(&RULE, own, |document, label| {
        let named: Vec<String> = dropped.iter().take(MAX_LISTED).map(|entry| format!("`{entry}`")).collect();
        let more = if dropped.len() > MAX_LISTED { " and more" } else { "" };
        Diagnostic::new(&RULE, format!("`{name}` no longer denies {}{more}", named.join(", ")))
            .primary(label.message("replaces the inherited list"))
            .secondary(document.source().label(inherited.span).message("the inherited list"))
            .note("a field of a member replaces the inherited field completely")
            .help("repeat the entries here if they should apply to this member too")
    });
}
