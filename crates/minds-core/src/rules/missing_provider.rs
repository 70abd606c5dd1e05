use minds_diagnostics::{Diagnostic, Rule, rule};
use minds_document::{Field, Spanned};

use super::Check;
use crate::model::MemberFields;

rule! {
    pub(crate) static RULE {
        code: "team/missing-provider",
        summary: "a member has no provider of models",
        severity: Error,
        suppressible: true,
        since: "0.1.0",
        page: "missing_provider.md",
    }
}

pub(super) fn check(check: &mut Check<'_>) {
    report_missing(check, &RULE, "provider", |fields| &fields.provider);
}

/// Reports members without a value of `key`: at the empty string if there is one, otherwise once at `member_defaults`,
/// from which all other members inherit.
pub(super) fn report_missing(
    check: &mut Check<'_>,
    rule: &'static Rule,
    key: &'static str,
    get: impl for<'m> Fn(&'m MemberFields) -> &'m Field<String>,
) {
    for fields in check.team.field_groups() {
        if let Some(empty) = get(fields).as_given().filter(|text| text.value.is_empty()) {
            check.report(rule, empty, |_, label| {
                Diagnostic::new(rule, format!("`{key}` is empty"))
                    .primary(label.message(format!("does not name a {key}")))
                    .help(format!("name a {key}, or remove the line to inherit it"))
            });
        }
    }
    let place = match &check.team.member_defaults {
        Field::Absent => Spanned::new((), check.document.root()),
        Field::Given(defaults) if get(&defaults.value).is_absent() => {
            Spanned { value: (), span: defaults.span, node: defaults.node }
        }
        Field::Given(_) | Field::Unreadable(_) => return,
    };
    if !check.is_complete() {
        return;
    }
    // Without a default, members that do not set a value have none.
    let without = check.team.effective().filter(|member| {
        let readable = member.definition().is_none_or(|own| !own.fields.is_unreadable());
        readable && own_field(member, &get).is_absent()
    });
    let ids: Vec<&str> = without.map(|member| member.id).collect();
    if ids.is_empty() {
        return;
    }
    let is_absent = check.team.member_defaults.is_absent();
    check.report(rule, &place, |_, label| {
        let message = format!("not every member has a {key}: `member_defaults` does not set one");
        let help = if is_absent {
            format!("add `member_defaults:` with a line `{key}:` below it")
        } else {
            format!("add `{key}:` to `member_defaults`")
        };
        Diagnostic::new(rule, message)
            .primary(label.message(format!("`member_defaults.{key}` is missing here")))
            .note(format!("members without a {key}: {}", list_ids(&ids)))
            .help(help)
    });
}

fn own_field<'m>(
    member: &crate::Effective<'m>,
    get: &impl for<'f> Fn(&'f MemberFields) -> &'f Field<String>,
) -> &'m Field<String> {
    member.own_field(|fields| get(fields))
}

fn list_ids(ids: &[&str]) -> String {
    const MAX_LISTED: usize = 5;
    let mut named: Vec<String> = ids.iter().take(MAX_LISTED).map(|id| format!("`{id}`")).collect();
    if ids.len() > MAX_LISTED {
        named.push(format!("{} more", ids.len() - MAX_LISTED));
    }
    named.join(", ")
}
