//! Rules of permissions in `.cursor/cli.json`.

use minds_diagnostics::{Diagnostic, find_nearest};

use super::dead_permission::{self, Flaw};
use super::permissions::{List, Permission, of_file};
use super::{Check, overridden_deny, shadowed_permission, shorten, version_note};
use crate::kind::Kind;

pub(super) fn check(check: &mut Check<'_>) {
    let family = check.family;
    for file in family.of("cursor", Kind::Settings) {
        let rules = of_file(file);
        for rule in &rules {
            if let Some(flaw) = dead_permission::syntax_flaw(rule).or_else(|| flaw(rule)) {
                dead_permission::report(check, rule, flaw);
            } else if is_relative(rule) && !has_absolute_form(rule, &rules) {
                report_relative(check, rule);
            }
        }
        shadowed_permission::check_by(check, &rules, covers);
    }
}

fn flaw(rule: &Permission<'_>) -> Option<Flaw> {
    let Permission { tool, specifier, .. } = *rule;
    let known = &rule.file.client.permissions;
    if !known.accepts(tool) {
        let nearest = || find_nearest(tool, known.names.iter().map(String::as_str), 1).first().copied();
        // Unknown names that are not similar may be permissions of a later version.
        let meant = known.translate(tool).or_else(nearest)?;
        let whole = specifier.map_or_else(|| meant.to_owned(), |specifier| format!("{meant}({specifier})"));
        return Some(Flaw::new("there is no such permission", format!("did you mean `{whole}`?")));
    }
    let specifier = specifier?;
    if specifier.trim() != specifier {
        let help = format!("write `{tool}({})`", specifier.trim());
        return Some(Flaw::new("there are blanks inside the parentheses", help));
    }
    match tool {
        _ if specifier.is_empty() => {
            Some(Flaw::new("the parentheses are empty", format!("write `{tool}(*)` for all of it")))
        }
        "Mcp" if !specifier.contains(':') => Some(Flaw::new(
            "it names a server without a tool",
            format!("write `Mcp({specifier}:*)` for all tools of the server"),
        )),
        "Read" | "Write" | "Delete" if specifier.starts_with("./") || specifier.starts_with("../") => {
            Some(Flaw::new(
                "paths have no segments `.` and `..`",
                format!("write `{tool}({})`", specifier.trim_start_matches("../").trim_start_matches("./")),
            ))
        }
        _ => None,
    }
}

/// Returns whether a rule denies paths relative to the workspace.
fn is_relative(rule: &Permission<'_>) -> bool {
    let is_anywhere = |path: &str| path.starts_with(['/', '*', '~']);
    rule.list == List::Deny
        && matches!(rule.tool, "Read" | "Write" | "Delete")
        && rule.specifier.is_some_and(|path| !is_anywhere(path))
}

/// Returns whether a rule that denies covers the same path below any directory.
fn has_absolute_form(rule: &Permission<'_>, rules: &[Permission<'_>]) -> bool {
    let Some(path) = rule.specifier else { return true };
    let anywhere = format!("/{path}");
    let is_form = |other: &Permission<'_>| {
        other.list == List::Deny
            && other.tool == rule.tool
            && other.specifier.is_some_and(|pattern| overridden_deny::matches(pattern, &anywhere))
    };
    rules.iter().any(is_form)
}

fn report_relative(check: &mut Check<'_>, rule: &Permission<'_>) {
    let (tool, path) = (rule.tool, rule.specifier.unwrap_or_default());
    check.report(&dead_permission::RULE, rule.file, rule.span, |label| {
        let message = format!("`{}` may not match: it is a relative path", shorten(rule.text));
        Diagnostic::new(&dead_permission::RULE, message)
            .primary(label)
            .note("the documentation of Cursor compares relative paths, and the program absolute ones")
            .note(version_note(rule.file))
            .help(format!("add `{tool}(**/{})`", shorten(path)))
    });
}

/// Returns whether a rule applies to everything to which another one applies. If in doubt, it does not.
fn covers(deny: &Permission<'_>, allow: &Permission<'_>) -> bool {
    if deny.tool != allow.tool {
        return false;
    }
    let (Some(outer), Some(inner)) = (deny.specifier, allow.specifier) else { return false };
    match deny.tool {
        _ if outer == inner || deny.is_whole() => true,
        "Shell" => inner.strip_prefix(outer).is_some_and(|rest| rest.starts_with(':')),
        // The program takes `?` literally.
        _ => !outer.contains('?') && overridden_deny::matches(outer, inner),
    }
}
