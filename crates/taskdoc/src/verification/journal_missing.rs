use minds_diagnostics::{Problems, Rule, Severity};

use super::{Evidence, Lines, found};

pub(super) static RULE: Rule = Rule {
    code: "task/journal-missing",
    summary: "a task package has no journal",
    default_severity: Severity::Error,
    is_allowable: false,
    since: "0.1.0",
    page: include_str!("journal_missing.md"),
};

pub(super) fn check(problems: &mut Problems, evidence: &Evidence, lines: &Lines) {
    let label = lines.label(None).message("this file is not there");
    let message = format!("nothing is written down of the task `{}`", evidence.name);
    let help =
        "get the journal back from version control; where there never was one, the next change begins it";
    problems.push(found(&RULE, message, label).help(help));
}
