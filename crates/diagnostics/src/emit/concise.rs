//! One finding per line, for `grep` and for editors that read `file:line:column: message`.

use std::fmt::Write as _;

use super::printable;
use crate::Report;

/// Returns one line for each finding: `file:line:column: severity[code]: message (help)`.
///
/// A finding about a whole file is at `1:1`, one without a file has no position. A report without findings is empty.
pub fn concise(report: &Report) -> String {
    let mut out = String::new();
    for found in &report.diagnostics {
        // Writing to a string cannot fail.
        if let Some(label) = &found.primary {
            let start = label.source.range(label.span).start;
            let _ = write!(out, "{}:{}:{}: ", printable(label.source.name()), start.line, start.column);
        }
        let _ = write!(out, "{}[{}]: {}", found.severity, found.rule.code, printable(&found.message));
        if let Some(help) = &found.help {
            let _ = write!(out, " ({})", printable(help));
        }
        out.push('\n');
    }
    out
}
