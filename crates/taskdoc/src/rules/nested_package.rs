use minds_diagnostics::{Diagnostic, Problems, rule};

use crate::layout::Layout;
use crate::role::Role;

rule! {
    pub(super) static RULE {
        code: "task/nested-package",
        summary: "a task package is inside another one",
        severity: Error,
        suppressible: false,
        since: "0.1.0",
        page: "nested_package.md",
    }
}

pub(super) fn check(layout: &Layout<'_>, problems: &mut Problems) {
    let packages = layout.entries.iter().filter(|entry| !entry.is_file());
    for entry in packages.filter(|entry| entry.role == Role::Package) {
        problems.push(
            Diagnostic::new(
                &RULE,
                format!("the package `{}` is inside another package", entry.relative_path),
            )
            .primary(entry.label())
            .note("tools do not find it here, and its contents were not checked")
            .help("move it to the task home, next to the other packages"),
        );
    }
}
