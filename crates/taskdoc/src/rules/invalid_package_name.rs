use minds_diagnostics::{Diagnostic, Problems, Rule, Severity};

use crate::PackageName;
use crate::layout::Layout;

pub(super) static RULE: Rule = Rule {
    code: "task/invalid-package-name",
    summary: "a task package has an invalid name",
    default_severity: Severity::Error,
    is_suppressible: false,
    since: "0.1.0",
    page: include_str!("invalid_package_name.md"),
};

/// Reports a directory that general tools refuse like a package, and task tools cannot access.
pub(super) fn check(layout: &Layout<'_>, problems: &mut Problems) {
    let Err(error) = PackageName::of_directory(layout.name()) else { return };
    problems.push(
        Diagnostic::new(&RULE, error.message)
            .primary(layout.label())
            .note("general tools refuse such names, and task tools ignore them")
            .help("rename it: use letters, digits, `-` and `_`, followed by `.tsk`, such as `ship-it.tsk`"),
    );
}
