use minds_diagnostics::{Diagnostic, Problems, Rule, Severity};

use crate::layout::Layout;
use crate::role::Role;
use crate::section::{Section, TopLevel};

pub(super) static RULE: Rule = Rule {
    code: "task/missing-section",
    summary: "a package lacks a required section",
    default_severity: Severity::Error,
    is_suppressible: false,
    since: "0.1.0",
    page: include_str!("missing_section.md"),
};

/// Reports each missing required section. A section with a differently spelled name is reported by another
/// rule.
pub(super) fn check(layout: &Layout<'_>, problems: &mut Problems) {
    for top in TopLevel::ALL.iter().copied() {
        let path = Section::Top(top).path();
        let exists = layout.find(&path).is_some()
            || layout.entries.iter().any(|entry| entry.role == Role::Variant(path.clone()));
        if !exists {
            let message = format!("the task does not have `{path}`");
            problems.push(
                Diagnostic::new(&RULE, message)
                    .primary(layout.label())
                    .note("every task must have goals, constraints and progress")
                    .help(format!("create `{}/{path}`; it may be empty", layout.path)),
            );
        }
    }
}
