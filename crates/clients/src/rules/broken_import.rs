use minds_diagnostics::{Diagnostic, rule};

use super::{Check, shorten};
use crate::family::ClientFile;

rule! {
    pub(crate) static RULE {
        code: "client/broken-import",
        summary: "instructions import a file that does not exist",
        severity: Warning,
        suppressible: true,
        since: "0.1.0",
        page: "broken_import.md",
    }
}

pub(super) fn check(check: &mut Check<'_>, file: &ClientFile) {
    for import in &file.imports {
        if check.family.has_imported(&import.target) {
            continue;
        }
        check.report(&RULE, file, import.span, |label| {
            Diagnostic::new(&RULE, format!("the imported file `{}` does not exist", shorten(import.target.as_str())))
                .primary(label)
                .note(format!("{} leaves it out without a message", file.client.name))
                .help("correct the path, which is relative to this file, or write it in backticks if it is not an import")
        });
    }
}
