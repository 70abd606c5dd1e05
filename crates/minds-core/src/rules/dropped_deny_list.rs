use minds_diagnostics::{Rule, Severity};

use minds_access_control::{Extension, Pattern};
use minds_diagnostics::Diagnostic;
use minds_document::Field;

use super::Check;
use crate::model::{AccessEntry, AccessList, AccessLists};

pub(crate) static RULE: Rule = Rule {
    code: "access/dropped-deny-list",
    summary: "a member's list replaces an inherited deny list and drops entries of it",
    default_severity: Severity::Warning,
    since: "0.1.0",
    page: include_str!("dropped_deny_list.md"),
};

pub(super) fn check(check: &mut Check<'_>) {
    let Some(defaults) = check.team.defaults() else { return };
    for member in check.team.effective() {
        // The deny lists of this shadow member are built in: it inherits none.
        if member.shadow().is_some_and(|shadow| shadow.denied.is_some()) {
            continue;
        }
        let Some(fields) = member.own().and_then(|own| own.fields.given()) else { continue };
        let (own, inherited) = (&fields.value.access, &defaults.access);
        let directories: [(&str, fn(&AccessLists) -> &Field<AccessList<Pattern>>); 2] =
            [("no_read_dirs", |lists| &lists.no_read_dirs), ("no_write_dirs", |lists| &lists.no_write_dirs)];
        for (name, get) in directories {
            compare(check, name, get(own), get(inherited), Pattern::covers);
        }
        let extensions: [(&str, fn(&AccessLists) -> &Field<AccessList<Extension>>); 2] = [
            ("no_read_file_ext_names", |lists| &lists.no_read_file_ext_names),
            ("no_write_file_ext_names", |lists| &lists.no_write_file_ext_names),
        ];
        for (name, get) in extensions {
            compare(check, name, get(own), get(inherited), Extension::eq);
        }
    }
}

fn compare<T>(
    check: &mut Check<'_>,
    name: &str,
    own: &Field<AccessList<T>>,
    inherited: &Field<AccessList<T>>,
    covers: impl Fn(&T, &T) -> bool,
) {
    let (Some(own), Some(inherited)) = (own.given(), inherited.given()) else { return };
    if !own.value.0.is_complete || own.node == inherited.node {
        return;
    }
    let kept = |entry: &AccessEntry<T>| {
        own.value.0.items.iter().any(|item| covers(&item.value.meaning, &entry.meaning))
    };
    let dropped: Vec<String> = inherited
        .value
        .0
        .items
        .iter()
        .filter(|item| !kept(&item.value))
        .map(|item| format!("`{}`", item.value.written))
        .collect();
    if dropped.is_empty() {
        return;
    }
    check.report(&RULE, own, |document, label| {
        let shown = dropped.iter().take(5).cloned().collect::<Vec<_>>().join(", ");
        let more = if dropped.len() > 5 { format!(" and {} more", dropped.len() - 5) } else { String::new() };
        Diagnostic::new(&RULE, format!("`{name}` no longer denies {shown}{more}"))
            .primary(label.message("replaces the inherited list"))
            .secondary(document.source().label(inherited.span).message("the inherited list"))
            .note("a field of a member replaces the inherited one whole")
            .help("repeat the entries here if they are to hold for this member too")
    });
}
