use minds_diagnostics::{Problems, Rule, Severity};

use super::{Lines, found};

pub(super) static RULE: Rule = Rule {
    code: "task/journal-parent",
    summary: "a change follows one that the journal does not have",
    default_severity: Severity::Error,
    is_allowable: false,
    since: "0.1.0",
    page: include_str!("journal_parent.md"),
};

/// A change that came after itself would have a hash that holds itself, so what is left to look for is what is missing.
pub(super) fn check(problems: &mut Problems, lines: &Lines) {
    for change in &lines.journal.entries {
        for parent in change.parents.iter().filter(|parent| !lines.has(parent)) {
            let label = lines.label_within(change, &parent.to_string()).message("no line has this id");
            let message = format!("the change `{}` follows one that is not there", change.short());
            problems.push(
                found(&RULE, message, label).help("a line was removed: get it back from version control"),
            );
        }
    }
}
