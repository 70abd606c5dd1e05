use minds_diagnostics::{Diagnostic, Problems, Rule, Severity};

use crate::layout::Layout;
use crate::role::Role;
use crate::section::{Section, TopLevel};

pub(super) static RULE: Rule = Rule {
    code: "task/missing-section",
    summary: "a package lacks a section that every task has",
    default_severity: Severity::Error,
    is_allowable: false,
    since: "0.1.0",
    page: include_str!("missing_section.md"),
};

/// Reports each of the three sections that is not there. One that is there under a name that some system takes for the same
/// is reported for its name.
pub(super) fn check(layout: &Layout<'_>, problems: &mut Problems) {
    for top in TopLevel::ALL.iter().copied() {
        let path = Section::Top(top).path();
        let is_there = layout.find(&path).is_some()
            || layout.entries.iter().any(|entry| entry.role == Role::Like(path.clone()));
        if !is_there {
            let message = format!("the task has no `{path}`");
            problems.push(
                Diagnostic::new(&RULE, message)
                    .primary(layout.label())
                    .note("every task has goals, constraints and progress")
                    .help(format!("make `{}/{path}`; it may be empty", layout.path)),
            );
        }
    }
}
