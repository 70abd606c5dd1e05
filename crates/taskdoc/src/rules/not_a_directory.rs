use minds_diagnostics::{Diagnostic, Problems, Rule, Severity};
use minds_document::{Snapshot, SnapshotEntry};
use minds_paths::{Location, MountId};

use super::Home;
use crate::layout::{Layout, label};
use crate::role::Role;
use crate::section::check_category;

pub(super) static RULE: Rule = Rule {
    code: "task/not-a-directory",
    summary: "something else stands where a directory belongs",
    default_severity: Severity::Error,
    is_allowable: false,
    since: "0.1.0",
    page: include_str!("not_a_directory.md"),
};

/// Reports what has the name of a package and is no directory.
pub(super) fn check_package(layout: &Layout<'_>, problems: &mut Problems) {
    if let Some(kind) = kind(layout.what) {
        let message = format!("`{}` is {kind}, and a task package is a directory", layout.name());
        problems.push(
            Diagnostic::new(&RULE, message)
                .primary(layout.label())
                .note("general tools touch nothing that is called so, and those for tasks do not see it")
                .help("give it another name, or make a package with `minds task new`"),
        );
    }
}

/// Reports what stands in the place of the task home, if it is none.
pub(super) fn check_home(snapshot: &Snapshot, home: &Home<'_>, problems: &mut Problems) {
    let Some(entry) = snapshot.get(&Location::new(MountId::WORKSPACE, home.path.clone())) else { return };
    let Some(kind) = kind(entry) else { return };
    // What has the usual name need not be meant; a link may well be.
    let is_link = matches!(entry, SnapshotEntry::Link { .. });
    if !home.is_chosen && !is_link {
        return;
    }
    let severity = if home.is_chosen { Severity::Error } else { Severity::Info };
    problems.push(
        Diagnostic::new(&RULE, format!("`{}` is {kind}, and task packages lie in a directory", home.path))
            .severity(severity)
            .primary(label(home.path.as_str()))
            .note(if is_link { "no link is followed to a task package" } else { "no task can be made there" })
            .help("make it a directory, or name another one with `task_home` in `.minds/minds.toml`"),
    );
}

/// Reports what stands in the place of a directory in a package.
pub(super) fn check(layout: &Layout<'_>, problems: &mut Problems) {
    for entry in &layout.entries {
        let Some(kind) = kind(entry.what) else { continue };
        match &entry.role {
            Role::Directory => problems.push(
                Diagnostic::new(
                    &RULE,
                    format!("`{}` is {kind}, and its place is that of a directory", entry.below),
                )
                .primary(entry.label())
                .help(format!("remove it, and make `{}` a directory if it is needed", entry.path)),
            ),
            // A category, perhaps.
            Role::Other
                if entry.depth() == 1
                    && matches!(entry.what, SnapshotEntry::Link { .. })
                    // With an ending it is rather a file.
                    && !entry.name().contains('.')
                    && check_category(entry.name()).is_ok() =>
            {
                problems.push(
                    Diagnostic::new(
                        &RULE,
                        format!("`{}` is a symbolic link, so it is no category", entry.below),
                    )
                    .severity(Severity::Warning)
                    .primary(entry.label())
                    .note("no link is followed in a task package, so nothing is read or written behind it")
                    .help("replace it by a directory with what it leads to"),
                );
            }
            _ => {}
        }
    }
}

/// Returns what something is, if it certainly is no directory.
fn kind(what: &SnapshotEntry) -> Option<&'static str> {
    match what {
        SnapshotEntry::File { .. } | SnapshotEntry::Unread | SnapshotEntry::SeveralNames => Some("a file"),
        SnapshotEntry::Link { .. } => Some("a symbolic link"),
        SnapshotEntry::Special => Some("a pipe, a socket or a device"),
        SnapshotEntry::Directory
        | SnapshotEntry::TooLarge { .. }
        | SnapshotEntry::Outside { .. }
        | SnapshotEntry::Untrusted { .. }
        | SnapshotEntry::Unreadable { .. } => None,
    }
}
