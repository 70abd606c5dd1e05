use minds_diagnostics::{Diagnostic, Problems, Rule, Severity};

use crate::layout::Layout;
use crate::role::Role;

pub(super) static RULE: Rule = Rule {
    code: "task/misplaced-section",
    summary: "a section stands where the format does not have it",
    default_severity: Severity::Error,
    is_allowable: false,
    since: "0.1.0",
    page: include_str!("misplaced_section.md"),
};

pub(super) fn check(layout: &Layout<'_>, problems: &mut Problems) {
    for entry in &layout.entries {
        let Role::Misplaced(place) = &entry.role else { continue };
        let message = format!("`{}` has the name of a section that stands in `{place}` only", entry.below);
        let taken = layout.find(place).is_some();
        let help = if taken {
            format!(
                "put what it holds into `{}/{place}`, and remove it; or give it another name",
                layout.path
            )
        } else {
            format!("move it to `{}/{place}`, or give it another name", layout.path)
        };
        problems.push(
            Diagnostic::new(&RULE, message)
                .primary(entry.label())
                .note("nobody can read or change it there")
                .help(help),
        );
    }
}
