use minds_diagnostics::{Diagnostic, Problems, Severity, rule};
use minds_vfs::{Location, MountId, Snapshot, SnapshotEntry};

use super::Home;
use crate::layout::{Layout, label};
use crate::role::Role;
use crate::section::check_category;

rule! {
    pub(super) static RULE {
        code: "task/not-a-directory",
        summary: "an entry is not a directory but has the name of one",
        severity: Error,
        suppressible: false,
        since: "0.1.0",
        page: "not_a_directory.md",
    }
}

/// Reports entries with the name of a package that are not directories.
pub(super) fn check_package(layout: &Layout<'_>, problems: &mut Problems) {
    if let Some(kind) = kind(layout.state) {
        let message = format!("`{}` is {kind}, but a task package is a directory", layout.name());
        problems.push(
            Diagnostic::new(&RULE, message)
                .primary(layout.label())
                .note("general tools refuse such names, and task tools ignore them")
                .help("rename it, or create a package with `minds task new`"),
        );
    }
}

/// Reports a task home that is not a directory.
pub(super) fn check_home(snapshot: &Snapshot, home: &Home<'_>, problems: &mut Problems) {
    let Some(entry) = snapshot.get(&Location::new(MountId::WORKSPACE, home.path.clone())) else { return };
    let Some(kind) = kind(entry) else { return };
    // An entry with the default name may have another purpose, but a link is probably intended.
    let is_link = matches!(entry, SnapshotEntry::Link { .. });
    if !home.is_chosen && !is_link {
        return;
    }
    let severity = if home.is_chosen { Severity::Error } else { Severity::Info };
    problems.push(
        Diagnostic::new(&RULE, format!("`{}` is {kind}, but the task home must be a directory", home.path))
            .severity(severity)
            .primary(label(home.path.as_str()))
            .note(if is_link {
                "links to task packages are not followed"
            } else {
                "tasks cannot be created there"
            })
            .help("replace it with a directory, or set `task_home` in `.minds/minds.toml`"),
    );
}

/// Reports entries of a package that have the name of a directory but are not directories.
pub(super) fn check(layout: &Layout<'_>, problems: &mut Problems) {
    for entry in &layout.entries {
        let Some(kind) = kind(entry.state) else { continue };
        match &entry.role {
            Role::Directory => problems.push(
                Diagnostic::new(
                    &RULE,
                    format!("`{}` is {kind}, but must be a directory", entry.relative_path),
                )
                .primary(entry.label())
                .help(format!("remove it, and create the directory `{}` if it is needed", entry.path)),
            ),
            // Possibly a category.
            Role::Other
                if entry.depth() == 1
                    && matches!(entry.state, SnapshotEntry::Link { .. })
                    // A name with an extension is rather that of a file.
                    && !entry.name().contains('.')
                    && check_category(entry.name()).is_ok() =>
            {
                problems.push(
                    Diagnostic::new(
                        &RULE,
                        format!("`{}` is a symbolic link, so it is not a category", entry.relative_path),
                    )
                    .severity(Severity::Warning)
                    .primary(entry.label())
                    .note("links in task packages are not followed, so nothing is read or written through it")
                    .help("replace it with a copy of its target"),
                );
            }
            _ => {}
        }
    }
}

/// Returns the type of an entry, if it is certainly not a directory.
fn kind(state: &SnapshotEntry) -> Option<&'static str> {
    match state {
        SnapshotEntry::File { .. } | SnapshotEntry::Unread | SnapshotEntry::HardLinked => Some("a file"),
        SnapshotEntry::Link { .. } => Some("a symbolic link"),
        SnapshotEntry::Special => Some("a pipe, a socket or a device"),
        SnapshotEntry::Directory
        | SnapshotEntry::TooLarge { .. }
        | SnapshotEntry::Outside { .. }
        | SnapshotEntry::Untrusted { .. }
        | SnapshotEntry::Unreadable { .. } => None,
    }
}
