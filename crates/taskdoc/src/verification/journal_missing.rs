use minds_diagnostics::{Problems, rule};

use super::{Evidence, Lines, finding};

rule! {
    pub(super) static RULE {
        code: "task/journal-missing",
        summary: "a task package does not have a journal",
        severity: Error,
        suppressible: false,
        since: "0.1.0",
        page: "journal_missing.md",
    }
}

pub(super) fn check(problems: &mut Problems, evidence: &Evidence, lines: &Lines) {
    let label = lines.label(None).message("without it, changes and their authors are unknown");
    let message = format!("the task `{}` has no journal", evidence.name);
    let help = "restore the journal from version control; if there never was one, the next change creates it";
    problems.push(finding(&RULE, message, label).help(help));
}
