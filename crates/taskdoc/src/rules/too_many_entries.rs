use minds_diagnostics::{Diagnostic, Problems, Severity, rule};
use minds_vfs::{Location, MountId, Snapshot, SnapshotEntry, WorkspacePath};

use super::Home;
use crate::layout::{Layout, label};

rule! {
    pub(super) static RULE {
        code: "task/too-many-entries",
        summary: "a package has too many entries",
        severity: Error,
        suppressible: false,
        since: "0.1.0",
        page: "too_many_entries.md",
    }
}

pub(super) fn check(layout: &Layout<'_>, problems: &mut Problems) {
    let SnapshotEntry::TooLarge { limit: most } = layout.state else { return };
    problems.push(
        Diagnostic::new(&RULE, format!("the package contains more than {most} files and directories"))
            .primary(layout.label())
            .note("packages of this size are not listed, so the other rules were not applied")
            .help("move files that are not sections out of the package"),
    );
}

/// Reports directories with too many entries to be searched for packages.
pub(super) fn check_places(snapshot: &Snapshot, home: Option<&Home<'_>>, problems: &mut Problems) {
    let top = WorkspacePath::root();
    for path in [home.map(|home| home.path), Some(&top)].into_iter().flatten() {
        let location = Location::new(MountId::WORKSPACE, path.clone());
        let Some(SnapshotEntry::TooLarge { limit: most }) = snapshot.get(&location) else { continue };
        let (name, place) =
            if path.is_root() { ("the workspace", ".") } else { ("the task home", path.as_str()) };
        problems.push(
            Diagnostic::new(&RULE, format!("{name} contains more than {most} files and directories"))
                .severity(Severity::Warning)
                .primary(label(place))
                .note("not all of them were searched for task packages")
                .help("move generated files elsewhere, or pass the directory to check"),
        );
    }
}
