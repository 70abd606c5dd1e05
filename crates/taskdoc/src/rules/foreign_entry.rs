use minds_diagnostics::{Diagnostic, Problems, rule};

use crate::layout::Layout;
use crate::role::Role;
use crate::section::{BEAR_IN_MIND, BearInMind, EXTENSION};

rule! {
    pub(super) static RULE {
        code: "task/foreign-entry",
        summary: "an entry of `bearinmind/` is not one of its sections",
        severity: Error,
        suppressible: false,
        since: "0.1.0",
        page: "foreign_entry.md",
    }
}

pub(super) fn check(layout: &Layout<'_>, problems: &mut Problems) {
    let names: Vec<String> =
        BearInMind::ALL.iter().map(|bear| format!("`{}{EXTENSION}`", bear.name())).collect();
    for entry in layout.entries.iter().filter(|entry| entry.role == Role::Foreign) {
        let message = format!("`{}` is not a section of `{BEAR_IN_MIND}/`", entry.name());
        let help = if entry.name().starts_with('.') {
            "remove it"
        } else {
            "move it to another category, such as `notes/`, or remove it"
        };
        problems.push(
            Diagnostic::new(&RULE, message)
                .primary(entry.label())
                .note(format!("it may only contain {}", names.join(", ")))
                .help(help),
        );
    }
}
