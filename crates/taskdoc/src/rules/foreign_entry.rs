use minds_diagnostics::{Diagnostic, Problems, Rule, Severity};

use crate::layout::Layout;
use crate::role::Role;
use crate::section::{BEAR_IN_MIND, BearInMind, EXTENSION};

pub(super) static RULE: Rule = Rule {
    code: "task/foreign-entry",
    summary: "something in `bearinmind/` is none of its sections",
    default_severity: Severity::Error,
    is_allowable: false,
    since: "0.1.0",
    page: include_str!("foreign_entry.md"),
};

pub(super) fn check(layout: &Layout<'_>, problems: &mut Problems) {
    let names: Vec<String> =
        BearInMind::ALL.iter().map(|bear| format!("`{}{EXTENSION}`", bear.name())).collect();
    for entry in layout.entries.iter().filter(|entry| entry.role == Role::Foreign) {
        let message = format!("`{BEAR_IN_MIND}/` has no place for `{}`", entry.name());
        let help = if entry.name().starts_with('.') {
            "remove it"
        } else {
            "move it to a category of another name, such as `notes/`, or remove it"
        };
        problems.push(
            Diagnostic::new(&RULE, message)
                .primary(entry.label())
                .note(format!("it holds only {}", names.join(", ")))
                .help(help),
        );
    }
}
