use minds_diagnostics::{Diagnostic, Problems, rule};

use crate::layout::Layout;
use crate::role::Role;
use crate::section::{Section, TopLevel};

rule! {
    pub(super) static RULE {
        code: "task/missing-section",
        summary: "a package lacks a required section",
        severity: Error,
        suppressible: false,
        since: "0.1.0",
        page: "missing_section.md",
    }
}

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
