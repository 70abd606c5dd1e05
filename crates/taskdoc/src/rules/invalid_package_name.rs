use minds_diagnostics::{Diagnostic, Problems, Rule, Severity};

use crate::PackageName;
use crate::layout::Layout;

pub(super) static RULE: Rule = Rule {
    code: "task/invalid-package-name",
    summary: "a task package has a name that cannot be used",
    default_severity: Severity::Error,
    is_allowable: false,
    since: "0.1.0",
    page: include_str!("invalid_package_name.md"),
};

/// Reports a directory that is closed to general tools like a package, and cannot be named to those for tasks.
pub(super) fn check(layout: &Layout<'_>, problems: &mut Problems) {
    let Err(error) = PackageName::of_directory(layout.name()) else { return };
    problems.push(
        Diagnostic::new(&RULE, error.message)
            .primary(layout.label())
            .note("general tools touch nothing that is called so, and those for tasks do not see it")
            .help("rename it to letters, digits, `-` and `_` with `.tsk` behind them, such as `ship-it.tsk`"),
    );
}
