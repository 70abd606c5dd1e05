#[expect(clippy::disallowed_types, reason = "only looked up, never iterated")]
use std::collections::HashMap;
use std::collections::hash_map::Entry;

use minds_diagnostics::{Diagnostic, Severity, rule};
use minds_document::Spanned;
use minds_vfs::portable::fold;

use super::confusable_entry::is_plain;
use super::{Check, unsafe_id};
use crate::SHADOW_MEMBERS;

rule! {
    pub(crate) static RULE {
        code: "team/ambiguous-id",
        summary: "a member id can be confused with another id, or is not read as a string",
        severity: Error,
        suppressible: true,
        since: "0.1.0",
        page: "ambiguous_id.md",
    }
}

pub(super) fn check(check: &mut Check<'_>) {
    let shadows = SHADOW_MEMBERS.iter().filter(|shadow| check.team.member(shadow.id).is_none());
    // Shadow members that the file does not define have no place.
    #[expect(clippy::disallowed_types, reason = "only looked up, never iterated")]
    let mut seen: HashMap<String, (&str, Option<&Spanned<String>>)> =
        shadows.map(|shadow| (shadow.id.to_owned(), (shadow.id, None))).collect();
    // Lowercase ASCII ids cannot be confused with each other or with shadow members.
    let all_are_plain = check.team.members.iter().all(|member| is_plain(&member.id.value));
    for member in &check.team.members {
        let id = &member.id;
        if all_are_plain && !member.id_is_typed {
            continue;
        }
        if unsafe_id::reason(&id.value).is_some() {
            // Another rule reports this id, and fixing that may change it.
            continue;
        }
        if member.id_is_typed && !id.value.is_empty() {
            report_non_string(check, id);
        }
        match seen.entry(fold(&id.value)) {
            Entry::Vacant(entry) => {
                entry.insert((&id.value, Some(id)));
            }
            Entry::Occupied(entry) => {
                let (other, place) = *entry.get();
                if *other != id.value {
                    report_confusable(check, id, other, place);
                }
            }
        }
    }
}

fn report_confusable(
    check: &mut Check<'_>,
    id: &Spanned<String>,
    other: &str,
    place: Option<&Spanned<String>>,
) {
    check.report(&RULE, id, |document, label| {
        let mut found =
            Diagnostic::new(&RULE, format!("the ids `{}` and `{other}` can be confused", id.value))
                .primary(label.message("this id"))
                .note("on many file systems, names that differ only in letter case are the same directory");
        match place {
            Some(place) => {
                found = found.secondary(document.source().label(place.span).message("and this one"));
            }
            None => found = found.note(format!("every team has a member `{other}`")),
        }
        found.help("change one of the ids")
    });
}

fn report_non_string(check: &mut Check<'_>, id: &Spanned<String>) {
    check.report(&RULE, id, |document, label| {
        let kind = document.node(id.node).value().type_name();
        let quoted = format!("\"{}\"", id.value);
        let found =
            Diagnostic::new(&RULE, format!("the id `{}` is read as {kind}, not as a string", id.value))
                .severity(Severity::Warning)
                .primary(label.message(kind))
                .help(format!("quote it: `{quoted}`"));
        if !document.node(id.node).is_rewritable() {
            return found;
        }
        found.fix("quote the id", document.source(), id.span, quoted)
    });
}
