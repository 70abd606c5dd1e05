use std::collections::BTreeSet;

use minds_diagnostics::{Diagnostic, Problems, Rule, Severity};

use crate::layout::{Entry, Layout};
use crate::role::Role;
use crate::section::{EXTENSION, check_category};

pub(super) static RULE: Rule = Rule {
    code: "task/unusable-name",
    summary: "a section or category has a name that cannot be used",
    default_severity: Severity::Warning,
    is_allowable: false,
    since: "0.1.0",
    page: include_str!("unusable_name.md"),
};

pub(super) fn check(layout: &Layout<'_>, problems: &mut Problems) {
    // A directory without such files is no category that anybody could have meant.
    let is_visible = |entry: &&Entry<'_>| entry.name().ends_with(EXTENSION) && !entry.name().starts_with('.');
    let with_sections: BTreeSet<&str> = layout.entries.iter().filter(is_visible).map(Entry::parent).collect();
    for entry in &layout.entries {
        match &entry.role {
            Role::Unusable(reason) if !entry.is_directory() => {
                let selector = entry.name().strip_suffix(EXTENSION).unwrap_or(entry.name());
                problems.push(found(entry, &format!("`{selector}` cannot be a section: {reason}")));
            }
            Role::Other
                if entry.depth() == 1
                    && entry.is_directory()
                    && !entry.name().starts_with('.')
                    && with_sections.contains(entry.below) =>
            {
                if let Err(reason) = check_category(entry.name()) {
                    problems
                        .push(found(entry, &format!("`{}` cannot be a category: {reason}", entry.name())));
                }
            }
            _ => {}
        }
    }
}

fn found(entry: &Entry<'_>, message: &str) -> Diagnostic {
    Diagnostic::new(&RULE, message)
        .primary(entry.label())
        .note("no agent is told of it, and nobody can recall or change it")
        .help(
            "begin with a letter, and go on with letters, digits, `-` and `_`, in parts that dots separate; \
             a dot before the name says that it is for programs",
        )
}
