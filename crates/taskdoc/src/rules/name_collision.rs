use std::collections::BTreeMap;

use minds_diagnostics::{Diagnostic, Problems, Rule, Severity};
use minds_paths::portable::fold;

use crate::layout::{Layout, label};
use crate::role::Role;

pub(super) static RULE: Rule = Rule {
    code: "task/name-collision",
    summary: "a name is another one on some systems",
    default_severity: Severity::Error,
    is_allowable: false,
    since: "0.1.0",
    page: include_str!("name_collision.md"),
};

/// Reports packages beside each other that some systems take for one.
pub(super) fn check_packages(layouts: &[Layout<'_>], problems: &mut Problems) {
    let mut seen: BTreeMap<(&str, String), &str> = BTreeMap::new();
    for layout in layouts.iter().filter(|layout| layout.is_directory()) {
        let parent = layout.path.strip_suffix(layout.name()).unwrap_or_default();
        let first = seen.entry((parent, fold(layout.name()))).or_insert(layout.path);
        if *first != layout.path {
            problems.push(same_as(layout.path, layout.name(), first));
        }
    }
}

/// Reports names in a package that some systems take for a name of the format, or for another one beside them.
pub(super) fn check(layout: &Layout<'_>, problems: &mut Problems) {
    let mut seen: BTreeMap<(&str, String), &str> = BTreeMap::new();
    for entry in &layout.entries {
        match &entry.role {
            Role::Like(name) if layout.find(name).is_none() => {
                problems.push(
                    Diagnostic::new(&RULE, format!("`{}` is not written like `{name}`", entry.below))
                        .primary(entry.label())
                        .note("where letter case counts it is not found, and where it does not it is")
                        .help(format!("rename it to `{}/{name}`", layout.path)),
                );
            }
            Role::Like(name) => problems.push(same_as(entry.path, entry.below, name)),
            // What a program keeps for itself is its own affair.
            Role::Other if entry.depth() > 2 || entry.below.starts_with('.') => {}
            _ => {
                let first = seen.entry((entry.parent(), fold(entry.name()))).or_insert(entry.below);
                if *first != entry.below {
                    problems.push(same_as(entry.path, entry.below, first));
                }
            }
        }
    }
}

fn same_as(path: &str, name: &str, first: &str) -> Diagnostic {
    Diagnostic::new(&RULE, format!("some systems take `{name}` for `{first}`"))
        .primary(label(path))
        .note("where letter case does not count, one of them is lost or takes the place of the other")
        .help("rename one of them, or put into one what both hold")
}
