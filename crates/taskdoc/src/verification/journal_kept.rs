use minds_diagnostics::{Problems, rule};

use super::{Evidence, Lines, finding};

rule! {
    pub(super) static RULE {
        code: "task/journal-kept",
        summary: "a stored previous content does not match the journal",
        severity: Error,
        suppressible: false,
        since: "0.1.0",
        page: "journal_kept.md",
    }
}

pub(super) fn check(problems: &mut Problems, evidence: &Evidence, lines: &Lines) {
    let changes = lines.journal.by_id();
    for file in &evidence.history {
        let change = changes.get(&file.change).copied();
        let (message, help) = match change {
            None => (
                format!("`{}` belongs to a change that is not in the journal", file.path),
                "restore the removed line of the journal from version control, or remove the file if the change never existed",
            ),
            Some(_) if !file.is_intact => (
                format!("`{}` was modified", file.path),
                "restore the file from version control, or remove it; without it the change cannot be undone",
            ),
            Some(_) => continue,
        };
        let label =
            lines.label(change).message(if change.is_some() { "the change" } else { "no line has this id" });
        problems.push(finding(&RULE, message, label).help(help));
    }
}
