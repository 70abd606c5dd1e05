use minds_diagnostics::{Problems, Rule, Severity};

use super::{Evidence, Lines, found};

pub(super) static RULE: Rule = Rule {
    code: "task/journal-kept",
    summary: "what is kept for undoing a change is not what the journal says",
    default_severity: Severity::Error,
    is_allowable: false,
    since: "0.1.0",
    page: include_str!("journal_kept.md"),
};

pub(super) fn check(problems: &mut Problems, evidence: &Evidence, lines: &Lines) {
    let changes = lines.journal.by_id();
    for kept in &evidence.kept {
        let change = changes.get(&kept.change).copied();
        let (said, help) = match change {
            None => (
                format!("`{}` is kept for a change that the journal does not have", kept.path),
                "a line was removed from the journal: get it back from version control, or remove the file if the change never was",
            ),
            Some(_) if !kept.is_whole => (
                format!("`{}` is not what was kept there", kept.path),
                "get the file back from version control, or remove it: then the change cannot be undone",
            ),
            Some(_) => continue,
        };
        let label =
            lines.label(change).message(if change.is_some() { "the change" } else { "no line has this id" });
        problems.push(found(&RULE, said, label).help(help));
    }
}
