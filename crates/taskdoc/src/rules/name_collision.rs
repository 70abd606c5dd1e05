use std::collections::BTreeMap;

use minds_diagnostics::{Diagnostic, Problems, rule};
use minds_vfs::portable::fold;

use crate::layout::{Layout, label};
use crate::role::Role;

rule! {
    pub(super) static RULE {
        code: "task/name-collision",
        summary: "a name is ambiguous on some systems",
        severity: Error,
        suppressible: false,
        since: "0.1.0",
        page: "name_collision.md",
    }
}

/// Reports packages in the same directory whose names are the same on some systems.
pub(super) fn check_packages(layouts: &[Layout<'_>], problems: &mut Problems) {
    let mut seen: BTreeMap<(&str, String), &str> = BTreeMap::new();
    for layout in layouts.iter().filter(|layout| layout.is_directory()) {
        let parent = layout.path.strip_suffix(layout.name()).unwrap_or_default();
        let first = seen.entry((parent, fold(layout.name()))).or_insert(layout.path);
        if *first != layout.path {
            problems.push(collision(layout.path, layout.name(), first));
        }
    }
}

/// Reports names in a package that are, on some systems, the same as a name of the format or of a sibling.
pub(super) fn check(layout: &Layout<'_>, problems: &mut Problems) {
    let mut seen: BTreeMap<(&str, String), &str> = BTreeMap::new();
    for entry in &layout.entries {
        match &entry.role {
            Role::Variant(name) if layout.find(name).is_none() => {
                problems.push(
                    Diagnostic::new(
                        &RULE,
                        format!("`{}` is a different spelling of `{name}`", entry.relative_path),
                    )
                    .primary(entry.label())
                    .note("it is found only on systems that ignore letter case")
                    .help(format!("rename it to `{}/{name}`", layout.path)),
                );
            }
            Role::Variant(name) => problems.push(collision(entry.path, entry.relative_path, name)),
            // Files that a program stores for itself do not matter.
            Role::Other if entry.depth() > 2 || entry.relative_path.starts_with('.') => {}
            _ => {
                let first = seen.entry((entry.parent(), fold(entry.name()))).or_insert(entry.relative_path);
                if *first != entry.relative_path {
                    problems.push(collision(entry.path, entry.relative_path, first));
                }
            }
        }
    }
}

fn collision(path: &str, name: &str, first: &str) -> Diagnostic {
    Diagnostic::new(&RULE, format!("`{name}` and `{first}` are the same name on some systems"))
        .primary(label(path))
        .note("on systems that ignore letter case, one of them is lost or replaces the other")
        .help("rename one of them, or merge them")
}
