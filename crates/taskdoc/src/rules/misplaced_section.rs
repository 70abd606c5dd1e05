use minds_diagnostics::{Diagnostic, Problems, rule};

use crate::layout::Layout;
use crate::role::Role;

rule! {
    pub(super) static RULE {
        code: "task/misplaced-section",
        summary: "a section is in the wrong directory",
        severity: Error,
        suppressible: false,
        since: "0.1.0",
        page: "misplaced_section.md",
    }
}

pub(super) fn check(layout: &Layout<'_>, problems: &mut Problems) {
    for entry in &layout.entries {
        let Role::Misplaced(place) = &entry.role else { continue };
        let message = format!("`{}` has the name of the section `{place}`", entry.relative_path);
        let exists = layout.find(place).is_some();
        let help = if exists {
            format!("move its text to `{}/{place}` and remove it, or rename it", layout.path)
        } else {
            format!("move it to `{}/{place}`, or rename it", layout.path)
        };
        problems.push(
            Diagnostic::new(&RULE, message)
                .primary(entry.label())
                .note("task tools cannot read or change it here")
                .help(help),
        );
    }
}
