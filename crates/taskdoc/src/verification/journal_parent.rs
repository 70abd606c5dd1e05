use minds_diagnostics::{Problems, rule};

use super::{Lines, finding};

rule! {
    pub(super) static RULE {
        code: "task/journal-parent",
        summary: "a change refers to a parent that is not in the journal",
        severity: Error,
        suppressible: false,
        since: "0.1.0",
        page: "journal_parent.md",
    }
}

/// A cycle would require a hash that contains itself, so only missing parents can occur.
pub(super) fn check(problems: &mut Problems, lines: &Lines) {
    for change in &lines.journal.entries {
        for parent in change.parents.iter().filter(|parent| !lines.has(parent)) {
            let label = lines.label_within(change, &parent.to_string()).message("no line has this id");
            let message = format!("the parent of the change `{}` is not in the journal", change.short_id());
            problems
                .push(finding(&RULE, message, label).help("restore the removed line from version control"));
        }
    }
}
