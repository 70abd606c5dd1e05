use minds_diagnostics::{Diagnostic, Problems, Rule, Severity};
use minds_document::{Snapshot, SnapshotEntry};
use minds_paths::{Location, MountId, WorkspacePath};

use super::Home;
use crate::layout::{Layout, label};

pub(super) static RULE: Rule = Rule {
    code: "task/too-many-entries",
    summary: "there is more in a package than is looked at",
    default_severity: Severity::Error,
    is_allowable: false,
    since: "0.1.0",
    page: include_str!("too_many_entries.md"),
};

pub(super) fn check(layout: &Layout<'_>, problems: &mut Problems) {
    let SnapshotEntry::TooLarge { most } = layout.what else { return };
    problems.push(
        Diagnostic::new(&RULE, format!("the package holds more than {most} files and directories"))
            .primary(layout.label())
            .note("of more it is not looked which there are, so nothing else is known of this package")
            .help("move what is no section out of the package"),
    );
}

/// Reports directories that hold too much to be looked through for packages.
pub(super) fn check_places(snapshot: &Snapshot, home: Option<&Home<'_>>, problems: &mut Problems) {
    let top = WorkspacePath::root();
    for path in [home.map(|home| home.path), Some(&top)].into_iter().flatten() {
        let location = Location::new(MountId::WORKSPACE, path.clone());
        let Some(SnapshotEntry::TooLarge { most }) = snapshot.get(&location) else { continue };
        let (name, place) =
            if path.is_root() { ("the workspace", ".") } else { ("the task home", path.as_str()) };
        problems.push(
            Diagnostic::new(&RULE, format!("{name} holds more than {most} files and directories"))
                .severity(Severity::Warning)
                .primary(label(place))
                .note("not all of them were looked through for task packages")
                .help("keep what is made by programs out of the way, or name a directory to be looked at"),
        );
    }
}
