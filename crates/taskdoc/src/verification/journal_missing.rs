use minds_diagnostics::{Problems, Rule, Severity};

use super::{Evidence, Lines, finding};

pub(super) static RULE: Rule = Rule {
    code: "task/journal-missing",
    summary: "a task package does not have a journal",
    default_severity: Severity::Error,
    is_suppressible: false,
    since: "0.1.0",
    page: include_str!("journal_missing.md"),
};

pub(super) fn check(problems: &mut Problems, evidence: &Evidence, lines: &Lines) {
    let label = lines.label(None).message("this file does not exist");
    let message = format!("no changes of the task `{}` are recorded", evidence.name);
    let help = "restore the journal from version control; if there never was one, the next change creates it";
    problems.push(finding(&RULE, message, label).help(help));
}
