use std::collections::BTreeSet;

use minds_diagnostics::{Diagnostic, Problems, rule};

use crate::layout::{Entry, Layout};
use crate::role::Role;
use crate::section::{EXTENSION, check_category};

rule! {
    pub(super) static RULE {
        code: "task/unusable-name",
        summary: "a section or category has an invalid name",
        severity: Warning,
        suppressible: false,
        since: "0.1.0",
        page: "unusable_name.md",
    }
}

pub(super) fn check(layout: &Layout<'_>, problems: &mut Problems) {
    // A directory without such files is not intended as a category.
    let is_visible = |entry: &&Entry<'_>| entry.name().ends_with(EXTENSION) && !entry.name().starts_with('.');
    let with_sections: BTreeSet<&str> = layout.entries.iter().filter(is_visible).map(Entry::parent).collect();
    for entry in &layout.entries {
        match &entry.role {
            Role::InvalidName(reason) if !entry.is_directory() => {
                let selector = entry.name().strip_suffix(EXTENSION).unwrap_or(entry.name());
                problems.push(finding(entry, &format!("`{selector}` is not a valid section: {reason}")));
            }
            Role::Other
                if entry.depth() == 1
                    && entry.is_directory()
                    && !entry.name().starts_with('.')
                    && with_sections.contains(entry.relative_path) =>
            {
                if let Err(reason) = check_category(entry.name()) {
                    problems.push(finding(
                        entry,
                        &format!("`{}` is not a valid category: {reason}", entry.name()),
                    ));
                }
            }
            _ => {}
        }
    }
}

fn finding(entry: &Entry<'_>, message: &str) -> Diagnostic {
    Diagnostic::new(&RULE, message)
        .primary(entry.label())
        .note("agents do not receive it in their list of sections, and cannot recall or change it")
        .help(
            "use a letter followed by letters, digits, `-` and `_`, in parts separated by dots; \
             start names of files for programs with a dot",
        )
}
