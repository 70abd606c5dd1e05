use minds_diagnostics::{Diagnostic, Problems, rule};
use minds_vfs::SnapshotEntry;

use crate::layout::{Entry, Layout};
use crate::{MAX_EXTRAS, Section};

rule! {
    pub(super) static RULE {
        code: "task/unindexed-sections",
        summary: "a task has more sections than agents can list",
        severity: Info,
        suppressible: false,
        since: "0.1.0",
        page: "unindexed_sections.md",
    }
}

pub(super) fn check(layout: &Layout<'_>, problems: &mut Problems) {
    let is_file = |entry: &&Entry<'_>| {
        !matches!(entry.state, SnapshotEntry::Directory | SnapshotEntry::Link { .. } | SnapshotEntry::Special)
    };
    let files = layout.entries.iter().filter(is_file);
    let extras = files
        .filter(|entry| Section::of_path(entry.relative_path).is_some_and(|section| !section.is_injected()));
    let count = extras.count();
    if count > MAX_EXTRAS {
        let message = format!(
            "the task has {count} sections in categories, but agents receive a list of only {MAX_EXTRAS}"
        );
        problems.push(
            Diagnostic::new(&RULE, message)
                .primary(layout.label())
                .note("the list is sorted by category and name; the remaining sections can be recalled only by name")
                .help("merge related sections, or remove completed ones"),
        );
    }
}
