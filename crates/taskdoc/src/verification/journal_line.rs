use minds_diagnostics::{Problems, rule};

use super::{Lines, finding, span};

rule! {
    pub(super) static RULE {
        code: "task/journal-line",
        summary: "a line of a journal cannot be trusted",
        severity: Error,
        suppressible: false,
        since: "0.1.0",
        page: "journal_line.md",
    }
}

/// The conflict markers of git.
const MARKS: &[&str] = &["<<<<<<<", "=======", ">>>>>>>", "|||||||"];

pub(super) fn check(problems: &mut Problems, lines: &Lines) {
    for line in &lines.journal.problems {
        let place = span(line.start, line.end);
        let text = lines.source.bytes().get(line.start..line.end).unwrap_or_default();
        let is_mark = MARKS.iter().any(|mark| text.starts_with(mark.as_bytes()));
        let help = if is_mark {
            "remove the conflict markers of git, and keep the lines of both sides"
        } else {
            "restore the line from version control; a line that is incomplete because of a crash can be removed"
        };
        let label = lines.source.label(place).message(line.reason.as_str());
        problems.push(
            finding(&RULE, format!("line {} of the journal cannot be trusted", line.line), label).help(help),
        );
    }
}
