use minds_diagnostics::{Problems, Rule, Severity};

use super::{Lines, found, span};

pub(super) static RULE: Rule = Rule {
    code: "task/journal-line",
    summary: "a line of a journal cannot be relied on",
    default_severity: Severity::Error,
    is_allowable: false,
    since: "0.1.0",
    page: include_str!("journal_line.md"),
};

/// How git marks what it could not merge.
const MARKS: &[&str] = &["<<<<<<<", "=======", ">>>>>>>", "|||||||"];

pub(super) fn check(problems: &mut Problems, lines: &Lines) {
    for line in &lines.journal.problems {
        let place = span(line.start, line.end);
        let text = lines.source.bytes().get(line.start..line.end).unwrap_or_default();
        let is_mark = MARKS.iter().any(|mark| text.starts_with(mark.as_bytes()));
        let help = if is_mark {
            "remove the lines with which git marks a conflict, and keep the lines of both sides"
        } else {
            "get the line back as it was from version control; a line that was cut off by a crash can be removed"
        };
        let label = lines.source.label(place).message(line.reason.as_str());
        problems.push(
            found(
                &RULE,
                format!("line {} of the journal says nothing that can be relied on", line.line),
                label,
            )
            .help(help),
        );
    }
}
