//! Findings as workflow commands, which GitHub shows beside the changed lines.

use std::fmt::Write as _;

use super::printable;
use crate::{Report, Severity};

/// Returns one workflow command for each finding: `::error file=…,line=…,col=…,title=…::message`.
///
/// File names are relative to the parent of the root, which in a workflow is the repository. Help and notes follow
/// the message, each on a line of its own.
pub fn github(report: &Report) -> String {
    let mut out = String::new();
    for found in &report.diagnostics {
        let command = match found.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Info => "notice",
        };
        // Writing to a string cannot fail.
        let _ = write!(out, "::{command} ");
        if let Some(label) = &found.primary {
            let file = label.source.name();
            let file = if report.root == "." { file.to_owned() } else { format!("{}/{file}", report.root) };
            let _ = write!(out, "file={},", property(&file));
            if label.span.end() > 0 {
                let range = label.source.range(label.span);
                let _ = write!(out, "line={},endLine={},", range.start.line, range.end.line);
                // Columns have no meaning there for several lines.
                if range.start.line == range.end.line {
                    let _ = write!(out, "col={},endColumn={},", range.start.column, range.end.column);
                }
            }
        }
        let _ = write!(out, "title={}::{}", property(found.rule.code), data(&found.message));
        for more in found.notes.iter().chain(&found.help) {
            let _ = write!(out, "%0A{}", data(more));
        }
        out.push('\n');
    }
    out
}

/// Escapes the message of a command, after the second `::`; its line breaks stay.
fn data(text: &str) -> String {
    let lines: Vec<String> = text.lines().map(|line| printable(line).replace('%', "%25")).collect();
    lines.join("%0A")
}

/// Escapes the value of a property.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}
