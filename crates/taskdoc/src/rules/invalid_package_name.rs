use minds_diagnostics::{Diagnostic, Problems, rule};

use crate::PackageName;
use crate::layout::Layout;

rule! {
    pub(super) static RULE {
        code: "task/invalid-package-name",
        summary: "a task package has an invalid name",
        severity: Error,
        suppressible: false,
        since: "0.1.0",
        page: "invalid_package_name.md",
    }
}

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
