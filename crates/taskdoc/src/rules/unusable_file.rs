use minds_diagnostics::{Diagnostic, Problems, rule};
use minds_vfs::SnapshotEntry;

use crate::layout::{Entry, Layout};
use crate::role::Role;

rule! {
    pub(super) static RULE {
        code: "task/unusable-file",
        summary: "a section or the journal is not a regular file",
        severity: Error,
        suppressible: false,
        since: "0.1.0",
        page: "unusable_file.md",
    }
}

pub(super) fn check(layout: &Layout<'_>, problems: &mut Problems) {
    for entry in &layout.entries {
        let what = match &entry.role {
            Role::Section(section) => format!("the section `{section}`"),
            Role::Journal => "the journal".to_owned(),
            _ => continue,
        };
        let Some(kind) = entry.describe_non_file() else { continue };
        problems.push(
            Diagnostic::new(&RULE, format!("{what} cannot be {kind}"))
                .primary(entry.label())
                .note("only regular files with a single hard link are read and written")
                .help(help(entry)),
        );
    }
}

fn help(entry: &Entry<'_>) -> &'static str {
    match entry.state {
        SnapshotEntry::Directory => "move its files to a category, and remove the directory",
        SnapshotEntry::HardLinked => "replace it with a copy",
        SnapshotEntry::Link { .. } => "replace it with a copy of its target",
        _ => "replace it with a regular file",
    }
}
