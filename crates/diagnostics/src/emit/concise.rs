//! One finding per line, for `grep` and for editors that read `file:line:column: message`.

use std::fmt;

use super::printable;
use crate::{Diagnostic, Report};

/// Returns one line for each finding: `file:line:column: severity[code]: message (help)`.
///
/// A finding about a whole file is at `1:1`, one without a file has no position. A report without findings is empty.
pub fn concise(report: &Report) -> String {
    report.to_string()
}

/// Writes one line without a line break: `file:line:column: severity[code]: message (help)`, as [`concise`] does.
impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(label) = &self.primary {
            let start = label.source.range(label.span).start;
            write!(f, "{}:{}:{}: ", printable(label.source.name()), start.line, start.column)?;
        }
        write!(f, "{}[{}]: {}", self.severity, self.rule.code, printable(&self.message))?;
        match &self.help {
            Some(help) => write!(f, " ({})", printable(help)),
            None => Ok(()),
        }
    }
}

/// Writes one line for each finding, as [`concise`] does.
impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.diagnostics.iter().try_for_each(|found| writeln!(f, "{found}"))
    }
}
