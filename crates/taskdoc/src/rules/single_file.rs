use minds_diagnostics::{Diagnostic, Problems, rule};
use minds_vfs::{MountId, Snapshot, SnapshotEntry};

use super::Home;
use crate::is_single_file;
use crate::layout::label;

rule! {
    pub(super) static RULE {
        code: "task/single-file",
        summary: "a Markdown file in the task home looks like a task",
        severity: Info,
        suppressible: false,
        since: "0.1.0",
        page: "single_file.md",
    }
}

pub(super) fn check(snapshot: &Snapshot, home: &Home<'_>, problems: &mut Problems) {
    for (location, entry) in snapshot.iter().filter(|(location, _)| location.mount == MountId::WORKSPACE) {
        let path = &location.path;
        let SnapshotEntry::File { bytes, .. } = entry else { continue };
        if path.parent().as_ref() != Some(home.path) {
            continue;
        }
        let name = path.file_name().unwrap_or_default();
        if bytes.text().is_ok_and(|text| is_single_file(name, text)) {
            problems.push(
                Diagnostic::new(&RULE, format!("`{name}` looks like a task in a single file"))
                    .primary(label(path.as_str()))
                    .note(
                        "a task is a directory whose name ends with `.tsk`; task tools do not read this file",
                    )
                    .help(format!("convert it to a package with `minds task migrate {path}`")),
            );
        }
    }
}
